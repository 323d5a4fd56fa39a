"""The messages that ask a model to write: rules, labelled pages, the question, and the form of the reply.

Labels, kinds, pages and names are on lines of our own; all text from documents is fenced
(`rag.llm.prompts`). The question comes last, after the pages, which may be many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rag.llm import Message, Prompt, Schema, fence, in_line, load_prompt
from rag.methods.write.pages import DocumentFacts, PageView, row_labels
from rag.methods.write.reply import (
    ANSWER,
    MISSING,
    MOST_LOOKED_AT,
    NOTHING,
    SHEET,
    Read,
    read_answer_lines,
    read_json,
    read_lines,
)
from rag.settings import WritingSettings
from rag.types import Evidence

if TYPE_CHECKING:
    from PIL import Image

REMARK_CHARS = 300
"""The most characters of what a model says is missing, and of how it took the question."""
Writing = Literal["vanilla", "cot"]
Form = Literal["schema", "markers"]

_RULES = load_prompt("answer")
_AGAIN = load_prompt("again")
_TASKS: dict[tuple[Writing, Form], tuple[Prompt, Read]] = {
    ("vanilla", "schema"): (load_prompt("vanilla_schema", "question", "sentences", "look"), read_json),
    ("cot", "schema"): (load_prompt("cot_schema", "question", "sentences", "facts", "look"), read_json),
    ("vanilla", "markers"): (load_prompt("vanilla_markers", "question", "sentences", "nothing", "missing"), read_lines),
    ("cot", "markers"): (
        load_prompt("cot_markers", "question", "sentences", "facts", "nothing", "answer", "missing"),
        read_answer_lines,
    ),
}
_SHEETS = "the numbers of the sheets of the first document"
_SHEETS_OF_SEVERAL = 'the sheets, each as "2:14" (sheet 14 of document 2),'
_KINDS = {"text": "paragraph", "picture": "figure"}
_NAME_CHARS, _CAPTION_CHARS = 120, 400
_PIECE_CHARS, _ROWS = 4000, 120
"""The most characters of a piece, and the most rows of a table, that are listed; a line says what is left out."""


@dataclass(frozen=True, slots=True)
class WritingTask:
    """A task of writing: the question, the form, and the `picture` (RGB) that goes with the question.

    `earlier` are the questions that this one follows up, `earlier_pages` pages (document, number) of earlier rounds.
    """

    question: str
    method: Writing
    form: Form
    settings: WritingSettings
    picture: Image.Image | None = None
    earlier: tuple[str, ...] = ()
    earlier_pages: frozenset[tuple[str, int]] = frozenset()


def reader_of(task: WritingTask) -> Read:
    """Return the function that parses the reply of a task."""
    reader = _TASKS[task.method, task.form][1]
    return partial(reader, longest=task.settings.sentence_chars) if reader is read_json else reader


def messages_of(task: WritingTask, views: Sequence[PageView], again: bool = False) -> tuple[Message, ...]:
    """Return the messages to the model; with `again`, they say that an earlier reply could not be parsed."""
    facts = {view.of.id: view.of for view in views}
    numbers = {doc_id: number for number, doc_id in enumerate(facts, 1)}
    lines = [_document_line(numbers[f.id], f, [v for v in views if v.of.id == f.id]) for f in facts.values()]
    parts: list[str | Image.Image] = ["The documents:\n", *lines, "\nThe pages:\n\n"]
    for view in views:
        parts += _page_parts(view, numbers[view.of.id])
    parts += _earlier_pages(task, facts, numbers)
    if task.picture is not None:
        parts += ["This picture goes with the question, and is no evidence:\n", task.picture, "\n"]
    if before := fence("\n".join(task.earlier)):
        parts.append(f"Asked before, to tell what the question is about, and no evidence:\n{before}\n\n")
    parts.append(_instructions(task, len(facts)) + (f"\n\n{_AGAIN.fill()}" if again else ""))
    return Message("system", (_RULES.fill(),)), Message("user", tuple(_merge_texts(parts)))


def schema_of(task: WritingTask, labels: Sequence[str], documents: int = 1) -> Schema | None:
    """Return the schema of the reply, in which only `labels` can be named; None where the reply is in markers.

    Sheets that the model wants to see are numbers; of several `documents`, `2:14` is sheet 14 of document 2.
    """
    if task.form == "markers":
        return None
    most, bounds = max(1, len(labels)), task.settings
    label = {"type": "string", "enum": list(labels)}
    text = {"type": "string", "maxLength": bounds.sentence_chars}
    sources = {"type": "array", "items": label, "minItems": 1, "maxItems": min(most, bounds.sources)}
    steps: dict[str, Any] = {}
    if task.method == "cot":
        fact = _object(label=label, fact=text)
        steps = {
            "find": {"type": "array", "items": label, "maxItems": most},
            "extract": {"type": "array", "items": fact, "maxItems": bounds.facts},
        }
    sentences = {"type": "array", "items": _object(text=text, labels=sources), "maxItems": bounds.sentences}
    remark = {"type": "string", "maxLength": REMARK_CHARS}
    sheet: Schema = {"type": "integer", "minimum": 1, "maximum": 99_999}
    if documents > 1:
        sheet = {"type": "string", "pattern": SHEET}
    look = {"type": "array", "items": sheet, "maxItems": MOST_LOOKED_AT}
    answer = {"answerable": {"type": "boolean"}, "sentences": sentences}
    return _object(**steps, **answer, reading=remark, missing=remark, look=look)


def _object(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties, all required, in this order."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _instructions(task: WritingTask, documents: int) -> str:
    """Return the prompt of a task, filled with its question and limits; `documents` is how many are shown."""
    prompt = _TASKS[task.method, task.form][0]
    values: dict[str, str | int] = {
        "question": in_line(task.question),
        "sentences": task.settings.sentences,
        "facts": task.settings.facts,
        "nothing": NOTHING,
        "answer": ANSWER,
        "missing": MISSING,
        "look": _SHEETS if documents == 1 else _SHEETS_OF_SEVERAL,
    }
    return prompt.fill(**{name: values[name] for name in prompt.variables})


def _document_line(number: int, facts: DocumentFacts, views: Sequence[PageView]) -> str:
    """Return `document 1: report.pdf (63 pages, 12 figures, 5 tables; you are shown pages 3, 7 and 20 of it)`."""
    counts = [f"{facts.pages} page" + "s" * (facts.pages != 1)]
    counts += [f"{n} {kind}{'s' * (n != 1)}" for n, kind in ((facts.figures, "figure"), (facts.tables, "table")) if n]
    pages = [str(view.page.number) for view in views]
    which = f"pages {', '.join(pages[:-1])} and {pages[-1]}" if len(pages) > 1 else f"page {pages[0]}"
    return (
        f"document {number}: {in_line(facts.name)[:_NAME_CHARS]} ({', '.join(counts)}; you are shown {which} of it)\n"
    )


def _earlier_pages(task: WritingTask, facts: Mapping[str, DocumentFacts], numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each document about pages that the model saw in an earlier round."""
    for doc_id in facts:
        if pages := sorted(number for other, number in task.earlier_pages if other == doc_id):
            text = ", ".join(map(str, pages))
            yield f"Shown to you before, and not again: of document {numbers[doc_id]} page {text}.\n\n"


