"""An answer on the terminal while it is written: what is being done, then its sentences, each with its verdict's mark.

All of it gives way to the answer itself, which stands there at the end.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Retrieved
from ui.sanitize import clean
from ui.terminal import mark
from ui.wording import counted

if TYPE_CHECKING:
    from rag import Answer, Sentence


def told(events: Generator[Event], console: Console | None) -> Answer:
    """The answer at the end of the events; on a console they are shown as they come. Ctrl-C ends the model's call."""
    with closing(events):
        if console is None:
            return _last(events, Progress())
        with Live(console=console, transient=True, auto_refresh=False, vertical_overflow="visible") as live:
            return _last(events, Progress(), live)


@dataclass(slots=True)
class Progress:
    """How far an answer is: what is being done, the drafted sentences, and those that are checked, by number from 0."""

    doing: str = "Searching"
    drafts: list[str] = field(default_factory=list)
    checked: dict[int, Sentence] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Take an event in. A sentence whose number was there replaces that and all after it."""
        if isinstance(event, Planned):
            self.doing = f"Searching in {counted(len(event.queries.text), 'way')}"
        elif isinstance(event, Retrieved):
            self.doing = f"Reading {counted(len(event.evidence), 'passage')}"
        elif isinstance(event, Extracted):
            self.doing = f"Looking closely at passage {event.done} of {event.total}"
        elif isinstance(event, Drafted):
            self.drafts[event.index :] = [event.text]
            self.checked = {n: s for n, s in self.checked.items() if n < event.index}
            self.doing = "Writing"
        elif isinstance(event, Checked):
            self.checked[event.index] = event.sentence

    def lines(self, encoding: str) -> list[Text]:
        """What is shown."""
        shown = []
        for number, text in enumerate(self.drafts):
            sentence = self.checked.get(number)
            line = Text(clean(text), style="" if sentence else "dim")
            if sentence:
                line.append_text(mark(sentence, encoding))
            shown.append(line)
        return [*shown, Text(f"{self.doing}\u2026" if "utf" in encoding.lower() else f"{self.doing}...", style="dim")]


def _last(events: Generator[Event], progress: Progress, live: Live | None = None) -> Answer:
    for event in events:
        if isinstance(event, Answered):
            return event.answer
        progress.add(event)
        if live is not None:
            live.update(Group(*progress.lines(live.console.encoding)), refresh=True)
    raise AssertionError("an answer's events end with the answer")
