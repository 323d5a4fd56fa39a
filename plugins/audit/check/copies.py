"""`vouch check --annotated`: the checked text, in its own form or as a web page, with the verdict on each statement.

The checked file is never changed; a file with the name of the copy is replaced only if an export wrote it. In a Word
file a comment is attached to runs: a run in which a statement begins or ends is split in two with the same format.
Footnotes and text boxes cannot have comments, so theirs are at the place where the text refers to them.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from indexing import Mark, annotate_file
from plugins.audit.manuscripts import DocxParagraph, PagePlace, ParagraphPlace, open_docx, read_paragraphs, visible_text
from ui import ExportError
from ui.export import MARK, check_free, not_written, write_whole
from ui.show import VERDICT_NAMES, clean, render, role, shorten, tone, verdict_counts, why

if TYPE_CHECKING:
    from docx.document import Document

    from indexing import IndexingSettings
    from plugins.audit.manuscripts import Form, Manuscript, ManuscriptPassage, PlacedStatement
    from rag import Answer, Sentence


AUTHOR = "Vouch"
QUOTE_CHARS = 400
"""The most characters of a quote that a comment has."""
_COLOURS = {"good": PROOF.highlight, "bad": CONTRADICTION.highlight, "open": UNCONFIRMED.highlight}
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ABOUT_CHARS = 120
Node = Any
_OWN: dict[Form, str] = {"pages": ".pdf", "docx": ".docx"}
"""The suffix of the copy that a file gets in its own form; any other text becomes a web page, as these can."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """A text that was checked: the file, what was read in it, the outcome, and what opens it."""

    path: Path
    manuscript: Manuscript
    answer: Answer
    settings: IndexingSettings
    password: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of the answer with the place of each statement, and the notes of how the text was read."""
        values = self.answer.to_json()
        for sentence, statement in zip(values["sentences"], self.manuscript.statements, strict=False):
            sentence["place"] = statement.to_json()
        return values | {"form": self.manuscript.form, "notes": [*self.manuscript.notes, *values["notes"]]}


def copy_form(target: Path, form: Form, source: Path | None = None) -> str:
    """Return the suffix of a copy. Raises ExportError for one that a file of that form cannot have, or has itself."""
    suffix, own = target.suffix.lower(), _OWN.get(form)
    suffix = ".html" if suffix == ".htm" else suffix
    if suffix not in (own, ".html"):
        suffixes = f"{own} or .html" if own else ".html"
        raise ExportError(f"{target}: the annotated copy of this text must end in {suffixes}")
    try:
        same = source is not None and target.exists() and target.samefile(source)
    except OSError as error:
        raise not_written(target, error) from None
    if same:
        raise ExportError(f"{target}: is the text being checked, which is never changed: name another file")
    check_free({target: b""})
    return suffix


def annotated_copy(checkup: Checkup, target: Path) -> list[str]:
    """Write the annotated copy of a text, whole or not at all; return what its reader should know of it.

    Raises ExportError, and the FileError of a PDF that could not be marked.
    """
    form = copy_form(target, checkup.manuscript.form, checkup.path)
    make = {".pdf": _pdf_copy, ".docx": _word_copy}.get(form, _web_copy)
    data, notes = make(checkup)
    write_whole(target, data)
    return notes


def _commented_statements(answer: Answer, manuscript: Manuscript) -> Iterator[tuple[PlacedStatement, Sentence]]:
    """Yield the statements that were checked and claim something, each with its outcome."""
    for statement, sentence in zip(manuscript.statements, answer.sentences, strict=False):
        if tone(sentence) != "none":
            yield statement, sentence


def _comment_of(sentence: Sentence) -> str:
    """Return the comment, a line a piece; not escaped, and without signs that a reader would obey."""
    lines = [clean(why(sentence))]
    for citation in sentence.citations:
        lines.append(f"{clean(citation.document)}, {clean(citation.where)}{role(citation)}")
        if citation.quote:
            lines.append(f"\u201c{shorten(citation.quote, QUOTE_CHARS)}\u201d")
    return "\n".join(lines)


def _pdf_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the copy, and what was left out of it. Annotations that the file has stay; raises its FileError."""
    marks = [
        Mark(place.page, place.boxes, _comment_of(s), VERDICT_NAMES[s.verdict], colour=_COLOURS[tone(s)])
        for statement, s in _commented_statements(checkup.answer, checkup.manuscript)
        for place in statement.places
        if isinstance(place, PagePlace)
    ]
    pdf = annotate_file(checkup.path, marks, checkup.settings, checkup.password)
    name = clean(checkup.manuscript.name)
    notes = [f"Left out of the copy of {name}: {', '.join(pdf.left_out)}."] if pdf.left_out else []
    return pdf.content + f"\n% {MARK}\n".encode(), notes


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


def _web_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the page, which needs nothing else: no script, no address, light, dark, on a phone and printed."""
    manuscript = checkup.manuscript
    remarks = [
        _remark(number, statement.start, statement.end, sentence)
        for number, (statement, sentence) in enumerate(_commented_statements(checkup.answer, manuscript), 1)
    ]
    page = render(
        "plugins.audit:check/templates/copy.html",
        mark=MARK,
        name=manuscript.name,
        passages=list(_with_remarks(manuscript.text, manuscript.passages, remarks)),
        urgent=[remark for remark in remarks if remark.tone == "bad"],
        counts=verdict_counts(checkup.answer),
        notes=[*manuscript.notes, *checkup.answer.notes],
    )
    return f"{page}\n".encode(errors="replace"), []


