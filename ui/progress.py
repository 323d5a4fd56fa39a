"""Progress of indexing on a terminal (a bar) or in a log (a line a file)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ui.sanitize import clean, shorten

if TYPE_CHECKING:
    from indexing import Progress as Moment

OnProgress = Callable[["Moment"], None]


@contextmanager
def shown_progress(stream: TextIO, quiet: bool = False) -> Iterator[OnProgress]:
    """A callback for `build_index` that shows each moment on `stream`; `quiet` writes to a terminal only."""
    if not stream.isatty():
        yield (lambda _: None) if quiet else _log(stream)
        return
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None, complete_style="green", finished_style="green"),
        MofNCompleteColumn(),
        TextColumn("pages  {task.fields[rate]}", markup=False),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as bar:
        task = bar.add_task("looking for documents", total=None, rate="")

        def show(moment: Moment) -> None:
            bar.update(
                task,
                description=shorten(moment.file, 32),
                completed=moment.pages_done,
                total=moment.pages_total or None,
                rate=f"{moment.pages_per_second:.1f}/s",
            )

        yield show


def _log(stream: TextIO) -> OnProgress:
    """A line when another file is taken in hand."""
    last = ""

    def show(moment: Moment) -> None:
        nonlocal last
        if moment.file != last:
            last = moment.file
            print(
                f"{clean(moment.file)}: file {min(moment.files_done + 1, moment.files_total)} of {moment.files_total},"
                f" {moment.pages_done} pages done, {moment.pages_per_second:.1f} pages/s",
                file=stream,
                flush=True,
            )

    return show
