"""The figures of one question answered in several ways, and where these answers disagree. Pure.

Numbers are compared as in checking: 12.5% equals 12.5 percent, and 1.2 million equals 1,236,000 at its precision; a
number without a unit, as in the cell of a table, equals that number with any unit. Names are compared word by word,
wherever in a sentence the other answer has them. What most of the answers say is no difference of these answers, but
of those that say something else.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from indexing.language import Quantity, Token, agree
from rag import Answer
from rag.attribution.words import Claims, claims_of
from ui.show import HTML, STAGE_NAMES, VERDICT_NAMES, clean, is_other, render, safe_cell

if TYPE_CHECKING:
    from indexing import BBox, Element
    from rag import Citation, Sentence


Answered = Sequence[str]
"""The sentences of one answer; empty if it abstained or failed, which is no disagreement."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference: `text[start:end]` of a cleaned sentence, which the answers at the indices `missing` lack."""

    start: int
    end: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of an answer: its quantities, and its words, folded, also with an s at the end."""

    quantities: tuple[Quantity, ...]
    words: frozenset[str]


def differences(answers: Sequence[Answered]) -> tuple[tuple[tuple[Disagreement, ...], ...], ...]:
    """Return for each answer, for each sentence, the parts that most answers lack, in order and without overlap."""
    claims = [[claims_of(clean(sentence)) for sentence in answer] for answer in answers]
    values = {n: _content(of_answer) for n, of_answer in enumerate(claims) if of_answer}
    return tuple(
        tuple(_of_sentence(sentence, {m: s for m, s in values.items() if m != n}) for sentence in of_answer)
        for n, of_answer in enumerate(claims)
    )


def _content(claims: Sequence[Claims]) -> _Content:
    words = {token.key for one in claims for token in one.tokens}
    return _Content(tuple(q for one in claims for q in one.quantities), frozenset(words | {w + "s" for w in words}))


def _of_sentence(claims: Claims, others: dict[int, _Content]) -> tuple[Disagreement, ...]:
    candidates = sorted((*_numbers(claims, others), *_names(claims, others)), key=lambda d: (d.start, -d.end))
    disagreements: list[Disagreement] = []
    for one in candidates:
        if not disagreements or one.start >= disagreements[-1].end:  # not a word inside a number that is marked already
            disagreements.append(one)
    return tuple(disagreements)


def _numbers(claims: Claims, others: dict[int, _Content]) -> Iterator[Disagreement]:
    for quantity in claims.numbers:
        missing = tuple(n for n, values in others.items() if not _has(values, quantity))
        if _differs(missing, others):
            yield Disagreement(quantity.start, quantity.end, missing)


def _differs(missing: Sequence[int], others: Mapping[int, _Content]) -> bool:
    """Return True if at least half of the answers with sentences, the present one included, lack a part of it."""
    return 2 * len(missing) >= len(others) + 1


def _has(content: _Content, quantity: Quantity) -> bool:
    """Return True if an answer has an equal quantity, at the precision of either; a bare number has any unit."""
    return any(agree(quantity, o) or agree(o, quantity) or _bare(quantity, o) for o in content.quantities)


def _bare(one: Quantity, other: Quantity) -> bool:
    """Return True for two equal numbers, at least one of them without a unit."""
    numbers = one.kind == other.kind == "number" and one.sign == other.sign
    return numbers and one.value == other.value and "" in (one.unit, other.unit)


def _names(claims: Claims, others: dict[int, _Content]) -> list[Disagreement]:
    """Return the words of names that differ; adjacent words that the same answers lack are one disagreement."""
    disagreements: list[Disagreement] = []
    for token in claims.words:
        if not (token.name or _opens_name(claims, token)):
            continue
        missing = tuple(n for n, values in others.items() if token.key not in values.words)
        if not _differs(missing, others):
            continue
        if (
            disagreements
            and missing == disagreements[-1].missing
            and claims.text[disagreements[-1].end : token.start] == " "
        ):
            disagreements[-1] = replace(disagreements[-1], end=token.end)
        else:
            disagreements.append(Disagreement(token.start, token.end, missing))
    return disagreements


def _opens_name(claims: Claims, token: Token) -> bool:
    """Return True if a word with a capital is directly before a name, as Anna in `Anna Holm` opens a sentence."""
    at = bisect_right(claims.tokens, token.start, key=lambda t: t.start)
    follows = claims.tokens[at] if at < len(claims.tokens) else None
    capital = claims.text[token.start].isupper()
    return capital and follows is not None and follows.name and follows.start == token.end + 1


def marked_html(text: str, disagreements: Sequence[Disagreement], names: Sequence[str]) -> HTML:
    """Return a sentence with its differences, in order, underlined; `names` are those of the answers, by index."""
    text = clean(text)
    parts: list[tuple[str, str | None]] = []
    at = 0
    for one in disagreements:
        lacking = " and ".join(names[n] for n in one.missing)
        parts += [(text[at : one.start], None), (text[one.start : one.end], lacking)]
        at = one.end
    return render("web/compare/templates/marked.html", parts=[*parts, (text[at:], None)])


def said_by(answers: Sequence[Answered]) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    """Return (first wording, indices of answers with it, of answers without it) of each part that most lack."""
    disagreements = differences(answers)
    by_wording: dict[str, tuple[str, set[int], set[int]]] = {}
    for n, (answer, of_answer) in enumerate(zip(answers, disagreements, strict=True)):
        for sentence, of_sentence in zip(answer, of_answer, strict=True):
            for one in of_sentence:
                wording = clean(sentence)[one.start : one.end]
                _, by, missing = by_wording.setdefault(wording.casefold(), (wording, set(), set()))
                by.add(n)
                missing.update(one.missing)
    return tuple(
        (wording, tuple(sorted(by)), tuple(sorted(missing - by))) for wording, by, missing in by_wording.values()
    )


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
