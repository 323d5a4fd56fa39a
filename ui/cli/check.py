"""`vouch check`: a text that somebody else wrote, read from a file or from standard input, with its progress."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag import Answer, Answered, Checked, Drafted, Event
from ui.errors import TextUnreadable
from ui.show import clean, counted

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from rag import Sentence
    from rag.manuscripts import Manuscript

MOST_INPUT = 200_000_000
"""The most bytes that are taken from standard input; what is text among them has a lower limit."""


@contextmanager
def text_file(path: str) -> Iterator[Path]:
    """Yield the path of a text; standard input, for `-`, is kept in a file that is gone afterwards.

    Raises TextUnreadable for an input that cannot be read, or is too large.
    """
    if path != "-":
        yield Path(path)
        return
    from rag.manuscripts import suffix_of

    try:
        data = sys.stdin.buffer.read(MOST_INPUT + 1)
    except (OSError, ValueError) as error:
        raise TextUnreadable(f"standard input: cannot be read ({error}): name a file") from None
    if len(data) > MOST_INPUT:
        raise TextUnreadable(f"standard input: more than {MOST_INPUT // 1_000_000} MB: check it in parts")
    with tempfile.TemporaryDirectory(prefix="vouch-") as folder:
        text_path = Path(folder) / f"input{suffix_of(data)}"
        text_path.write_bytes(data)
        yield text_path


def read_text(path: Path, name: str, password: str | None, settings: IndexingSettings, *, quiet: bool) -> Manuscript:
    """Return what a file says; its pages are counted on a terminal's stderr. Raises ManuscriptUnreadable, FileError."""
    from rag.manuscripts import read_manuscript

    shows_progress = not quiet and sys.stderr.isatty()

    def print_progress(done: int, total: int) -> None:
        print(f"\rreading: page {done}/{total} ", end="", file=sys.stderr, flush=True)

    try:
        if shows_progress:
            return read_manuscript(path, password, name=name, settings=settings, on_page=print_progress)
        return read_manuscript(path, password, name=name, settings=settings)
    finally:
        _wipe(shown=shows_progress)


def follow_check(events: Generator[Event], name: str, settings_hash: str, *, quiet: bool) -> tuple[Answer, bool]:
    """Return the checked text, and True if Ctrl-C stopped it: then it has only the statements checked so far.

    It has its question, or `name`, at its head. The progress goes to a terminal's stderr. Ctrl-C before the first
    statement ends all.
    """
    shows_progress = not quiet and sys.stderr.isatty()
    total = 0
    sentences: list[Sentence] = []
    answer: Answer | None = None
    stopped = False
    try:
        with closing(events):
            for event in events:
                if isinstance(event, Answered):
                    answer = event.answer
                elif isinstance(event, Checked):
                    sentences.append(event.sentence)
                total += isinstance(event, Drafted)
                if shows_progress and total and answer is None:
                    print(f"\rchecking statements: {len(sentences)}/{total} ", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        if not sentences:
            raise
        stopped = answer is None
    _wipe(shown=shows_progress)
    if answer is None:
        note = f"Stopped: {counted(len(sentences), 'statement')} of {total} checked, the rest is as it was."
        answer = Answer("", "text", tuple(sentences), (), 0.0, {}, settings_hash, method="vanilla", notes=(note,))
    return replace(answer, question=answer.question or f"Check of {clean(name)}"), stopped


def with_places(told: dict[str, Any], manuscript: Manuscript) -> dict[str, Any]:
    """Return the JSON of a checked text with the place of each statement, and the notes of how it was read."""
    for sentence, statement in zip(told["sentences"], manuscript.statements, strict=False):
        sentence["place"] = statement.to_json()
    return told | {"form": manuscript.form, "notes": [*manuscript.notes, *told["notes"]]}


def _wipe(*, shown: bool) -> None:
    """Take the line of the progress away."""
    if shown:
        print(f"\r{' ' * 40}\r", end="", file=sys.stderr, flush=True)