def _page_parts(view: PageView, document: int) -> Iterator[str | Image.Image]:
    """Yield the parts of a message about one page of a document (by number): header, image, pieces, enlarged images."""
    label = in_line(view.page.label)[:_NAME_CHARS]
    also = f", printed number {label}" if label and label != str(view.page.number) else ""
    yield f"Page {view.page.number} of document {document}{also}\n"
    section = view.pieces[0].element.section if view.pieces and view.text else ()
    if above := " > ".join(in_line(heading)[:_NAME_CHARS] for heading in section[-2:]):
        yield f"It begins under the heading: {above}\n"
    if view.image is not None:
        yield view.image
    yield "\nIts pieces:\n" if view.pieces else "\nA program found no pieces on it.\n"
    with_notes: set[str] = set()
    for piece in view.pieces:
        yield from _piece_lines(piece, view, with_notes)
    for picture in view.enlargements:
        yield f"[{picture.piece.label}] of this page, enlarged:\n"
        yield picture.image
        yield "\n"
    yield "\n"


def _piece_lines(piece: Evidence, view: PageView, with_notes: set[str]) -> Iterator[str]:
    """Yield the line of an element, `[E1] table, caption: Table 2`, and its text, or only its notes if it has any.

    The name of a whole image comes from its file, and is not its caption. `with_notes` are the notes already shown: the
    elements of a figure share theirs.
    """
    element = piece.element
    line = f"[{piece.label}] {'whole image' if element.whole_image else _KINDS.get(element.kind, element.kind)}"
    if view.text and (caption := in_line(element.caption)):
        line += f", {'named' if element.whole_image else 'caption'}: {caption[:_CAPTION_CHARS]}"
    yield f"{line}\n"
    if piece.knowledge:
        if piece.knowledge not in with_notes:
            yield f"Written down about it beforehand:\n{fence(piece.knowledge)}\n"
        with_notes.add(piece.knowledge)
    elif view.text:
        yield from _row_lines(piece) if element.cells else _text_lines(element.text)


def _text_lines(text: str) -> Iterator[str]:
    """Yield a text, fenced, and a line that says how much of a long one is left out."""
    if lines := fence(text[:_PIECE_CHARS]):
        yield f"{lines}\n"
    if len(text) > _PIECE_CHARS:
        yield f"(cut: {len(text) - _PIECE_CHARS:,} more characters of it stand on the page)\n"


def _row_lines(piece: Evidence) -> Iterator[str]:
    """Yield the rows of a table, each with its label, empty cells as empty ones."""
    element, labels = piece.element, set(row_labels(piece))
    columns = max(cell.col + cell.col_span for cell in element.cells)
    rows: dict[int, list[str]] = {}
    for cell in element.cells:
        row = rows.setdefault(cell.row, [""] * columns)
        row[cell.col] = in_line(element.text[cell.start : cell.end])
    for number in sorted(rows)[:_ROWS]:
        label = f"{piece.label}.r{number}"
        cells = " | ".join(rows[number])[:_PIECE_CHARS]
        yield f"[{label}] | {cells}\n" if label in labels else f"| {cells}\n"
    if len(rows) > _ROWS:
        yield f"(cut: {len(rows) - _ROWS} more rows of it stand on the page)\n"


def _merge_texts(parts: Sequence[str | Image.Image]) -> Iterator[str | Image.Image]:
    """Yield the parts of a message with successive texts joined."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        yield text
        yield part
        text = ""
    yield text
