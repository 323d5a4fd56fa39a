"""The page of `vouch confirm` over pairs of a folder; `write` makes such pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tests.support import network
from tests.ui.forked import Served, forked, free_port

_KINDS = (("a", "text", "", 1, 0.1), ("b", "text", "", 1, 0.4), ("c", "figure", "Figure 2", 2, 0.3))


def pair(number: int) -> dict[str, Any]:
    """Return a pair tied to the first of three parts, on two pages."""
    choices = [
        {"id": name, "page": page, "kind": kind, "name": title, "text": f"The fan turns slowly in part {name}. " * 6,
         "box": [0.15, top, 0.85, top + 0.2], "image": f"pages/d-{page}.webp"}
        for name, kind, title, page, top in _KINDS
    ]  # fmt: skip
    return {
        "id": f"p{number}",
        "question_type": "explanation",
        "question": f"How slowly may the fan of kiln {number} turn before the grain spoils?",
        "answer": "At half speed the grain lost no more than the error of weighing, in two winters on eleven farms.",
        "reference": f"Section {number}.1",
        "document": "kilns.pdf",
        "part": "a",
        "choices": choices,
    }


def write(folder: Path, count: int) -> Path:
    """Write pairs p1, p2, ... and the images of their pages into a folder, and return it."""
    (folder / "pages").mkdir(exist_ok=True)
    for page in (1, 2):
        image = Image.new("RGB", (600, 780), "white")
        draw = ImageDraw.Draw(image)
        for line in range(30):
            draw.rectangle((90, 60 + 22 * line, 500 - 40 * (line % 4 == 3), 68 + 22 * line), fill=(150, 150, 150))
        image.save(folder / "pages" / f"d-{page}.webp")
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair(n)) + "\n" for n in range(1, count + 1)))
    return folder


@contextmanager
def serving_pairs(folder: Path, log: Path) -> Iterator[Served]:
    """A page over the pairs of a folder, in a process of its own."""
    with forked(_serve, log, folder, {"folder": folder}) as page:
        yield page


def _serve(listening: Callable[[str], None], folder: Path) -> None:
    from ui.web.confirm import ReferencePairs, serve_pairs

    network.cut()
    listening(serve_pairs(ReferencePairs(folder), free_port(), block=False))