def _remark(number: int, start: int, end: int, sentence: Sentence) -> Remark:
    sources = tuple(
        (f"{clean(c.document)}, {clean(c.where)}{role(c)}", shorten(c.quote, QUOTE_CHARS)) for c in sentence.citations
    )
    return Remark(number, start, end, tone(sentence), VERDICT_NAMES[sentence.verdict], why(sentence), sources)


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


def _word_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the copy, and what its reader should know. Raises DocumentUnreadable for a file that has changed."""
    document = open_docx(checkup.path.read_bytes(), checkup.manuscript.name)
    paragraphs = read_paragraphs(document)
    for statement, sentence in _commented_statements(checkup.answer, checkup.manuscript):
        places = [p for p in statement.places if isinstance(p, ParagraphPlace) and p.paragraph < len(paragraphs)]
        span = _runs(paragraphs, places)
        if span is not None:
            about = ""
            if paragraphs[places[0].paragraph].anchor is not None:
                where = "a footnote" if paragraphs[places[0].paragraph].note else "a text box"
                about = f"In {where}: \u201c{shorten(statement.text, _ABOUT_CHARS)}\u201d\n"
            _comment(document, *span, about + _comment_of(sentence))
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = MARK.encode()
    return buffer.getvalue(), []


def _runs(paragraphs: Sequence[DocxParagraph], places: Sequence[ParagraphPlace]) -> tuple[Node, Node] | None:
    """Return the first and the last run of a statement, which begin and end with it; None where it has none."""
    if not places:
        return None
    first, last = paragraphs[places[0].paragraph], paragraphs[places[-1].paragraph]
    if first.anchor is not None:
        return first.anchor, first.anchor
    _split_run(first, places[0].start)
    _split_run(last, places[-1].end)
    begins = [run for at, run in first.runs if at >= places[0].start]
    ends = [run for at, run in last.runs if at < places[-1].end]
    return (begins[0], ends[-1]) if begins and ends else None


def _split_run(paragraph: DocxParagraph, at: int) -> None:
    """Split the run that contains the character `at`, so that a run begins with it."""
    number = max((n for n, (begin, _) in enumerate(paragraph.runs) if begin < at), default=-1)
    if number < 0 or any(begin == at for begin, _ in paragraph.runs) or at >= paragraph.length:
        return
    begin, run = paragraph.runs[number]
    second = _second_part(run, at - begin)
    if second is not None:
        run.addnext(second)
        paragraph.runs.insert(number + 1, (at, second))


def _second_part(run: Node, at: int) -> Node | None:
    """Remove the text from character `at` on from a run, and return it as a run of the same format."""
    from docx.oxml.ns import qn

    children = [child for child in run if child.tag != qn("w:rPr")]
    length, index = 0, 0
    while index < len(children) and length + len(visible_text(children[index])) <= at:
        length += len(visible_text(children[index]))
        index += 1
    if index == len(children):
        return None
    second = copy.copy(run)  # with its attributes; what is in it goes
    for child in list(second):
        if child.tag != qn("w:rPr"):
            second.remove(child)
    if at > length:  # inside of a text
        text = children[index]
        rest = copy.deepcopy(text)
        content = text.text or ""
        text.text, rest.text = content[: at - length], content[at - length :]
        for each in (text, rest):
            each.set(_XML_SPACE, "preserve")
        second.append(rest)
        index += 1
    for child in children[index:]:
        second.append(child)
    return second


def _comment(document: Document, first: Node, last: Node, text: str) -> None:
    """Add a comment from one run to another. Its own mark stands in the paragraph, in no link or insertion."""
    from docx.oxml.ns import qn
    from docx.oxml.parser import OxmlElement

    comment = document.comments.add_comment(text=text, author=AUTHOR, initials=AUTHOR[0])
    key = {qn("w:id"): str(comment.comment_id)}
    first.addprevious(OxmlElement("w:commentRangeStart", attrs=key))
    end = OxmlElement("w:commentRangeEnd", attrs=key)
    last.addnext(end)
    mark = OxmlElement("w:r")
    mark.append(OxmlElement("w:commentReference", attrs=key))
    outer: Node = end
    while outer.getparent() is not None and outer.getparent().tag != qn("w:p"):
        outer = outer.getparent()
    outer.addnext(mark)
