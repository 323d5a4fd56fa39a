"""The events of an answer while it is made."""

from __future__ import annotations

from pydantic import BaseModel

from ui.web.messages.answers import AnswerRecord, EvidenceRecord, QueryRecord, RankedPageRecord, SentenceRecord
from ui.web.messages.records import ApiRecord, ProblemRecord


class PlannedEvent(ApiRecord):
    """The queries that are searched for."""

    queries: list[QueryRecord]


class SearchedEvent(ApiRecord):
    """The evidence and the pages that were found."""

    evidence: list[EvidenceRecord]
    pages: list[RankedPageRecord]


class ExtractedEvent(ApiRecord):
    """The progress of taking notes."""

    done: int
    total: int
    problem: str


class ShownEvent(ApiRecord):
    """The pages that the model is shown, in a round from 1; a later round looks for what was missing."""

    pages: list[RankedPageRecord]
    number: int
    looking_for: str


class DraftedEvent(ApiRecord):
    """A sentence as it was written, not checked yet; an index that comes again replaces it and all after it."""

    index: int
    text: str
    labels: list[str]


class CheckedEvent(ApiRecord):
    """A sentence with its verdict and its citations."""

    index: int
    sentence: SentenceRecord


STREAMED: dict[str, type[BaseModel]] = {
    "planned": PlannedEvent,
    "searched": SearchedEvent,
    "extracted": ExtractedEvent,
    "shown": ShownEvent,
    "drafted": DraftedEvent,
    "checked": CheckedEvent,
    "answered": AnswerRecord,
    "failed": ProblemRecord,
}
"""The data of each event of an answer, by its name; `answered` or `failed` is the last."""
