"""Answers, messages, examples and drawings as HTML and SVG. Pure.

`ui/web/static/viewer.js` reads data attributes: `data-cite` is a citation's number, `data-answer` the key of its
answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ui.show.rendering import HTML, render
from ui.show.wording import quote_to_show, sources

if TYPE_CHECKING:
    from indexing import BBox
    from rag import Answer
    from ui.state import Feedback


def answer_html(answer: Answer, key: str = "", judgements: Mapping[int, Feedback] | None = None) -> HTML:
    """Return the sentences, each with its numbers and its verdict; for an abstention, the places that were searched.

    `key` ties it to the viewer of the same key, where a page has several answers. With `judgements`, the judgements of
    some sentences by number, from 1, each sentence has buttons to judge it.
    """
    seconds = answer.timings.get("total", sum(answer.timings.values()))
    footing = f"{seconds:.2f} s to search and answer"  # the page puts before it how long the reader waited
    if answer.abstained:
        return render("show/templates/abstention.html", answer=answer, footing=footing)
    own = [(n, c, quote_to_show(answer, c)) for n, c in sources(answer)[0]]
    return render("show/templates/answer.html", answer=answer, key=key, sources=own, footing=footing, judged=judgements)


def message_html(title: str, detail: str = "", kind: str = "quiet") -> HTML:
    """Return a message for the reader; its `kind` is quiet, busy or error."""
    return render("show/templates/message.html", title=title, detail=detail, kind=kind)


def heat_svg(regions: Sequence[tuple[BBox, float]]) -> bytes:
    """Return an SVG of (box, similarity) regions of a page; opacity grows from the lowest to the highest similarity."""
    values = [value for _, value in regions]
    low, span = min(values, default=0.0), (max(values, default=0.0) - min(values, default=0.0)) or 1.0
    opacities = [(box, 0.75 * ((value - low) / span) ** 2) for box, value in regions]
    return render("show/templates/heat.svg", regions=opacities).encode()


def bars_svg(title: str, values: Mapping[str, float], text_of: Callable[[float], str], most: int = 12) -> str:
    """Return a bar for each of the first `most` values; `text_of` formats a value. "" without values.

    A screen reader reads the title and each value. Negative values and NaN count as 0.
    """
    if not values:
        return ""
    top = [(name, value if 0.0 <= value < math.inf else 0.0) for name, value in list(values.items())[:most]]
    largest = max(value for _, value in top) or 1.0
    return render(
        "show/templates/bars.html",
        title=title,
        heard=", ".join(f"{name}: {text_of(value)}" for name, value in top),
        bars=[(name, text_of(value), 100 * value / largest) for name, value in top],
        more=len(values) - len(top),
    )
