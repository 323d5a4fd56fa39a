"""`vouch check --annotated`: a copy of the checked PDF or Word file, with a comment on each statement.

The checked file is never changed; a file with the name of the copy is replaced only if an export wrote it. In a Word
file a comment is attached to runs: a run in which a statement begins or ends is split in two with the same format.
Footnotes and text boxes cannot have comments, so theirs are at the place where the text refers to them.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configs import CONTRADICTION, PROOF, UNCONFIRMED
from indexing import Mark, annotate_file
from plugins.audit.manuscripts import DocxParagraph, PagePlace, ParagraphPlace, open_docx, read_paragraphs, visible_text
from ui import ExportError
from ui.export import MARK, check_free, not_written, write_atomically
from ui.show import VERDICT_NAMES, clean, role, shorten, tone, why

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from plugins.audit.manuscripts import Form, Manuscript, PlacedStatement
    from rag import Answer, Sentence


AUTHOR = "Vouch"
QUOTE_CHARS = 400
"""The most characters of a quote that a comment has."""
_COLOURS = {"good": PROOF.highlight, "bad": CONTRADICTION.highlight, "open": UNCONFIRMED.highlight}
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ABOUT_CHARS = 120
Node = Any
_OWN: dict[Form, str] = {"pages": ".pdf", "docx": ".docx"}
"""The suffix of the annotated copy of each form of file; other forms have no such copy."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """A text that was checked: its file, what was read of it, the outcome, and the file's password."""

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
    """Return the suffix of a copy. Raises ExportError for a wrong suffix, and for the checked file itself."""
    suffix, own = target.suffix.lower(), _OWN.get(form)
    if own is None:
        raise ExportError(f"{target}: only a PDF or a Word file has an annotated copy: write this text by --export")
    if suffix != own:
        raise ExportError(f"{target}: the annotated copy of this text must end in {own}")
    try:
        same = source is not None and target.exists() and target.samefile(source)
    except OSError as error:
        raise not_written(target, error) from None
    if same:
        raise ExportError(f"{target}: is the text being checked, which is never changed: name another file")
    check_free({target: b""})
    return suffix


def annotated_copy(checkup: Checkup, target: Path) -> list[str]:
    """Write the annotated copy of a text atomically; return notes for its reader.

    Raises ExportError, and the FileError of a PDF that could not be marked.
    """
    form = copy_form(target, checkup.manuscript.form, checkup.path)
    data, notes = _pdf_copy(checkup) if form == ".pdf" else (_word_copy(checkup), [])
    write_atomically(target, data)
    return notes


def _commented_statements(answer: Answer, manuscript: Manuscript) -> Iterator[tuple[PlacedStatement, Sentence]]:
    """Yield the statements that were checked and claim something, each with its outcome."""
    for statement, sentence in zip(manuscript.statements, answer.sentences, strict=False):
        if tone(sentence) != "none":
            yield statement, sentence


def _comment_of(sentence: Sentence) -> str:
    """Return the comment on a sentence: its reason, then citations and quotes, without control characters."""
    lines = [clean(why(sentence))]
    for citation in sentence.citations:
        lines.append(f"{clean(citation.document)}, {clean(citation.where)}{role(citation)}")
        if citation.quote:
            lines.append(f"\u201c{shorten(citation.quote, QUOTE_CHARS)}\u201d")
    return "\n".join(lines)


def _pdf_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the copy, and notes on what was left out. Annotations in the file stay; raises its FileError."""
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


def _word_copy(checkup: Checkup) -> bytes:
    """Return the copy of a Word file. Raises DocumentUnreadable if it has changed."""
    from docx.text.run import Run

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
            runs = [Run(run, None) for run in span]  # type: ignore[arg-type]  # a comment needs no parent of a run
            document.add_comment(runs, about + _comment_of(sentence), AUTHOR, AUTHOR[0])
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = MARK.encode()
    return buffer.getvalue()


def _runs(paragraphs: Sequence[DocxParagraph], places: Sequence[ParagraphPlace]) -> tuple[Node, Node] | None:
    """Split runs so that one begins and one ends with a statement; return these two, None if there are none."""
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
    second = copy.copy(run)  # with its attributes, without its content
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
