"""A comparison as HTML: a column a contender, what they share, where they disagree, one table. Pure."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.show import (
    HTML,
    STAGE_NAMES,
    by_document,
    counted,
    looked_at,
    message_html,
    missing,
    no_answer,
    render,
    verdict_counts,
)
from ui.web.compare.disagreement import differences, marked_html, said_by
from ui.web.compare.figures import Alone, FigureRow, Figures, Overlap, PageUse, alone, joint, overlap
from ui.web.viewer import WIDTHS, address

if TYPE_CHECKING:
    from rag import Answer, Sentence
    from ui.show import Moment

MOST_THUMBS = 6
_MOST_PAGES = 12
_MOST_SAID = 12
_MOST_LINES = 5
_MOST_DOCUMENTS = 4
_SHOWN = 0.005
"""The seconds below which a stage is not shown: it would be 0.00."""
Told = tuple["Sentence", tuple[int, ...], str, bool]
"""A sentence, the numbers of its citations, its text as HTML where something in it is marked, and if it cites a place
that no other answer found.
"""


@dataclass(frozen=True, slots=True)
class Side:
    """A column: the title of its contender, its progress and, when it has answered, the cost."""

    title: str
    moment: Moment
    figures: Figures | None


@dataclass(frozen=True, slots=True)
class Mini:
    """A page of the evidence, small. `cited` is the first number that leads to it, None where nothing cites it; `only`
    says that no other answer found it.
    """

    document: str
    number: int
    src: str
    cited: int | None
    only: bool


def columns_html(sides: Sequence[Side], key: str, collection: str, question: str) -> tuple[HTML, ...]:
    """Return the columns in order. Numbers run through all of them, so that one place has one number.

    `key` ties them to the viewer of the evidence. Differences, and what only one of them found, are marked once every
    column has ended.
    """
    whole, shared = joint([side.moment.sentences for side in sides], question)
    ended = all(side.moment.state != "busy" for side in sides)
    marks = differences([[s.text for s in column] for column in shared]) if ended else ()
    own = alone([side.moment.answer if ended else None for side in sides])
    titles = [side.title for side in sides]
    columns = []
    for n, (side, column) in enumerate(zip(sides, shared, strict=True)):
        sentences = (
            [marked_html(s.text, of_s, titles) for s, of_s in zip(column, marks[n], strict=True)] if marks else []
        )
        told = [
            (
                s,
                whole.numbers(s),
                sentences[m] if sentences else "",
                any(c.element_id in own[n].elements for c in s.citations),
            )
            for m, s in enumerate(column)
        ]
        pages = _minis(side.moment.answer, collection, _first(told), own[n])
        columns.append(_column(side, key, told, pages, own[n]))
    return tuple(columns)


def _first(told: Sequence[Told]) -> dict[tuple[str, int], int]:
    """Return the first number on each page that is cited, by document id and page."""
    first: dict[tuple[str, int], int] = {}
    for sentence, numbers, *_ in told:
        for number, citation in zip(numbers, sentence.citations, strict=True):
            first.setdefault((citation.doc_id, citation.page), number)
    return first


def _column(side: Side, key: str, told: Sequence[Told], pages: Sequence[Mini], own: Alone) -> HTML:
    answer = side.moment.answer
    note = _state(side.moment) if answer is None else "" if told else _abstention_html(answer)
    return render(
        "web/compare/templates/column.html",
        key=key,
        title=side.title,
        busy=side.moment.state == "busy",
        told=told,
        missing=missing(answer) if answer and told else "",
        note=note,
        strip=_strip(answer, side.figures, own) if answer else (),
        pages=pages[:MOST_THUMBS],
        more=max(0, len(pages) - MOST_THUMBS),
    )


def _state(moment: Moment) -> HTML:
    if moment.state == "failed":
        return message_html("That did not work.", moment.error, "error")
    if moment.state == "stopped":
        return message_html("Stopped.")
    return message_html(moment.doing + "\u2026", kind="busy")


def _abstention_html(answer: Answer) -> HTML:
    places = "; ".join(f"{name}, {pages}" for name, pages in looked_at(answer)[:3])
    looked = f"The closest places were {places}." if places else ""
    return message_html(no_answer(answer), " ".join(filter(None, (missing(answer), looked))))


def _strip(answer: Answer, found: Figures | None, own: Alone) -> Sequence[tuple[str, str]]:
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
    if own.elements:
        pages = f"{counted(len(own.pages), 'page')}, " if own.pages else ""
        lines.append(("Only here", f"{pages}{counted(len(own.elements), 'place')}"))
    calls = f"{counted(found.calls, 'call')}, {found.tokens:,} tokens, {counted(found.images, 'image')}"
    lines.append(("Model", calls if found.calls else "not called"))
    return lines


def _minis(answer: Answer | None, collection: str, cited: Mapping[tuple[str, int], int], own: Alone) -> Sequence[Mini]:
    """Return the pages of the evidence: those that are cited first, then those that no other answer found."""
    names = {(e.element.doc_id, e.element.page): e.document for e in answer.evidence} if answer else {}
    return [
        Mini(
            names[place],
            place[1],
            f"{address(collection, *place)}?w={WIDTHS[0]}",
            cited.get(place),
            place in own.pages,
        )
        for place in sorted(names, key=lambda place: (place not in cited, place not in own.pages))
    ]


# ---- above the columns ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoundLine:
    """The pages that the same answers found: who did, documents with their pages, and the number of documents more."""

    finders: str
    only: bool
    documents: Sequence[tuple[str, str]]
    more: int


def summary_html(sides: Sequence[Side]) -> str:
    """Return who found which pages and in how much the answers differ; nothing until at least two have answered."""
    finished = [(side.title, side.moment.answer) for side in sides if side.moment.answer is not None]
    if len(finished) < 2 or any(side.moment.state == "busy" for side in sides):
        return ""
    titles, answers = [title for title, _ in finished], [answer for _, answer in finished]
    texts = [[s.text for s in answer.sentences] for answer in answers]
    return render(
        "web/compare/templates/summary.html",
        lines=_found_lines(titles, overlap(answers).uses),
        differing=len(said_by(texts)) if sum(map(bool, texts)) > 1 else None,
    )


def _found_lines(titles: Sequence[str], uses: Sequence[PageUse]) -> list[FoundLine]:
    """Return a line for each set of finders: what only one of them found, what all found, then the others."""
    groups: dict[tuple[bool, ...], list[PageUse]] = {}
    for use in uses:
        if any(use.found):
            groups.setdefault(use.found, []).append(use)
    order = sorted(groups, key=lambda found: (sum(found) > 1, not all(found), found.index(True)))
    lines = []
    for found in order[:_MOST_LINES]:
        by = [n for n, has in enumerate(found) if has]
        finders = _NUMBERS.get(len(by), "") if all(found) else ""
        documents = by_document((use.document, use.page) for use in groups[found])
        more = max(0, len(documents) - _MOST_DOCUMENTS)
        lines.append(FoundLine(finders or _list(titles, by), len(by) == 1, documents[:_MOST_DOCUMENTS], more))
    return lines


_NUMBERS = {3: "All three", 4: "All four", 5: "All five"}


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
    texts = [[s.text for s in answer.sentences] for answer in answers]
    disagreements = said_by(texts)
    differing = [(what, _list(titles, by), _list(titles, lack, "or")) for what, by, lack in disagreements[:_MOST_SAID]]
    shared = overlap(answers)
    return Together(
        differing if sum(map(bool, texts)) > 1 else None,
        max(0, len(disagreements) - _MOST_SAID),
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
    line = f"Found by {everyone}: {found.elements} places, {found.pages} pages."
    if len(titles) == 2:
        return line
    pairs = "; ".join(
        f"\u201c{titles[i]}\u201d and \u201c{titles[j]}\u201d share {share}" for (i, j), share in found.pairs.items()
    )
    return f"{line} {pairs}."


def _made_of(use: PageUse) -> list[str]:
    """Return the use that each answer made of a page."""
    both = zip(use.cited, use.found, strict=True)
    return ["cited" if cited else "found" if found else "" for cited, found in both]
