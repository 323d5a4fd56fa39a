"""An answer on the terminal while it is written: what is done, then its sentences, with numbers and marks.

All of it gives way to the answer itself, which stands there at the end.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from rag.events import Answered, Event
from ui.sanitize import clean
from ui.terminal import marked
from ui.turns import Moment

if TYPE_CHECKING:
    from rag import Answer


def told(events: Generator[Event], console: Console | None) -> Answer:
    """The answer at the end of the events; on a console they are shown as they come. Ctrl-C ends the model's call."""
    with closing(events):
        if console is None:
            return _last(events)
        with Live(console=console, transient=True, auto_refresh=False, vertical_overflow="visible") as live:
            return _last(events, live)


def lines(moment: Moment, encoding: str) -> list[Text]:
    """What is shown: the sentences, those that are checked with their numbers and mark, the others paler; then what is
    being done.
    """
    so_far = moment.so_far
    shown = [
        marked(so_far, sentence, encoding) if number in moment.checked else Text(clean(sentence.text), "dim")
        for number, sentence in enumerate(so_far.sentences)
    ]
    dots = "\u2026" if "utf" in encoding.lower() else "..."
    return [*shown, Text(f"{moment.doing}{dots}", style="dim")]


def _last(events: Generator[Event], live: Live | None = None) -> Answer:
    moment = Moment()
    for event in events:
        if isinstance(event, Answered):
            return event.answer
        moment = moment.after(event)
        if live is not None:
            live.update(Group(*lines(moment, live.console.encoding)), refresh=True)
    raise AssertionError("an answer's events end with the answer")
