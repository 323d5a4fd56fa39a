"""A pair as HTML: question, answer and reference, the parts to choose from, the pages that they stand on. Pure.

`ui/web/static/confirm.js` finds its way by data attributes: `data-choose` is a part, `data-decide` what a button does,
`data-sheet` a page.
"""

from __future__ import annotations

from dataclasses import dataclass

from ui.show import HTML, message_html, render
from ui.web.confirm.pairs import PairChoice, ReferencePairs

_SAID = {"confirmed": "Confirmed", "corrected": "Corrected", "dropped": "Dropped"}


@dataclass(frozen=True, slots=True)
class PairSheet:
    """A page with the parts on it that may be chosen, each with its number from 1."""

    page: int
    src: str
    parts: tuple[tuple[int, PairChoice], ...]


def pair_html(pairs: ReferencePairs, number: int) -> HTML:
    """Return the pair with this number, from 0, and how many of all are decided."""
    pair = pairs.pairs[number]
    decision = pairs.decisions.get(pair.id)
    numbered = tuple(enumerate(pair.choices, 1))
    selected = (decision.part if decision else "") or pair.part
    pages = dict.fromkeys(choice.page for choice in pair.choices)
    sheets = [
        PairSheet(page, pairs.image(found[0][1]), found)
        for page, found in ((p, tuple(pair for pair in numbered if pair[1].page == p)) for p in pages)
    ]
    return render(
        "web/confirm/templates/pair.html",
        pair=pair,
        number=number + 1,
        count=len(pairs.pairs),
        decided=len(pairs.decisions),
        said=_SAID[decision.decision] if decision else "",
        choices=numbered,
        chosen=selected,
        open_page=next((c.page for c in pair.choices if c.id == selected), pair.choices[0].page),
        sheets=sheets,
    )


def trouble_html(message: str) -> HTML:
    """Return a message where a decision could not be kept."""
    return message_html("This was not saved.", message, "error")
