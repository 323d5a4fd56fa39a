"""The figures of one question answered in several ways: contenders, cost, use, common evidence, a table. Pure."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from configs import methods as configured
from rag import Answer
from ui.show import STAGE_NAMES, VERDICT_NAMES, clean

if TYPE_CHECKING:
    from indexing import BBox, Element, Mode
    from rag import Citation, MethodName, Sentence

Modality = Literal["text", "table", "figure"]
MODALITIES: tuple[Modality, ...] = ("text", "table", "figure")
_PLURALS: dict[Modality, str] = {"text": "Passages", "table": "Tables", "figure": "Figures"}
Place = tuple[str, int, str, "tuple[BBox, ...]"]
MODES: tuple[tuple[Mode, str], ...] = (("text", "Text"), ("image", "Images"), ("multi", "Both"))
METHODS: tuple[tuple[MethodName, bool, str], ...] = (
    *((method.name, False, method.label) for method in configured()),
    *((method.name, True, f"{method.label}, notes first") for method in configured() if method.notes),
)
"""The methods to compare. Notes are knowledge extracted from the evidence beforehand, from which alone the answer is
written; a quote has no use for them."""
_FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"
"""The characters that a spreadsheet may take for the beginning of a formula, in both widths."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to answer; None leaves a choice to the profile. `model` is the name of one there."""

    title: str
    mode: Mode | None = None
    method: MethodName | None = None
    extract: bool | None = None
    model: str | None = None


def modes(method: MethodName | None = None, extract: bool | None = None) -> tuple[Contender, ...]:
    """Return the three modes, by one method."""
    return tuple(Contender(title, mode, method, extract) for mode, title in MODES)


def methods(titles: Sequence[str], mode: Mode | None = None) -> tuple[Contender, ...]:
    """Return those of METHODS that are named, in one mode, in their own order."""
    return tuple(Contender(title, mode, method, extract) for method, extract, title in METHODS if title in titles)


def models(
    names: Sequence[str], mode: Mode | None = None, method: MethodName | None = None, extract: bool | None = None
) -> tuple[Contender, ...]:
    """Return the models of these names in the profile, each by the same method, which has to be one that writes."""
    return tuple(Contender(name, mode, method, extract, name) for name in names)


def modality(element: Element, kinds: Mapping[str, str]) -> Modality:
    """Return an element's modality; a group with a figure or table in it is one. `kinds` are those of parts by id."""
    inside = {element.kind, *(kinds.get(part, "text") for part in element.parts)}
    return "figure" if "picture" in inside else "table" if "table" in inside else "text"


# ---- figures --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """A share, `part` of `whole`."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """The value, 0 to 1; None of nothing."""
        return self.part / self.whole if self.whole else None

    def __str__(self) -> str:
        """Return `2 of 5 (40%)`."""
        return f"{self.part} of {self.whole} ({self.part / self.whole:.0%})" if self.whole else "none"


@dataclass(frozen=True, slots=True)
class Figures:
    """The cost of an answer and the evidence that it used.

    `seconds` are by stage; `used` is the utilization of MAVIS by modality: the share of the retrieved evidence of a
    modality that is cited, and does not contradict; `proven` counts sentences.
    """

    seconds: Mapping[str, float]
    used: Mapping[Modality, Share]
    proven: Share
    verdicts: Mapping[str, int]
    tokens: int
    images: int
    calls: int


