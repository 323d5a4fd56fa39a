"""The training data of `plugins.research.finetune`: lines that `vouch eval construct --sft` wrote, read and checked.

Lines of the forms visa and citevqa may stand in one file. Of VISA, every reply is read by the code of method visa, and
every prompt is the one that it asks; boxes are written in the way of the model that is trained: lines exported for
another model are rewritten for it. Of CiteVQA, a prompt is trained on as it stands in its line, and every reply is read
as an answer with `<bbox/>`, each tag of a page that the prompt shows. A line that is not whole is named and left out.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from evaluation.tasks import of, reason, rows_of, text_of
from indexing import BBox
from plugins.research.construct import crops, sft
from plugins.research.construct.citevqa import cited_request
from plugins.research.errors import CannotTrain
from rag import ReplyUnusable, read_citevqa
from rag.llm import Boxes, Message, ModelSettings, fit_image, sent_size
from rag.methods.visa import boxes as visa

if TYPE_CHECKING:
    from PIL import Image


def single_text(content: Any) -> str:
    """Return the one text of a message. Raises ValueError."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], Mapping):
        content = content[0].get("text")
    if not isinstance(content, str):
        raise ValueError("its reply is not a single text")  # noqa: TRY004
    return content


def opened(file: Path) -> Image.Image:
    """Open an image, decoded, in RGB. Raises CannotTrain."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            return image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise CannotTrain(f"the image {file} cannot be read ({error}): export it again") from None


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
        parts = (part if isinstance(part, str) else fit_image(opened(part), settings) for part in self.content)
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


MOST_PAGES = 64
NAMED = 20
"""The most problems that are told of one by one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question about page images, with its answer; `page`, from 1, and `box` are of the page that answers, if any.

    `sizes` are width and height of the images in pixels: of the whole files or, where `windows` cut them, of these.
    """

    name: str
    question: str
    files: tuple[Path, ...]
    sizes: tuple[sft.Size, ...]
    answer: str = ""
    page: int = 0
    box: BBox | None = None
    windows: tuple[crops.Window, ...] = ()

    def reply(self, settings: ModelSettings) -> str:
        """Return the reply that a model with these settings is to give."""
        sent = [sent_size(*size, settings) for size in self.sizes]
        box = self.box.as_tuple() if self.box else None
        return sft.reply(sft.said(self.answer, self.page, box, sent, settings.boxes))

    def asked(self, settings: ModelSettings) -> Message:
        """Return the message of method visa to a model with these settings, its images as sent. Raises CannotTrain."""
        images = [fit_image(image, settings) for image in self.images()]
        return Message("user", visa.prompt_parts(self.question, images, settings.boxes))

    def images(self) -> list[Image.Image]:
        """Return the images, RGB, cut to their windows where there are any. Raises CannotTrain."""
        whole = [opened(file) for file in self.files]
        return [i.crop(w) for i, w in zip(whole, self.windows, strict=True)] if self.windows else whole


Conversation = Example | CitedExample
"""A line that can be trained on."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The examples of a file, the problems of unusable lines, and the sha256 of the file."""

    examples: tuple[Conversation, ...]
    problems: tuple[str, ...]
    sha256: str


def read(path: Path, limit: int | None = None) -> Lines:
    """Read the examples of a file, the first `limit` of those that can be used.

    Raises GoldUnreadable when there is no such file, and CannotTrain when none of its lines can be used.
    """
    text, digest = text_of(path)
    examples: list[Conversation] = []
    problems: list[str] = []
    seen: dict[Path, sft.Size] = {}
    for where, row in rows_of(path, text):
        if len(examples) == limit:
            break
        try:
            cited = isinstance(row, Mapping) and "boxes" not in row
            examples.append(read_cited(row, path.parent) if cited else _example(row, path.parent, seen))
        except (ValueError, RecursionError) as error:
            problems.append(f"{where}: {reason(error)}")
    if not examples:
        why = "\n  ".join(problems[:10]) or "it is empty"
        raise CannotTrain(
            f"{path}: contains no conversation to train on (`vouch eval construct --sft FILE` writes them):\n  {why}"
        )
    seal = hashlib.sha256(
        f"{digest} {limit} {[e.sizes for e in examples if isinstance(e, Example)]}".encode()
    ).hexdigest()
    return Lines(tuple(examples), tuple(problems), seal)


def split(lines: Lines, share: float, seed: int) -> tuple[tuple[Conversation, ...], tuple[Conversation, ...]]:
    """Split off, by chance, a share to validate with; each part keeps at least one example. Raises CannotTrain."""
    count = max(1, round(share * len(lines.examples)))
    if count >= len(lines.examples):
        raise CannotTrain(
            f"--validation {share:g} leaves none of {len(lines.examples)} conversations to train on: make "
            "more, or validate on fewer"
        )
    chosen = set(random.Random(seed).sample(range(len(lines.examples)), count))  # noqa: S311  a sample, no secret
    kept = tuple(e for n, e in enumerate(lines.examples) if n not in chosen)
    return kept, tuple(e for n, e in enumerate(lines.examples) if n in chosen)


def told(lines: Lines) -> Iterator[str]:
    """Yield lines that name what was left out."""
    yield from (f"left out: {problem}" for problem in lines.problems[:NAMED])
    if len(lines.problems) > NAMED:
        yield f"left out: {len(lines.problems) - NAMED} more"


def _example(row: Any, folder: Path, seen: dict[Path, sft.Size]) -> Example:
    """Return a line as an example. Raises ValueError, which says what is wrong with it."""
    name, question = str(of(row, "id", object)), of(row, "question", str)
    boxes: Boxes = of(row, "boxes", str)
    if boxes not in get_args(Boxes):
        raise ValueError(f"its boxes are {boxes!r}, none of {', '.join(get_args(Boxes))}")
    images, messages = of(row, "images", list), of(row, "messages", list)
    if not 1 <= len(images) <= MOST_PAGES:
        raise ValueError(f"has {len(images)} images, expected 1 to {MOST_PAGES}")
    sizes = [_size(value) for value in of(row, "sizes", list)]
    if len(sizes) != len(images):
        raise ValueError(f"has {len(sizes)} sizes for {len(images)} images")
    if [m.get("role") if isinstance(m, Mapping) else m for m in messages] != ["user", "assistant"]:
        raise ValueError("it does not consist of one message of the user and one of the assistant")
    if messages[0].get("content") != sft.asked(question, images, boxes):
        raise ValueError("its prompt is not the one of method visa: export it again with this version")
    files = tuple(folder / str(image) for image in images)
    real = tuple(_looked_at(file, seen) for file in files)
    try:
        answer, page, bbox = visa.read_answer(single_text(messages[1].get("content")), sizes, boxes)
    except ReplyUnusable as error:
        raise ValueError(f"its reply cannot be read: {error}") from None
    if page and bbox is None:
        raise ValueError("the box in its reply does not lie on that page")
    return Example(name, question, files, real, answer, page, bbox)


def _size(value: Any) -> sft.Size:
    """Read width and height. Raises ValueError."""
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not all(isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= 9999 for v in value)
    ):
        raise ValueError(f"{value!r} is not a size: expected width and height, 1 to 9999 pixels")
    return value[0], value[1]


def _looked_at(file: Path, seen: dict[Path, sft.Size]) -> sft.Size:
    """Return width and height of an image file that can be decoded. Raises ValueError."""
    if file not in seen:
        if not file.is_file():
            raise ValueError(f"its image {file} is missing: image paths are relative to the folder of the file")
        try:
            seen[file] = opened(file).size
        except CannotTrain as error:
            raise ValueError(str(error)) from None
    return seen[file]
