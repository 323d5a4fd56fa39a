"""Compare the sentences of a method with the rendering of their pages, while the method answers."""

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
    """Yield the events of a method, with `hold` applied to each checked sentence; return such a draft.

    With `at_once` the method does not wait for a model between its events, and sentences are processed in parallel.
    `hold` is called once for each sentence, so that a page that cannot be drawn is not waited for twice.
    """
    hold_once = lru_cache(None)(hold)
    drafts: list[Draft] = []

    def events() -> Generator[Event]:
        drafts.append((yield from making))

    def hold_event(event: Event) -> Event:
        return replace(event, sentence=hold_once(event.sentence)) if isinstance(event, Checked) else event

    with closing(making):
        yield from in_step(events(), hold_event) if at_once else map(hold_event, events())
    (draft,) = drafts
    return replace(draft, sentences=tuple(map(hold_once, draft.sentences)))
