"""The metrics of one question answered in several ways: cost, use of the evidence, common evidence, a table. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from rag import Answer
from ui.show import STAGE_NAMES, VERDICT_NAMES, is_other, safe_cell

if TYPE_CHECKING:
    from indexing import BBox, Element
    from rag import Citation, Sentence

Modality = Literal["text", "table", "figure"]
_PLURALS: dict[Modality, str] = {"text": "Passages", "table": "Tables", "figure": "Figures"}
_PROVEN = ("quoted", "computed", "confirmed")
Place = tuple[str, int, str, "tuple[BBox, ...]"]


def modality(element: Element, kinds: Mapping[str, str]) -> Modality:
    """Return an element's modality; a group has that of a figure or table in it. `kinds`: the kinds of parts by id."""
    inside = {element.kind, *(kinds.get(part, "text") for part in element.parts)}
    return "figure" if "picture" in inside else "table" if "table" in inside else "text"


@dataclass(frozen=True, slots=True)
class Share:
    """A share, `part` of `whole`."""

    part: int
    whole: int

    def __str__(self) -> str:
        """Return `2 of 5 (40%)`."""
        return f"{self.part} of {self.whole} ({self.part / self.whole:.0%})" if self.whole else "none"


Cell = Share | float | None
FigureRow = tuple[str, Sequence[Cell]]
"""A line of the table: its name, and the cell of each contender; None for one without an answer."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The metrics of an answer: its cost, and the evidence that it used.

    `seconds` are by stage; `used` is the utilization of MAVIS by modality: the share of the retrieved evidence of a
    modality that is cited, and does not contradict; `proven` is the share of sentences with a proof.
    """

    seconds: Mapping[str, float]
    used: Mapping[Modality, Share]
    proven: Share
    verdicts: Mapping[str, int]
    tokens: int
    images: int
    calls: int


def figures(answer: Answer, kinds: Mapping[str, str]) -> Figures:
    """Return the metrics of one answer; `kinds` are the kinds of the parts of groups, by id."""
    labels = {c.label for c in answer.citations if not c.against}
    of = {e.label: modality(e.element, kinds) for e in answer.evidence}
    used = {
        m: Share(sum(of[label] == m for label in labels if label in of), sum(one == m for one in of.values()))
        for m in _PLURALS
    }
    verdicts: list[str] = [s.verdict for s in answer.sentences]
    return Figures(
        seconds=dict(answer.timings),
        used=used,
        proven=Share(sum(v in _PROVEN for v in verdicts), len(verdicts)),
        verdicts={v: verdicts.count(v) for v in VERDICT_NAMES},
        tokens=answer.usage.prompt_tokens + answer.usage.completion_tokens,
        images=answer.usage.images,
        calls=answer.usage.calls,
    )


def table(columns: Sequence[Figures | None]) -> list[FigureRow]:
    """Return the rows of metrics of all contenders, one column each; None for a contender without an answer.

    A row without content is left out: of a modality that nobody retrieved, of a model that nobody called.
    """

    def row(label: str, get: Callable[..., Cell]) -> FigureRow:
        return label, [get(f) if f else None for f in columns]

    answers = [f for f in columns if f]
    stages = sorted(dict.fromkeys(stage for f in answers for stage in f.seconds), key=lambda s: s == "total")
    rows = [row(f"Seconds {STAGE_NAMES.get(s, s)}", lambda f, s=s: f.seconds.get(s)) for s in stages]
    rows += [
        row(f"{plural} cited, of those found", lambda f, m=m: f.used[m])
        for m, plural in _PLURALS.items()
        if any(f.used[m].whole for f in answers)
    ]
    rows.append(row("Sentences quoted, computed or confirmed", lambda f: f.proven))
    rows += [
        row(f"Sentences {name}", lambda f, v=verdict: f.verdicts[v])
        for verdict, name in VERDICT_NAMES.items()
        if verdict not in _PROVEN and any(f.verdicts[verdict] for f in answers)
    ]
    if any(f.calls for f in answers):
        rows.append(row("Model calls", lambda f: f.calls))
        rows.append(row("Tokens", lambda f: f.tokens))
        rows.append(row("Images sent", lambda f: f.images))
    return rows


