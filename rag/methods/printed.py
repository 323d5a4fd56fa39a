"""Hold the sentences of a method against what their pages show, while the method makes its answer."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import lru_cache

from rag.attribution import in_step
from rag.events import Checked, Event
from rag.methods.protocol import Draft
from rag.types import Sentence


def as_printed(
    making: Generator[Event, None, Draft], hold: Callable[[Sentence], Sentence], *, at_once: bool
) -> Generator[Event, None, Draft]:
    """Yield the events of a method, each checked sentence as `hold` returns it; return the draft with the same.

    `at_once` says that the method does not wait for a model between its events: then sentences are held in step. A
    sentence of the draft is not held again: a page that cannot be drawn would be waited for twice.
    """
    held = lru_cache(None)(hold)
    made: list[Draft] = []

    def events() -> Generator[Event]:
        made.append((yield from making))

    def shown(event: Event) -> Event:
        return replace(event, sentence=held(event.sentence)) if isinstance(event, Checked) else event

    with closing(making):
        yield from in_step(events(), shown) if at_once else map(shown, events())
    (draft,) = made
    return replace(draft, sentences=tuple(map(held, draft.sentences)))