def figures(answer: Answer, kinds: Mapping[str, str]) -> Figures:
    """Return the figures of one answer; `kinds` are the kinds of the parts of groups, by id."""
    cited = {c.label for c in answer.citations if not c.against}
    of = {e.label: modality(e.element, kinds) for e in answer.evidence}
    used = {
        m: Share(sum(of[label] == m for label in cited if label in of), sum(one == m for one in of.values()))
        for m in MODALITIES
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


_PROVEN = ("quoted", "computed", "confirmed")
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A line of the table: its name, and for each contender the cell as people read it and as a program does."""

    label: str
    shown: tuple[str, ...]
    raw: tuple[Cell, ...]


def table(found: Sequence[Figures | None]) -> tuple[FigureRow, ...]:
    """Return the figures of all contenders, one column each; None for one without an answer.

    A row that would say nothing is left out: of evidence that nobody found, of a model that nobody called.
    """
    stages = dict.fromkeys(stage for f in found if f for stage in f.seconds)
    rows = [
        _row(f"Seconds {STAGE_NAMES.get(stage, stage)}", found, lambda f, s=stage: f.seconds.get(s), "{:.2f}")
        for stage in sorted(stages, key=lambda s: s == "total")
    ]
    rows += [
        _shares(f"{_PLURALS[m]} cited, of those found", found, lambda f, m=m: f.used[m])
        for m in MODALITIES
        if any(f and f.used[m].whole for f in found)
    ]
    rows.append(_shares("Sentences quoted, computed or confirmed", found, lambda f: f.proven))
    rows += [
        _row(f"Sentences {name}", found, lambda f, v=verdict: f.verdicts[v])
        for verdict, name in VERDICT_NAMES.items()
        if verdict not in _PROVEN and any(f and f.verdicts[verdict] for f in found)
    ]
    if any(f and f.calls for f in found):
        rows.append(_row("Model calls", found, lambda f: f.calls))
        rows.append(_row("Tokens", found, lambda f: f.tokens))
        rows.append(_row("Images sent", found, lambda f: f.images))
    return tuple(rows)


def _row(label: str, found: Sequence[Figures | None], get: Callable[..., Cell], form: str = "{:,}") -> FigureRow:
    raw = tuple(get(f) if f else None for f in found)
    return FigureRow(label, tuple("\u2013" if v is None else form.format(v) for v in raw), raw)


def _shares(label: str, found: Sequence[Figures | None], get: Callable[..., Share]) -> FigureRow:
    values = [get(f) if f else None for f in found]
    return FigureRow(
        label, tuple(str(v) if v else "\u2013" for v in values), tuple(v.value if v else None for v in values)
    )


# ---- what they share ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageUse:
    """A page that somebody retrieved: who did, and who cites it, one entry a contender."""

    doc_id: str
    document: str
    page: int
    found: tuple[bool, ...]
    cited: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """The evidence in common: shares of elements and pages that all contenders retrieved, of those that any did.

    Pages are by how many have them; `pairs` are the elements that two contenders (by position) share, of those that
    either has.
    """

    elements: Share
    pages: Share
    pairs: Mapping[tuple[int, int], Share]
    uses: tuple[PageUse, ...]


def overlap(answers: Sequence[Answer]) -> Overlap:
    """Return the common evidence of several answers."""
    elements = [{e.element.id for e in a.evidence} for a in answers]
    found_pages = [{(e.element.doc_id, e.element.page) for e in a.evidence} for a in answers]
    cited_pages = [{(c.doc_id, c.page) for c in a.citations} for a in answers]
    names = {(e.element.doc_id, e.element.page): e.document for a in answers for e in a.evidence}
    names |= {(c.doc_id, c.page): c.document for a in answers for c in a.citations}
    uses = [
        PageUse(key[0], name, key[1], tuple(key in f for f in found_pages), tuple(key in c for c in cited_pages))
        for key, name in names.items()
    ]
    uses.sort(key=lambda u: (-sum(u.cited), -sum(u.found)))
    pairs = {(i, j): _common([elements[i], elements[j]]) for i in range(len(answers)) for j in range(i)}
    return Overlap(
        _common(elements), _common(found_pages), {(j, i): share for (i, j), share in pairs.items()}, tuple(uses)
    )


@dataclass(frozen=True, slots=True)
class Alone:
    """The evidence of one answer that no other has: pages (document id, number), and elements by id."""

    pages: frozenset[tuple[str, int]] = frozenset()
    elements: frozenset[str] = frozenset()


def alone(answers: Sequence[Answer | None]) -> tuple[Alone, ...]:
    """Return for each answer the evidence that no other has; nothing unless at least two answers are there."""
    present = [a for a in answers if a]
    if len(present) < 2:
        return tuple(Alone() for _ in answers)
    pages = Counter(place for a in present for place in {(e.element.doc_id, e.element.page) for e in a.evidence})
    elements = Counter(name for a in present for name in {e.element.id for e in a.evidence})
    return tuple(
        Alone(
            frozenset(p for e in a.evidence if pages[p := (e.element.doc_id, e.element.page)] == 1),
            frozenset(e.element.id for e in a.evidence if elements[e.element.id] == 1),
        )
        if a
        else Alone()
        for a in answers
    )


def _common(sets: Sequence[set[str]] | Sequence[set[tuple[str, int]]]) -> Share:
    """Count the members that are in all sets, of those in any."""
    everything: set[object] = set().union(*sets)
    return Share(sum(all(one in s for s in sets) for one in everything), len(everything))


def place(citation: Citation) -> Place:
    """Return the place of a citation, for any contender: the same place has one number in all columns."""
    return (citation.doc_id, citation.page, citation.element_id, citation.boxes)


def joint(columns: Sequence[Sequence[Sentence]], question: str) -> tuple[Answer, tuple[tuple[Sentence, ...], ...]]:
    """Return all columns as one answer, which numbers and boxes them together, and their sentences as they stand in it.

    A place that several cite is one citation: that of the column that stands first.
    """
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


# ---- as a file ------------------------------------------------------------------------------------------------------


def as_csv(question: str, titles: Sequence[str], answers: Sequence[Answer | None], rows: Sequence[FigureRow]) -> str:
    """Return the comparison for a spreadsheet: contenders as columns. No cell of it can be taken for a formula."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([safe_cell(question), *map(safe_cell, titles)])
    texts = [" ".join(s.text for s in a.sentences) if a else "" for a in answers]
    writer.writerow(["Answer", *map(safe_cell, texts)])
    for row in rows:
        values = ["" if v is None else safe_cell(v) if isinstance(v, str) else round(v, 4) for v in row.raw]
        writer.writerow([safe_cell(row.label), *values])
    return buffer.getvalue()


def safe_cell(text: str) -> str:
    """Return a text as one line that no spreadsheet takes for a formula: an apostrophe stands before one."""
    text = clean(text)
    return f"'{text}" if text[:1] in _FORMULA and text else text