def shown_cell(cell: Cell) -> str:
    """Return a cell as text for people, a dash for None."""
    if cell is None or isinstance(cell, Share):
        return str(cell or "\u2013")
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.2f}"


def _csv_cell(cell: Cell) -> float | str:
    """Return a cell as a number for programs: a share as a fraction, None and a share of nothing as ""."""
    value = (cell.part / cell.whole if cell.whole else None) if isinstance(cell, Share) else cell
    return "" if value is None else round(value, 4)


@dataclass(frozen=True, slots=True)
class PageUse:
    """A page that an answer retrieved or cites: for each answer, whether it retrieved and whether it cites it."""

    document: str
    page: int
    found: tuple[bool, ...]
    cited: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The evidence in common: the elements and pages that all answers retrieved, of those that any retrieved.

    `uses` are the pages, those that most answers cite first.
    """

    elements: Share
    pages: Share
    uses: tuple[PageUse, ...]


def overlap(answers: Sequence[Answer]) -> Overlap:
    """Return the evidence that several answers have in common."""
    elements = [{e.element.id for e in a.evidence} for a in answers]
    found_pages = [{(e.element.doc_id, e.element.page) for e in a.evidence} for a in answers]
    cited_pages = [{(c.doc_id, c.page) for c in a.citations} for a in answers]
    names = {(e.element.doc_id, e.element.page): e.document for a in answers for e in a.evidence}
    names |= {(c.doc_id, c.page): c.document for a in answers for c in a.citations}
    uses = [
        PageUse(name, key[1], tuple(key in f for f in found_pages), tuple(key in c for c in cited_pages))
        for key, name in names.items()
    ]
    uses.sort(key=lambda u: (-sum(u.cited), -sum(u.found)))
    return Overlap(_common(elements), _common(found_pages), tuple(uses))


def _common(sets: Sequence[set[str]] | Sequence[set[tuple[str, int]]]) -> Share:
    """Return the share of members that are in all sets, of those in any."""
    everything: set[object] = set().union(*sets)
    return Share(sum(all(one in s for s in sets) for one in everything), len(everything))


def place(citation: Citation) -> Place:
    """Return the key of a citation's place, by which one place has one number in all columns."""
    return (citation.doc_id, citation.page, citation.element_id, citation.boxes)


def joint(columns: Sequence[Sequence[Sentence]], question: str) -> tuple[Answer, tuple[tuple[Sentence, ...], ...]]:
    """Return all columns as one answer, which numbers their citations, and for each column its sentences in it.

    A place that several columns cite is one citation: that of the first. Other places are left out.
    """
    columns = [[s for s in column if not is_other(s)] for column in columns]
    first: dict[Place, Citation] = {}
    for sentence in (s for column in columns for s in column):
        for citation in sentence.citations:
            first.setdefault(place(citation), citation)
    shared = tuple(
        tuple(replace(s, citations=tuple(dict.fromkeys(first[place(c)] for c in s.citations))) for s in column)
        for column in columns
    )
    every = tuple(s for column in shared for s in column)
    return Answer(question, "multi", every, (), 0.0, {}, ""), shared


def as_csv(question: str, titles: Sequence[str], answers: Sequence[Answer | None], rows: Sequence[FigureRow]) -> str:
    """Return the comparison as CSV: contenders as columns. No cell can be taken for a formula by a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    texts = [" ".join(s.text for s in a.sentences if not is_other(s)) if a else "" for a in answers]
    for label, words in ((question, titles), ("Answer", texts)):
        writer.writerow([safe_cell(label), *map(safe_cell, words)])
    for label, cells in rows:
        writer.writerow([safe_cell(label), *map(_csv_cell, cells)])
    return buffer.getvalue()
