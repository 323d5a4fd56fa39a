"""`python -m tests.ui.pairs FOLDER`: the page of `vouch confirm` over pairs of a folder; `write` makes such pairs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tests.ui.served_page import ROOT, Served

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
    command = [sys.executable, "-m", "tests.ui.pairs", str(folder)]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as run,
    ):
        assert run.stdout is not None
        address = run.stdout.readline().strip().rstrip("/")
        assert address.startswith("http"), f"{address}\n{log.read_text()}"
        try:
            yield Served(address, log, folder, run.pid)
        finally:
            rest, _ = run.communicate(timeout=60)
        assert json.loads(rest) == [], "the page tried to reach another machine"


def main(folder: str) -> None:
    """Serve until stdin is closed."""
    from tests.support import network
    from ui.web.confirm import ReferencePairs, serve_pairs

    network.cut()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    say = sys.stdout
    say.write(serve_pairs(ReferencePairs(Path(folder)), port, block=False) + "\n")
    say.flush()
    sys.stdin.read()
    say.write(json.dumps(network.attempts))
    say.flush()


if __name__ == "__main__":
    main(sys.argv[1])
