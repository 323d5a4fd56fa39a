"""Compare the sentences of a method with the rendering of their pages, while the method answers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import lru_cache

from rag.attribution import compare_in_order
from rag.events import Checked, Event
from rag.methods.protocol import Draft
from rag.types import Sentence


def as_printed(
    making: Generator[Event, None, Draft], compare: Callable[[Sentence], Sentence], *, at_once: bool
) -> Generator[Event, None, Draft]:
    """Yield the events of a method, with `compare` applied to each checked sentence; return the draft with these.

    With `at_once` the method does not wait for a model between its events, and sentences are processed in parallel.
    `compare` is called once for each sentence, so that a page that cannot be drawn is not waited for twice.
    """
    compare_once = lru_cache(None)(compare)
    drafts: list[Draft] = []

    def events() -> Generator[Event]:
        drafts.append((yield from making))

    def compare_event(event: Event) -> Event:
        return replace(event, sentence=compare_once(event.sentence)) if isinstance(event, Checked) else event

    with closing(making):
        yield from compare_in_order(events(), compare_event) if at_once else map(compare_event, events())
    (draft,) = drafts
    return replace(draft, sentences=tuple(map(compare_once, draft.sentences)))
