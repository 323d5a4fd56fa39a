"""CiteVQA's conversations as training data: pages and a question in, an answer with `<bbox/>` out.

`vouch eval construct citevqa --sft FILE` writes them. A prompt is trained on as it stands in its line, and every reply
is read as an answer in CiteVQA's form: each of its tags is of a page that the prompt shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.tasks import of
from plugins.research.construct.citevqa import cited_request
from plugins.research.finetune.parts import opened, single_text
from rag import read_citevqa
from rag.llm import Message, ModelSettings, fitted

_NAME = re.compile(r"(?:Document (\d{1,4}), page|Page) (\d{1,6}):")


@dataclass(frozen=True, slots=True)
class CitedExample:
    """A question about pages, with its cited answer; `content` are the texts and image files of the prompt, in order.

    Its boxes are thousandths of whole pages, so that its pages are never cropped.
    """

    name: str
    content: tuple[str | Path, ...]
    answer: str

    def reply(self, settings: ModelSettings) -> str:  # noqa: ARG002  the same for every model
        """Return the reply that a model is to give."""
        return self.answer

    def asked(self, settings: ModelSettings) -> Message:
        """Return the user's message to a model with these settings, its images as sent. Raises CannotTrain."""
        parts = (part if isinstance(part, str) else fitted(opened(part), settings) for part in self.content)
        return Message("user", tuple(parts))


def read_cited(row: Mapping[str, Any], folder: Path) -> CitedExample:
    """Return a line as an example; its images are looked for from `folder`. Raises ValueError, which says why not."""
    name, question = str(of(row, "id", object)), of(row, "question", str)
    images, messages = of(row, "images", list), of(row, "messages", list)
    if [m.get("role") if isinstance(m, Mapping) else m for m in messages] != ["user", "assistant"]:
        raise ValueError("it does not consist of one message of the user and one of the assistant")
    content = messages[0].get("content")
    names = _names(content)
    if not names or len(names) != len(images) or content != cited_request(question, names, list(map(str, images))):
        raise ValueError(
            "its prompt is not the one that `vouch eval construct` writes: export it again with this version"
        )
    answer = single_text(messages[1].get("content"))
    reading = read_citevqa(answer)
    if reading.skipped:
        raise ValueError(f"a tag of its reply cannot be read: {reading.skipped[0]}")
    places = {_place(name) for name in names}
    regions = [region for statement in reading.statements for region in statement.regions]
    if not regions or any((region.doc, region.page) not in places for region in regions):
        raise ValueError("its reply cites no page, or a page that its prompt does not show")
    if "<|" in answer or "<|" in question:
        raise ValueError("it contains what may be a token of a chat template (<|)")
    if missing := next((image for image in images if not (folder / str(image)).is_file()), None):
        raise ValueError(
            f"its image {folder / str(missing)} is missing: image paths are relative to the folder of the file"
        )
    parts = tuple(part["text"] if "text" in part else folder / part["image"] for part in content)
    return CitedExample(name, parts, answer)


def _names(content: object) -> list[str]:
    """Return the names of the pages of a prompt."""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    return [text for text in texts if isinstance(text, str) and _NAME.fullmatch(text)]


def _place(name: str) -> tuple[int, int]:
    """Return document and page, from 1, of the name of a page."""
    found = _NAME.fullmatch(name)
    return (int(found[1] or 1), int(found[2])) if found else (0, 0)
