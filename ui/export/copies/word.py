"""The annotated copy of a Word file: each statement that claims something gets a comment; nothing else changes.

A comment is attached to runs: a run in which a statement begins or ends is split in two with the same format. Footnotes
and text boxes cannot have comments, so theirs are at the place where the text refers to them.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rag.manuscripts import DocxParagraph, ParagraphPlace, open_docx, read_paragraphs, visible_text
from ui.export.copies.comments import AUTHOR, comment_of, commented_statements
from ui.export.sources import MARK
from ui.show import shorten

if TYPE_CHECKING:
    from docx.document import Document

    from ui.export.copies.annotated import Checkup

_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ABOUT_CHARS = 120
Node = Any


def word_copy(checkup: Checkup) -> tuple[bytes, list[str]]:
    """Return the copy, and what its reader should know. Raises ManuscriptUnreadable for a file that has changed."""
    document = open_docx(checkup.path.read_bytes(), checkup.manuscript.name)
    paragraphs = read_paragraphs(document)
    for statement, sentence in commented_statements(checkup.answer, checkup.manuscript):
        places = [p for p in statement.places if isinstance(p, ParagraphPlace) and p.paragraph < len(paragraphs)]
        span = _runs(paragraphs, places)
        if span is not None:
            about = ""
            if paragraphs[places[0].paragraph].anchor is not None:
                where = "a footnote" if paragraphs[places[0].paragraph].note else "a text box"
                about = f"In {where}: \u201c{shorten(statement.text, _ABOUT_CHARS)}\u201d\n"
            _comment(document, *span, about + comment_of(sentence))
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
