"""The progress of indexing on a terminal (a bar) or in a log (a line a file)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from ui.show import clean, shorten

if TYPE_CHECKING:
    from indexing import Progress as Moment

OnProgress = Callable[["Moment"], None]
EVERY = 30.0
"""The seconds between two lines of a log about one file."""


@contextmanager
def shown_progress(stream: TextIO, quiet: bool = False) -> Iterator[OnProgress]:
    """Yield a callback for `build_index` that shows each moment on `stream`; `quiet` writes to a terminal only."""
    if not stream.isatty():
        yield (lambda _: None) if quiet else _log(stream)
        return
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None, complete_style="green", finished_style="green"),
        MofNCompleteColumn(),
        TextColumn("pages  {task.fields[rate]}", markup=False),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as bar:
        task = bar.add_task("looking for documents", total=None, rate="", left="")

        def show(moment: Moment) -> None:
            bar.update(
                task,
                description=shorten(_subject(moment), 32),
                completed=moment.pages_done,
                total=moment.pages_total or None,
                rate=speed(moment),
                left=time_left(moment),
            )

        yield show


def _log(stream: TextIO) -> OnProgress:
    """Write a line when another file is begun, and every half minute of a long one."""
    last, told = "", 0.0

    def show(moment: Moment) -> None:
        nonlocal last, told
        if _subject(moment) != last or moment.seconds - told >= EVERY or moment.seconds < told:
            last, told = _subject(moment), moment.seconds
            done = f"file {min(moment.files_done + 1, moment.files_total)} of {moment.files_total}, {moment.pages_done}"
            if moment.pixels:
                done = f"{moment.pages_done} of {moment.pages_total}"
            print(
                f"{clean(_subject(moment))}: {done} pages done, {speed(moment, ' pages')}"
                f"{', ' if time_left(moment) else ''}{time_left(moment)}",
                file=stream,
                flush=True,
            )

    return show


def _subject(moment: Moment) -> str:
    """Say what is read at a moment: a file, or what pages look like, for which there is one line of a log."""
    return f"pixels: {moment.file}" if moment.pixels else moment.file


def speed(moment: Moment, unit: str = "") -> str:
    """Return pages a second, or a minute where it takes a model seconds to look at one."""
    rate = moment.pages_per_second
    return f"{rate:.1f}{unit}/s" if rate >= 1 or not rate else f"{60 * rate:.1f}{unit}/min"


def time_left(moment: Moment) -> str:
    """Return the time still to go, when that is known: 40 s left, 12 min left, 3.5 h left."""
    seconds = moment.seconds_left
    if not seconds:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"
