"""An answer on the terminal while it is written: the present step, then its sentences, with numbers and marks.

All of it is replaced by the answer itself at the end.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from rag import Answered, Event
from ui.cli.terminal import render_sentence
from ui.show import Moment, clean

if TYPE_CHECKING:
    from rag import Answer


def follow(events: Generator[Event], console: Console | None) -> Answer:
    """Return the answer at the end of the events; a console shows them as they come. Ctrl-C ends the model's call."""
    with closing(events):
        if console is None:
            return _last(events)
        with Live(console=console, transient=True, auto_refresh=False, vertical_overflow="visible") as live:
            return _last(events, live)


def lines(moment: Moment, encoding: str) -> list[Text]:
    """Return the lines to show: the sentences, checked ones with their numbers and mark, the others paler.

    The present step follows.
    """
    so_far = moment.so_far
    sentences = [
        render_sentence(so_far, sentence, encoding) if number in moment.checked else Text(clean(sentence.text), "dim")
        for number, sentence in enumerate(so_far.sentences)
    ]
    dots = "\u2026" if "utf" in encoding.lower() else "..."
    return [*sentences, Text(f"{moment.doing}{dots}", style="dim")]


def _last(events: Generator[Event], live: Live | None = None) -> Answer:
    moment = Moment()
    for event in events:
        if isinstance(event, Answered):
            return event.answer
        moment = moment.after(event)
        if live is not None:
            live.update(Group(*lines(moment, live.console.encoding)), refresh=True)
    raise AssertionError("an answer's events end with the answer")
