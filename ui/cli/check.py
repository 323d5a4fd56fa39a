"""`vouch check`: a text that somebody else wrote, read from a file or from standard input, with its progress."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag import Answer, Answered, Checked, Drafted, Event
from ui.cli.progress import status_line
from ui.errors import TextUnreadable
from ui.show import clean, counted

if TYPE_CHECKING:
    from indexing import IndexingSettings
    from rag import Sentence
    from rag.manuscripts import Manuscript

_MOST_INPUT = 200_000_000
"""The most bytes that are taken from standard input; what is text among them has a lower limit."""


@contextmanager
def text_file(path: str) -> Iterator[Path]:
    """Yield the path of a text; standard input, for `-`, is kept in a file that is deleted afterwards.

    Raises TextUnreadable for an input that cannot be read, or is too large.
    """
    if path != "-":
        yield Path(path)
        return
    from rag.manuscripts import suffix_of

    try:
        data = sys.stdin.buffer.read(_MOST_INPUT + 1)
    except (OSError, ValueError) as error:
        raise TextUnreadable(f"standard input: cannot be read ({error}): name a file") from None
    if len(data) > _MOST_INPUT:
        raise TextUnreadable(f"standard input: more than {_MOST_INPUT // 1_000_000} MB: check it in parts")
    with tempfile.TemporaryDirectory(prefix="vouch-") as folder:
        text_path = Path(folder) / f"input{suffix_of(data)}"
        text_path.write_bytes(data)
        yield text_path


def read_text(path: Path, name: str, password: str | None, settings: IndexingSettings, *, quiet: bool) -> Manuscript:
    """Return the content of a file. Raises ManuscriptUnreadable, FileError."""
    from rag.manuscripts import read_manuscript

    with status_line(quiet=quiet) as status:
        return read_manuscript(
            path,
            password,
            name=name,
            settings=settings,
            on_page=lambda done, total: status(f"reading: page {done}/{total}"),
        )


def follow_check(events: Generator[Event], name: str, settings_hash: str, *, quiet: bool) -> tuple[Answer, bool]:
    """Return the checked text, and True if Ctrl-C stopped it: then it has only the statements checked so far.

    Its heading is the question, or `name`. Ctrl-C before the first statement ends all.
    """
    drafted = 0
    sentences: list[Sentence] = []
    answer: Answer | None = None
    stopped = False
    try:
        with closing(events), status_line(quiet=quiet) as status:
            for event in events:
                if isinstance(event, Answered):
                    answer = event.answer
                elif isinstance(event, Checked):
                    sentences.append(event.sentence)
                drafted += isinstance(event, Drafted)
                if drafted and answer is None:
                    status(f"checking statements: {len(sentences)}/{drafted}")
    except KeyboardInterrupt:
        if not sentences:
            raise
        stopped = answer is None
    if answer is None:
        note = f"Stopped: {counted(len(sentences), 'statement')} of {drafted} checked, the rest is as it was."
        answer = Answer("", "text", tuple(sentences), (), 0.0, {}, settings_hash, method="vanilla", notes=(note,))
    return replace(answer, question=answer.question or f"Check of {clean(name)}"), stopped
