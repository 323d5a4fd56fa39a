"""The messages that ask a model to write: rules, labelled evidence, the question, and the form of the reply.

Labels, kinds, pages and names stand on lines of our own; every text that comes out of a document is fenced
(`rag.llm.fencing`). The question comes last, after the evidence, which may be long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rag.llm import Message, Prompt, Schema, fenced, in_line, load_prompt
from rag.methods.write.reply import ANSWER, NOTHING, Read, read_answer_lines, read_json, read_lines
from rag.settings import WritingSettings
from rag.types import Evidence, EvidenceView

if TYPE_CHECKING:
    from PIL import Image

Writing = Literal["vanilla", "cot"]
Form = Literal["schema", "markers"]

_RULES = load_prompt("answer")
_AGAIN = load_prompt("again")
_TASKS: dict[tuple[Writing, Form], tuple[Prompt, Read]] = {
    ("vanilla", "schema"): (load_prompt("vanilla_schema", "question", "sentences"), read_json),
    ("cot", "schema"): (load_prompt("cot_schema", "question", "sentences", "facts"), read_json),
    ("vanilla", "markers"): (load_prompt("vanilla_markers", "question", "sentences", "nothing"), read_lines),
    ("cot", "markers"): (
        load_prompt("cot_markers", "question", "sentences", "facts", "nothing", "answer"),
        read_answer_lines,
    ),
}
_KINDS = {"text": "paragraph", "picture": "figure", "group": "passage"}
_NAME_CHARS, _CAPTION_CHARS = 120, 400


@dataclass(frozen=True, slots=True)
class WritingTask:
    """A task of writing: the question, the form, and the `picture` (RGB) that goes with the question; `earlier` are
    questions asked before, to which this one is a follow-up.
    """

    question: str
    method: Writing
    form: Form
    settings: WritingSettings
    picture: Image.Image | None = None
    earlier: tuple[str, ...] = ()


def reader_of(task: WritingTask) -> Read:
    """Return the function that reads the reply."""
    read = _TASKS[task.method, task.form][1]
    return partial(read, longest=task.settings.sentence_chars) if read is read_json else read


def messages_of(task: WritingTask, shown: Sequence[EvidenceView], again: bool = False) -> tuple[Message, ...]:
    """Return the prompt; `again` tells the model that an earlier reply could not be read."""
    names = {item.element.doc_id: item.document for exhibit in shown for item in exhibit.evidence}
    numbers = {doc_id: number for number, doc_id in enumerate(names, 1)}
    listed = [f"document {n}: {in_line(names[doc_id])[:_NAME_CHARS]}\n" for doc_id, n in numbers.items()]
    parts: list[str | Image.Image] = ["The documents:\n", *listed, "\nThe evidence:\n\n"]
    for exhibit in shown:
        parts += _parts(exhibit, numbers)
    if task.picture is not None:
        parts += ["This picture goes with the question, and is no evidence:\n", task.picture, "\n"]
    if before := fenced("\n".join(task.earlier)):
        parts.append(f"Asked before, to tell what the question is about, and no evidence:\n{before}\n\n")
    parts.append(_wanted(task) + (f"\n\n{_AGAIN.filled()}" if again else ""))
    return Message("system", (_RULES.filled(),)), Message("user", tuple(_joined(parts)))


def schema_of(task: WritingTask, labels: Sequence[str]) -> Schema | None:
    """Return the schema of the reply, in which only `labels` can be named; None where the reply is in markers."""
    if task.form == "markers":
        return None
    most, bounds = len(labels), task.settings
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
    return _object(**steps, answerable={"type": "boolean"}, sentences=sentences)


def _object(**properties: Any) -> dict[str, Any]:
    """Return a closed object, all of whose properties must be there, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _wanted(task: WritingTask) -> str:
    prompt = _TASKS[task.method, task.form][0]
    values: dict[str, str | int] = {
        "question": in_line(task.question),
        "sentences": task.settings.sentences,
        "facts": task.settings.facts,
        "nothing": NOTHING,
        "answer": ANSWER,
    }
    return prompt.filled(**{name: values[name] for name in prompt.variables})


def _parts(exhibit: EvidenceView, numbers: Mapping[str, int]) -> Iterator[str | Image.Image]:
    for item in exhibit.evidence:
        yield f"{_heading(item, numbers[item.element.doc_id], exhibit.text)}\n"
        if exhibit.text and (lines := fenced(item.element.text)):
            yield f"{lines}\n"
    if not exhibit.text and exhibit.image is None:
        about = "it" if len(exhibit.evidence) == 1 else "them"
        yield f"Written down about {about} beforehand:\n{fenced(exhibit.evidence[0].knowledge)}\n"
    if exhibit.image is not None:
        yield "Its picture:\n" if len(exhibit.evidence) == 1 else "The page, with these pieces framed:\n"
        yield exhibit.image
    yield "\n"


def _heading(item: Evidence, document: int, with_text: bool) -> str:
    """Return `[E1] table on page 3 of document 1, section: Costs > 2023, caption: Table 2`, all of it on one line.

    What a whole image is called comes from its file, as the names of documents do, and is no caption of it.
    """
    element = item.element
    kind = "whole image" if element.whole_image else _KINDS.get(element.kind, element.kind)
    heading = f"[{item.label}] {kind} on page {element.page} of document {document}"
    if with_text and (section := in_line(" > ".join(element.section))):
        heading += f", section: {section[-_NAME_CHARS:]}"
    if with_text and (caption := in_line(element.caption)):
        heading += f", {'named' if element.whole_image else 'caption'}: {caption[:_CAPTION_CHARS]}"
    return heading


def _joined(parts: Sequence[str | Image.Image]) -> Iterator[str | Image.Image]:
    """Join neighbouring texts into one."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        yield text
        yield part
        text = ""
    yield text
