"""The annotated copy of a text as one web page: each statement marked, its verdict and its evidence beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.export.copies.comments import QUOTE_CHARS, commented_statements, verdict_of
from ui.export.sources import MARK
from ui.show import clean, render, role, shorten, tone, verdict_counts, why

if TYPE_CHECKING:
    from rag import Sentence
    from rag.manuscripts import ManuscriptPassage
    from ui.export.copies.annotated import Checkup


@dataclass(frozen=True, slots=True)
class Remark:
    """The note beside a statement: text[start:end] of the manuscript, its number from 1, and the words on it."""

    number: int
    start: int
    end: int
    tone: str
    verdict: str
    why: str
    sources: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage of the text: its pieces, marked or not, in order, and the notes that stand beside it."""

    kind: str
    level: int
    pieces: tuple[tuple[str, Remark | None], ...]
    remarks: tuple[Remark, ...]


def web_copy(checkup: Checkup) -> bytes:
    """Return the page. It needs nothing else: no script, no address, light, dark, on a phone and printed."""
    manuscript = checkup.manuscript
    remarks = [
        _remark(number, statement.start, statement.end, sentence)
        for number, (statement, sentence) in enumerate(commented_statements(checkup.answer, manuscript), 1)
    ]
    page = render(
        "export/templates/copy.html",
        mark=MARK,
        name=manuscript.name,
        passages=list(_with_remarks(manuscript.text, manuscript.passages, remarks)),
        urgent=[remark for remark in remarks if remark.tone == "bad"],
        counts=verdict_counts(checkup.answer),
        notes=[*manuscript.notes, *checkup.answer.notes],
    )
    return f"{page}\n".encode(errors="replace")


def _remark(number: int, start: int, end: int, sentence: Sentence) -> Remark:
    sources = tuple(
        (f"{clean(c.document)}, {clean(c.where)}{role(c)}", shorten(c.quote, QUOTE_CHARS)) for c in sentence.citations
    )
    return Remark(number, start, end, tone(sentence), verdict_of(sentence), why(sentence), sources)


def _with_remarks(
    text: str, passages: Sequence[ManuscriptPassage], remarks: Sequence[Remark]
) -> Iterator[MarkedPassage]:
    """Yield the passages, each with the statements that begin in it."""
    of_passage: dict[int, list[Remark]] = defaultdict(list)
    number = 0
    for remark in remarks:
        while number + 1 < len(passages) and passages[number + 1].start <= remark.start:
            number += 1
        of_passage[number].append(remark)
    for index, passage in enumerate(passages):
        own = of_passage[index]
        pieces: list[tuple[str, Remark | None]] = []
        at = passage.start
        for remark in own:
            start, end = max(remark.start, at), min(max(remark.end, at), max(passage.end, at))
            pieces += [(text[at:start], None), (text[start:end], remark)]
            at = end
        pieces.append((text[at : passage.end], None))
        yield MarkedPassage(passage.kind, passage.level, tuple((t, r) for t, r in pieces if t), tuple(own))
