"""Answers, checks, rankings and audits, with the places that they cite."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from indexing import Mode
from rag import MethodName, Verdict
from ui.web.messages.records import ApiRecord, Box


class CitationRecord(ApiRecord):
    """A place that is cited for a sentence; its `role` says what it proves."""

    document: str
    doc_id: str
    page: int
    kind: str
    bbox: Box
    boxes: list[Box] = Field(description="the lines or cells that are cited of it")
    context: list[Box] = Field(description="the cells that explain them")
    quote: str = Field(description="the text of the document")
    label: str = Field(description="the evidence that it came from")
    element_id: str
    role: Literal["proves", "unconfirmed", "contradicts"] = Field(
        description="unconfirmed: the model points there, or it is the nearest place that was found"
    )
    against: bool = Field(description="true for a place that contradicts the sentence")
    place: str = Field(description="the place in a file without pages of its own, such as lines 3-7; empty for others")
    anchor: str | None = Field(None, description="the anchor, by which the place is found again after re-indexing")


class SentenceRecord(ApiRecord):
    """A sentence with its verdict."""

    text: str
    verdict: Verdict
    checked_by: Literal["", "words", "judge"] = Field(description="who confirmed it; empty if nobody did")
    reason: str
    answers: float | None = Field(description="the probability that it answers the question; null if not measured")
    beside: bool = Field(description="true for a passage beside the answer, which is not part of it")
    heading: str = Field("", description="the heading of a remark beside the answer, such as one on a disagreement")
    short: str | None = Field(description="the number, date or value that was clearly asked for")
    differs: str = Field(description="the words on the page, if they differ from the cited ones; otherwise empty")
    near_miss: str = Field("", description="the year of a quote, if another was asked for; otherwise empty")
    certainty: float | None = Field(description="the probability of the verdict; null if not measured")
    citations: list[CitationRecord]


class EvidenceRecord(ApiRecord):
    """A passage, table or figure that was found."""

    label: str
    document: str
    page: int
    kind: str
    bbox: Box
    score: float
    text: str
    element_id: str


class AnswerRecord(ApiRecord):
    """An answer, every sentence cited; without sentences these documents do not seem to say."""

    id: str | None = Field(None, description="the id for exporting it, for whoever asked, while it is kept")
    collection: str
    question: str
    mode: Mode
    method: MethodName
    model: str = Field(description="the name of the model that wrote it; empty for a quote")
    abstained: bool
    confidence: float
    sentences: list[SentenceRecord]
    evidence: list[EvidenceRecord]
    notes: list[str]
    nothing: str = Field("", description="why nothing could be searched, if known")
    missing: str = Field("", description="what is not on the pages that the model was shown, in its words")


class CheckRecord(AnswerRecord):
    """A text with each statement checked."""

    counts: dict[str, int] = Field(description="how many statements have each verdict")


class RankedPageRecord(ApiRecord):
    """A page that was found."""

    doc_id: str
    document: str
    number: int
    score: float


class QueryRecord(ApiRecord):
    """A query that was searched for."""

    text: str


class RankingRecord(ApiRecord):
    """The passages that bear on a question, best first."""

    collection: str
    question: str
    mode: Mode
    queries: list[QueryRecord]
    evidence: list[EvidenceRecord]
    pages: list[RankedPageRecord]
    notes: list[str]


class AuditedEntryRecord(ApiRecord):
    """An entry of a bibliography, and whether such a work exists."""

    number: int
    text: str
    status: Literal["real", "errors", "questionable", "invented", "unknown"]
    reason: str


class AuditRecord(ApiRecord):
    """The references of a paper, each judged."""

    paper: str
    references: list[AuditedEntryRecord]
    notes: list[str]
    counts: dict[str, int] = Field(description="how many entries have each status")


class AnchorRecord(ApiRecord):
    """The place that an anchor means today."""

    state: Literal["found", "placed", "changed"]
    says: str
    collection: str
    document: str
    doc_id: str
    sha256: str
    citation: CitationRecord | None
