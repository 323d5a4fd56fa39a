"""The JSON messages in responses: answers and the places that they cite, collections, jobs, events, problems."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from indexing import Mode
from rag import MethodName, Verdict

Box = Annotated[
    list[float], Field(min_length=4, max_length=4, description="left, top, right, bottom in fractions of the page")
]


class ApiRecord(BaseModel):
    """A part of a response; a later version may have more fields."""

    model_config = ConfigDict(extra="allow")


class ListPart(ApiRecord):
    """A part of a list."""

    next_cursor: str | None = Field(description="the cursor of the next part; null at the end")


_Record = TypeVar("_Record", bound=BaseModel)


def record_of(model: type[_Record], value: object) -> _Record:
    """Return plain values as a record; a lone surrogate becomes a question mark."""
    return model.model_validate_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


class FaultRecord(ApiRecord):
    """A fault of a request."""

    at: str = Field(description="the place of the fault: a key, a parameter")
    says: str = Field(description="the fault, in words")


class ProblemRecord(ApiRecord):
    """A problem, as RFC 9457 has it, with the next step."""

    type: str = Field(description="the kind of the problem, as a URN")
    title: str = Field(description="the kind of the problem, in words")
    status: int = Field(description="the status of the answer")
    detail: str = Field(description="the reason")
    next: str = Field(description="the next step")
    errors: list[FaultRecord] = Field([], description="the single faults of the request, each with its place")


class StartRecord(ApiRecord):
    """The start of the API."""

    version: str | None = Field(description="the version of Vouch; null for who has not logged in")
    description: str = Field(description="the address of the description, OpenAPI 3.1")
    collections: str
    jobs: str


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


class CollectionRecord(ApiRecord):
    """A collection at a glance."""

    name: str
    documents: int
    pages: int
    elements: int
    bytes: int = Field(description="the bytes on disk")
    embedder: str
    visual: str
    changed: str = Field(description="when a document was last added, in ISO form; empty for an empty collection")
    trouble: str = Field("", description="why it cannot be opened; empty if it can")


class CollectionList(ListPart):
    """Collections, by name."""

    items: list[CollectionRecord]


class DocumentRecord(ApiRecord):
    """A document of a collection."""

    id: str
    name: str
    title: str
    pages: int
    elements: int
    bytes: int
    sha256: str
    indexed_at: str
    failed_pages: list[int]
    brought_by: str = Field(description="the account that uploaded it; empty if none")
    metadata: dict[str, Any] = Field(description="date, author, tags, language and so on, as far as known")


class DocumentList(ListPart):
    """Documents, the oldest first."""

    items: list[DocumentRecord]


class ElementRecord(ApiRecord):
    """A piece of a page that can be cited."""

    id: str
    kind: str
    text: str
    bbox: Box
    source: str = Field(description="layer: the text of the file; ocr: its pixels; file: its name and description")
    section: list[str] = Field(description="the headings above it")
    caption: str
    parts: list[str] = Field(description="the ids of a group's members")
    place: str


class PageRecord(ApiRecord):
    """A page with the elements on it, groups last."""

    document: str
    number: int
    width: float = Field(description="in points of the displayed page")
    height: float = Field(description="in points of the displayed page")
    rotation: int
    label: str = Field(description="the number that the document gives it; empty if none")
    failed: bool = Field(description="true if it could not be read")
    elements: list[ElementRecord]


JobState = Literal["queued", "running", "done", "failed", "cancelled"]
FileState = Literal["waiting", "reading", "done", "failed", "cancelled", "forgotten"]


class FileRecord(ApiRecord):
    """A file of a job."""

    name: str
    state: FileState
    page: int = Field(description="the pages read so far")
    pages: int = Field(description="all pages; 0 while unknown")
    bytes: int
    note: str = Field(description="the outcome, or the reason")
    document: str | None = Field(description="the id of the document, once it is read; null for an archive")


class JobRecord(ApiRecord):
    """A job: files on their way into a collection."""

    id: str
    collection: str
    state: JobState = Field(
        description="failed: at least one file failed; cancelled: at least one was cancelled, and none failed"
    )
    created: str
    files: list[FileRecord]
    progress: float = Field(ge=0, le=1, description="the finished share")


class JobList(ListPart):
    """Jobs of the caller, the newest first."""

    items: list[JobRecord]


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
