"""VISA data as conversations for supervised fine-tuning: pages and question in, answer with page and box out.

What is asked and what is answered are those of method `visa`: a model that was tuned on it is used as it is, with
`--method visa`. One conversation a line: `{"id", "images": [files], "messages": [{"role", "content"}]}`, where content
is a list of `{"type": "text", "text"}` and `{"type": "image", "image": file}`, as chat templates take it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.questions import Gold, Question
from rag.fencing import fenced
from rag.model_settings import Boxes
from rag.prompting import load_prompt
from rag.visa import CONVENTIONS

SCALE = 1000


def export(gold: Gold, out: Path, boxes: Boxes = "relative_1000") -> int:
    """Write a data set that `evaluation.tasks.visa` read as conversations, and count them; `boxes`: how."""
    with out.open("w", encoding="utf-8") as file:
        for question in gold.questions:
            files = [str(gold.files[document]) for document in question.documents]
            file.write(json.dumps(conversation(question, files, boxes), ensure_ascii=False) + "\n")
    return len(gold.questions)


def conversation(question: Question, files: Sequence[str], boxes: Boxes) -> dict[str, Any]:
    """The conversation of a question; `files` are its candidates' images, in order."""
    prompt = load_prompt("visa_answer", "question", "pages", "convention").filled(
        question=fenced(question.text), pages=len(files), convention=CONVENTIONS[boxes]
    )
    content: list[dict[str, str]] = []
    for number, file in enumerate(files, 1):
        content += [{"type": "text", "text": f"Page {number}:"}, {"type": "image", "image": file}]
    content.append({"type": "text", "text": prompt})
    said = {"role": "assistant", "content": [{"type": "text", "text": json.dumps(target(question, files, boxes))}]}
    return {"id": question.qid, "images": list(files), "messages": [{"role": "user", "content": content}, said]}


def target(question: Question, files: Sequence[str], boxes: Boxes) -> dict[str, Any]:
    """What the model is to say: the answer with its page and box, or that there is none."""
    if not question.boxes:
        return {"answerable": False, "answer": "", "page": 0, "box": [0, 0, 0, 0]}
    gold = question.boxes[0]
    width, height = (SCALE, SCALE)
    if boxes == "absolute_pixels":
        from PIL import Image

        with Image.open(files[gold.doc - 1]) as image:
            width, height = image.size
    x0, y0, x1, y1 = (min(max(v, 0.0), 1.0) for v in gold.bbox)
    corners = [round(x0 * width), round(y0 * height), round(x1 * width), round(y1 * height)]
    if boxes == "relative_1000_yx":
        corners = [corners[1], corners[0], corners[3], corners[2]]
    return {"answerable": True, "answer": question.answer, "page": gold.doc, "box": corners}
