"""The progress of commands on a terminal (a bar, a line, an answer while it is written) or in a log (a line a file)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from rag import Answered
from ui.cli.terminal import render_sentence
from ui.show import Moment, clean, shorten

if TYPE_CHECKING:
    from indexing import Progress as IndexProgress
    from rag import Answer, Event

OnProgress = Callable[["IndexProgress"], None]
_LOG_SECONDS = 30.0
"""The seconds between two lines of a log about one file."""


@contextmanager
def graceful_end() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets, to be passed on as `cancel`: every finished document is kept."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event  # only the main thread can handle signals
        return
    before = signal.signal(signal.SIGTERM, lambda *_: event.set())
    try:
        yield event
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def status_line(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text as the last line of the terminal (stderr); without a terminal nothing."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with Live(console=console, transient=True, auto_refresh=False, redirect_stdout=False) as live:
        yield lambda text: live.update(Text(clean(text)), refresh=True)


@contextmanager
def shown_progress(stream: TextIO, quiet: bool = False) -> Iterator[OnProgress]:
    """Yield a callback for `build_index`: a bar on a terminal, else lines of a log on `stream` unless `quiet`."""
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

        def show(moment: IndexProgress) -> None:
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
    """Return a callback that writes a line when another file is begun, and every half minute of a long one."""
    last, written_at = "", 0.0

    def show(moment: IndexProgress) -> None:
        nonlocal last, written_at
        if _subject(moment) == last and written_at <= moment.seconds < written_at + _LOG_SECONDS:
            return
        last, written_at = _subject(moment), moment.seconds
        progress = f"file {min(moment.files_done + 1, moment.files_total)} of {moment.files_total}, {moment.pages_done}"
        if moment.pixels:
            progress = f"{moment.pages_done} of {moment.pages_total}"
        rest = ", ".join(filter(None, (f"{progress} pages done", speed(moment, " pages"), time_left(moment))))
        print(f"{clean(last)}: {rest}", file=stream, flush=True)

    return show


def _subject(moment: IndexProgress) -> str:
    """Return the name of the file that is being read, with `pixels: ` if its pixels are."""
    return f"pixels: {moment.file}" if moment.pixels else moment.file


def speed(moment: IndexProgress, unit: str = "") -> str:
    """Return the speed in pages per second, `1.5/s`, or per minute below one per second; `unit` is put before `/`."""
    rate = moment.pages_per_second
    return f"{rate:.1f}{unit}/s" if rate >= 1 or not rate else f"{60 * rate:.1f}{unit}/min"


def time_left(moment: IndexProgress) -> str:
    """Return the remaining time, `40 s left`, `12 min left` or `3.5 h left`; "" if it is not known."""
    seconds = moment.seconds_left
    if not seconds:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"


def follow_answer(events: Generator[Event], console: Console | None) -> Answer:
    """Consume the events, shown on the console if there is one, and return the answer. Ctrl-C ends the model's call."""
    moment = Moment()
    live = None
    if console is not None:
        live = Live(console=console, transient=True, auto_refresh=False, vertical_overflow="visible")
    with closing(events), live or nullcontext():
        for event in events:
            if isinstance(event, Answered):
                return event.answer
            moment = moment.after(event)
            if live is not None:
                live.update(Group(*moment_lines(moment, live.console.encoding)), refresh=True)
    raise AssertionError("an answer's events end with the answer")


def moment_lines(moment: Moment, encoding: str) -> list[Text]:
    """Return the sentences so far, checked ones with numbers and mark, others dimmed, and the present step."""
    so_far = moment.so_far
    sentences = [
        render_sentence(so_far, sentence, encoding) if number in moment.checked else Text(clean(sentence.text), "dim")
        for number, sentence in enumerate(so_far.sentences)
    ]
    dots = "\u2026" if "utf" in encoding.lower() else "..."
    return [*sentences, Text(f"{moment.doing}{dots}", style="dim")]
