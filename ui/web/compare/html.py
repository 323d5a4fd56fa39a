"""A comparison as HTML: a column a contender, what they share, where they disagree, one table. Pure."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.show import HTML, STAGE_NAMES, counted, looked_at, message_html, missing, no_answer, render, verdict_counts
from ui.web.compare.disagreement import differences, marked_html, said_by
from ui.web.compare.figures import FigureRow, Figures, Overlap, PageUse, joint, overlap
from ui.web.viewer import WIDTHS, address

if TYPE_CHECKING:
    from rag import Answer, Sentence
    from ui.show import Moment

MOST_THUMBS = 6
_MOST_PAGES = 12
_MOST_SAID = 12
_SHOWN = 0.005
"""The seconds below which a stage is not shown: it would be 0.00."""
Told = tuple["Sentence", tuple[int, ...], str]
"""A sentence, the numbers of its citations, and its text as HTML where something in it is marked."""


@dataclass(frozen=True, slots=True)
class Side:
    """A column: the title of its contender, its progress and, when it has answered, the cost."""

    title: str
    moment: Moment
    figures: Figures | None


@dataclass(frozen=True, slots=True)
class Mini:
    """A page of the evidence, small; `cited` is the first number that leads to it, None where nothing cites it."""

    document: str
    number: int
    src: str
    cited: int | None


def columns_html(sides: Sequence[Side], key: str, collection: str, question: str) -> tuple[HTML, ...]:
    """Return the columns in order. Numbers run through all of them, so that one place has one number.

    `key` ties them to the viewer of the evidence, and differences are marked once every column has ended.
    """
    whole, shared = joint([side.moment.sentences for side in sides], question)
    ended = all(side.moment.state != "busy" for side in sides)
    marks = differences([[s.text for s in column] for column in shared]) if ended else ()
    titles = [side.title for side in sides]
    made = []
    for n, (side, column) in enumerate(zip(sides, shared, strict=True)):
        said = [marked_html(s.text, of_s, titles) for s, of_s in zip(column, marks[n], strict=True)] if marks else []
        told = [(s, whole.numbers(s), said[m] if said else "") for m, s in enumerate(column)]
        made.append(_column(side, key, told, _minis(side.moment.answer, collection, _first(told))))
    return tuple(made)


def _first(told: Sequence[Told]) -> dict[tuple[str, int], int]:
    """Return the first number on each page that is cited, by document id and page."""
    first: dict[tuple[str, int], int] = {}
    for sentence, numbers, _ in told:
        for number, citation in zip(numbers, sentence.citations, strict=True):
            first.setdefault((citation.doc_id, citation.page), number)
    return first


def _column(side: Side, key: str, told: Sequence[Told], pages: Sequence[Mini]) -> HTML:
    answer = side.moment.answer
    note = _state(side.moment) if answer is None else "" if told else _abstained(answer)
    return render(
        "web/compare/templates/column.html",
        key=key,
        title=side.title,
        busy=side.moment.state == "busy",
        told=told,
        missing=missing(answer) if answer and told else "",
        note=note,
        strip=_strip(answer, side.figures) if answer else (),
        pages=pages[:MOST_THUMBS],
        more=max(0, len(pages) - MOST_THUMBS),
    )


def _state(moment: Moment) -> HTML:
    if moment.state == "failed":
        return message_html("That did not work.", moment.error, "error")
    if moment.state == "stopped":
        return message_html("Stopped.")
    return message_html(moment.doing + "\u2026", kind="busy")


def _abstained(answer: Answer) -> HTML:
    places = "; ".join(f"{name}, {pages}" for name, pages in looked_at(answer)[:3])
    looked = f"The closest places were {places}." if places else ""
    return message_html(no_answer(answer), " ".join(filter(None, (missing(answer), looked))))


def _strip(answer: Answer, found: Figures | None) -> Sequence[tuple[str, str]]:
    """Return the figures of one answer by name, in as few words as will do."""
    if found is None:
        return ()
    stages = ", ".join(
        f"{STAGE_NAMES.get(k, k)} {v:.2f}" for k, v in found.seconds.items() if k != "total" and v >= _SHOWN
    )
    total = found.seconds.get("total", sum(found.seconds.values()))
    proven = verdict_counts(answer) if answer.sentences else "no sentence"
    used = ", ".join(f"{m} {share.part} of {share.whole}" for m, share in found.used.items() if share.whole)
    time = ": ".join(filter(None, (f"{total:.2f} s", stages)))
    lines = [("Time", time), ("Proof", proven), ("Cited", used or "no evidence")]
    if found.calls:
        lines.append(("Model", f"{found.tokens:,} tokens, {counted(found.images, 'image')}"))
    return lines


def _minis(answer: Answer | None, collection: str, cited: Mapping[tuple[str, int], int]) -> Sequence[Mini]:
    """Return the pages of the evidence, those that are cited first."""
    found = {(e.element.doc_id, e.element.page): e.document for e in answer.evidence} if answer else {}
    return [
        Mini(found[place], place[1], f"{address(collection, *place)}?w={WIDTHS[0]}", cited.get(place))
        for place in sorted(found, key=lambda place: place not in cited)
    ]


# ---- below the columns ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Together:
    """The comparison of several answers. `differing` are parts that some say, with who does and who does not.

    It is None where fewer than two say anything; `uses` are pages with the use that each answer made of them, "" for
    none. Both may have `more`.
    """

    differing: Sequence[tuple[str, str, str]] | None
    more_differing: int
    common: str
    uses: Sequence[tuple[str, int, Sequence[str]]]
    more_uses: int


def below_html(question: str, sides: Sequence[Side], rows: Sequence[FigureRow], csv: str) -> str:
    """Return the common evidence of the answers, their disagreement and their cost; nothing while there is none."""
    answers = [side.moment.answer for side in sides if side.moment.answer is not None]
    if not answers:
        return ""
    titles = [side.title for side in sides if side.moment.answer is not None]
    return render(
        "web/compare/templates/below.html",
        question=question,
        titles=[side.title for side in sides],
        answered=titles,
        together=_together(titles, answers) if len(answers) > 1 else None,
        rows=rows,
        # A byte order mark: without it spreadsheets take UTF-8 for something else.
        csv=base64.b64encode(csv.encode("utf-8-sig")).decode("ascii"),
    )


def _together(titles: Sequence[str], answers: Sequence[Answer]) -> Together:
    said = [[s.text for s in answer.sentences] for answer in answers]
    found = said_by(said)
    differing = [(what, _list(titles, by), _list(titles, lack, "or")) for what, by, lack in found[:_MOST_SAID]]
    shared = overlap(answers)
    return Together(
        differing if sum(map(bool, said)) > 1 else None,
        max(0, len(found) - _MOST_SAID),
        _common(shared, titles),
        [(use.document, use.page, _made_of(use)) for use in shared.uses[:_MOST_PAGES]],
        max(0, len(shared.uses) - _MOST_PAGES),
    )


def _list(titles: Sequence[str], which: Sequence[int], joint_word: str = "and") -> str:
    """Return `Text and Both`."""
    names = [titles[n] for n in which]
    return f" {joint_word} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _common(found: Overlap, titles: Sequence[str]) -> str:
    """Say how much evidence all of them have in common and, of more than two, every two."""
    everyone = "both" if len(titles) == 2 else f"all {len(titles)}"
    said = f"Found by {everyone}: {found.elements} places, {found.pages} pages."
    if len(titles) == 2:
        return said
    pairs = "; ".join(
        f"\u201c{titles[i]}\u201d and \u201c{titles[j]}\u201d share {share}" for (i, j), share in found.pairs.items()
    )
    return f"{said} {pairs}."


def _made_of(use: PageUse) -> list[str]:
    """Return the use that each answer made of a page."""
    both = zip(use.cited, use.found, strict=True)
    return ["cited" if cited else "found" if found else "" for cited, found in both]
