"""The progress of an answer, as the page and the terminal show it while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from rag import Answer, Answered, Checked, Drafted, Event, Extracted, Planned, Searched, Sentence, Shown
from ui.show.sanitize import shorten
from ui.show.wording import MISSING_CHARS, count_of, pages_read

State = Literal["busy", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Moment:
    """The progress of an answer at one moment.

    `doing` is the present step. `drafted` are sentences by index from 0, `checked` those with verdicts;
    `visual_queries` are the image-seeking forms of the queries, in their order.
    """

    state: State = "busy"
    doing: str = "Waiting for its turn"
    drafted: dict[int, str] = field(default_factory=dict)
    checked: dict[int, Sentence] = field(default_factory=dict)
    answer: Answer | None = None
    error: str = ""
    visual_queries: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences so far, in order; one that is not checked yet is unconfirmed, with that reason."""
        if self.answer is not None:
            return self.answer.sentences
        return tuple(
            self.checked.get(n) or Sentence(self.drafted[n], (), "unconfirmed", "it is being checked")
            for n in sorted(self.drafted.keys() | self.checked.keys())
        )

    @property
    def so_far(self) -> Answer:
        """The answer or, while it is made, one that has only the sentences so far."""
        return self.answer or Answer("", "text", self.sentences, (), 0.0, {}, "")

    def after(self, event: Event) -> Moment:
        """Return the moment after `event`."""
        match event:
            case Planned(queries):
                return replace(self, doing=_step(event), visual_queries=tuple(query.text for query in queries.image))
            case Searched() | Extracted() | Shown():
                return replace(self, doing=_step(event))
            case Drafted(index, text, _):  # a model that begins anew takes back what came after
                checks = {n: s for n, s in self.checked.items() if n < index}
                drafts = {n: t for n, t in self.drafted.items() if n < index} | {index: text}
                return replace(self, drafted=drafts, checked=checks, doing="Writing")
            case Checked(index, sentence):
                return replace(self, checked=self.checked | {index: sentence}, doing="Checking each sentence")
            case Answered(answer):
                return replace(self, answer=answer, state="done", doing="")

    def end(self, state: State, error: str = "") -> Moment:
        """Return the last moment of an answer that ended before it was complete: stopped, or failed with `error`."""
        return replace(self, state=state, error=error, doing="")


def _step(event: Planned | Searched | Extracted | Shown) -> str:
    """Return the step that follows `event`, as the page displays it."""
    match event:
        case Planned(queries):
            return f"Searching in {count_of(len(queries.text), 'way')}"
        case Searched(evidence, _):
            return f"Reading {count_of(len(evidence), 'place')} in the documents"
        case Extracted(done, total):
            return f"Looking closely at place {done} of {total}"
        case Shown(pages, number, missing):
            again = f"Looking again for: {shorten(missing, MISSING_CHARS)}, " if number > 1 else ""
            return f"{again}{'reading' if again else 'Reading'} {pages_read(pages)}"
