"""The progress of reading records, on a terminal (a line that changes) or in a log (a line every half minute)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from ui.show import clean, shorten

if TYPE_CHECKING:
    from plugins.audit.auditing.sources import IndexProgress

EVERY = 30.0
"""The seconds between two lines of a log."""
_WIDTH = 79


@contextmanager
def shown_reading(
    stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[IndexProgress], None]]:
    """Yield a callback for `RecordIndex.add` that shows how far it is on `stream`."""
    terminal = stream.isatty()
    started = told = clock()
    file, before = "", 0

    def show(moment: IndexProgress) -> None:
        nonlocal started, told, file, before
        now = clock()
        if moment.file != file:
            file, before, started = moment.file, moment.read, now  # one that goes on has records of an earlier run
        line = f"{shorten(clean(moment.file), 32)}: {moment.read:,} records read, {moment.added:,} of them new"
        if now > started and moment.read > before:
            line += f", {(moment.read - before) / (now - started):,.0f} a second"
        if terminal:
            print(f"\r{line[:_WIDTH]:<{_WIDTH}}", end="", file=stream, flush=True)
        elif now - told >= EVERY:
            told = now
            print(line, file=stream, flush=True)

    try:
        yield show
    finally:
        if terminal and file:
            print(f"\r{' ' * _WIDTH}\r", end="", file=stream, flush=True)
