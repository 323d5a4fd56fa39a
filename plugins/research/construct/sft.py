"""VISA data as conversations for supervised fine-tuning: pages and question in, answer with page and box out.

Question and answer are those of method `visa`: a model that was tuned on it is used as it is, with `--method visa`.
One conversation a line: `{"id", "question", "boxes", "sizes", "images": [files], "messages": [{"role", "content"}]}`,
where content is a list of `{"type": "text", "text"}` and `{"type": "image", "image": file}`, as chat templates take it.
`boxes` says how boxes are written; `sizes` are width and height of each image as method visa sends it, of which boxes
in pixels are pixels. Files in the folder of the lines, or below it, are named from there.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.tasks import Gold, GoldQuestion
from rag.llm import Boxes, ModelSettings, sent_size
from rag.methods.visa import boxes as visa

SCALE = 1000
MOST_CHARS = 600
"""The most characters of an answer: method visa reads no longer one."""
UNNAMED = ModelSettings(base_url="http://127.0.0.1:8000/v1", name="any")
"""A model known by the defaults alone: boxes in thousandths, images of up to a million pixels."""

Size = tuple[int, int]
"""The width and height in pixels."""


def export(gold: Gold, out: Path, model: ModelSettings = UNNAMED) -> int:
    """Write a data set that `evaluation.tasks.visa` read as conversations with `model`, and count them.

    Questions that method visa could not be answered with are left out, and named on stderr.
    """
    written = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", encoding="utf-8") as file:
        for question in gold.questions:
            files = [gold.files[document] for document in question.documents]
            try:
                if len(question.answer.strip()) > MOST_CHARS:
                    raise ValueError(f"its answer is longer than {MOST_CHARS} characters")  # noqa: TRY301
                sizes = [sent_size(*size_of(path), model) for path in files]
            except (OSError, ValueError) as error:
                print(f"left out: {question.qid}: {error}", file=sys.stderr)
                continue
            names = [_named(path, out.parent) for path in files]
            file.write(json.dumps(conversation(question, names, sizes, model.boxes), ensure_ascii=False) + "\n")
            written += 1
    return written


def size_of(path: Path) -> Size:
    """Return width and height of an image, from its head. Raises OSError, ValueError."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.size
    except Image.DecompressionBombError as error:
        raise ValueError(f"{path}: {error}") from None


def conversation(question: GoldQuestion, files: Sequence[str], sizes: Sequence[Size], boxes: Boxes) -> dict[str, Any]:
    """Return the conversation of a question; `files` are its candidates' images, in order, `sizes` the sent ones."""
    answer = {"role": "assistant", "content": [{"type": "text", "text": reply(target(question, sizes, boxes))}]}
    text = _sendable(question.text)
    return {
        "id": _sendable(question.qid),
        "question": text,
        "boxes": boxes,
        "sizes": [list(size) for size in sizes],
        "images": list(files),
        "messages": [{"role": "user", "content": asked(text, files, boxes)}, answer],
    }


def asked(question: str, files: Sequence[str], boxes: Boxes) -> list[dict[str, str]]:
    """Return the question of method visa about these page images, as the content of a user's message."""
    parts = visa.prompt_parts(question, [{"type": "image", "image": file} for file in files], boxes)
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


def target(question: GoldQuestion, sizes: Sequence[Size], boxes: Boxes) -> dict[str, Any]:
    """Return the reply that the model is to give: the answer with its page and box, or that there is none."""
    if not question.boxes:
        return {"answerable": False, "answer": "", "page": 0, "box": [0, 0, 0, 0]}
    gold = question.boxes[0]
    corners = corners_of(gold.bbox, sizes[gold.doc - 1], boxes)
    return {"answerable": True, "answer": question.answer.strip(), "page": gold.doc, "box": corners}


def corners_of(box: Sequence[float], size: Size, boxes: Boxes) -> list[int]:
    """Return a box in fractions of a page as a model writes it; however small it is, it covers something."""
    width, height = size if boxes == "absolute_pixels" else (SCALE, SCALE)
    (x0, x1), (y0, y1) = _whole(box[0], box[2], width), _whole(box[1], box[3], height)
    return [y0, x0, y1, x1] if boxes == "relative_1000_yx" else [x0, y0, x1, y1]


def reply(form: dict[str, Any]) -> str:
    """Return a reply as a server that is held to a schema has it written: JSON without white space.

    Text that looks like a token of a chat template (`<|im_end|>`) is escaped: it would be trained on as that.
    """
    return _sendable(json.dumps(form, ensure_ascii=False, separators=(",", ":"))).replace("<|", "\\u003c|")


def _sendable(text: str) -> str:
    """Return the text without half surrogate pairs, which no file and no server takes."""
    return text.encode("utf-8", "replace").decode()


def _whole(low: float, high: float, length: int) -> tuple[int, int]:
    """Return two fractions as whole numbers of 0 to `length`, one apart at least."""
    first, last = (round(min(max(v, 0.0), 1.0) * length) for v in (low, high))
    if first < last:
        return first, last
    first = min(math.floor(min(max(low, 0.0), 1.0) * length), length - 1)
    return first, first + 1


def _named(path: Path, folder: Path) -> str:
    """Return a file's name relative to the folder of the lines where it is in it, so that both can be moved.

    Any other file is named from the root.
    """
    whole, root = path.resolve(), folder.resolve()
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else str(whole)
