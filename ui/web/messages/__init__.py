"""The JSON messages of the HTTP API: requests, responses, and the events of an answer.

`vouch.client` reads the responses, too. Boxes are left, top, right, bottom in fractions of the displayed page; pages
count from 1.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from configs import exports, known_name
from indexing import COLLECTION_NAME, Mode
from rag import MethodName, Verdict

MOST_SHOWN = 200
"""The most things of a list that are told at a time."""
MOST_CHARS = 400_000
"""The most characters of a text to be checked, and of entries to be audited."""


def _whole(value: object) -> object:
    """Return 3 for 3.0, which is the same number in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_Whole = Annotated[int, BeforeValidator(_whole)]


class ApiRequest(BaseModel):
    """A body that programs send: an unknown key, or a value of another type, is refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Asked(BaseModel):
    """A query of an address, which is text."""

    model_config = ConfigDict(extra="forbid")


_Where = Annotated[
    str | None,
    Field(min_length=1, max_length=2000, description="a filter that documents must match, such as kind=pdf"),
]
_Documents = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=1000)]],
    Field(max_length=100, description="only these documents, by name or id; all when empty"),
]


class ListingQuery(_Asked):
    """The part of a list that is asked for."""

    limit: int = Field(50, ge=1, le=MOST_SHOWN, description="the most items to return")
    cursor: str | None = Field(None, max_length=500, description="the `next_cursor` of the previous answer")


class DocumentsQuery(ListingQuery):
    """The documents that are asked for."""

    where: _Where = None


class ImageQuery(_Asked):
    """The size of an image of a page."""

    width: int = Field(
        1280, ge=1, le=3840, description="the width in pixels, rounded up to 160, 640, 960, 1280, 1920, 2560 or 3840"
    )


class UploadQuery(_Asked):
    """The name of a file that comes as the body itself."""

    name: str | None = Field(None, min_length=1, max_length=255, description="the name of the document")


class NewCollection(ApiRequest):
    """A collection to be made, empty."""

    name: str = Field(pattern=f"^{COLLECTION_NAME}$", description="letters, digits, dots, dashes and underscores")


class SearchBody(ApiRequest):
    """A question to be searched for."""

    question: str = Field(
        min_length=1,
        max_length=10_000,
        description="the question; the server's profile may take less (max_question_chars)",
        examples=["How many departures were cancelled?"],
    )
    documents: _Documents = []
    where: _Where = None
    mode: Mode | None = Field(None, description="the search mode; null for the server's choice")
    queries: _Whole | None = Field(None, ge=1, le=20, description="the most queries to make from the question")
    top_k: _Whole | None = Field(None, ge=1, le=100, description="the most passages to look at")


class AskBody(SearchBody):
    """A question to be answered."""

    method: MethodName | None = Field(
        None, description="quote: the documents, word for word; vanilla, cot, visa: a model; null: the server's choice"
    )
    extract: bool | None = Field(
        None,
        description="true: a model first takes notes without seeing the question, and answers from them (vanilla, cot)",
    )
    model: str | None = Field(
        None, min_length=1, max_length=200, description="the name of a model in the profile; null for the first"
    )


class CheckBody(ApiRequest):
    """A text that somebody else wrote, to be held against a collection."""

    text: str = Field(
        min_length=1,
        max_length=MOST_CHARS,
        description="the text, plain or Markdown",
        examples=["1,236 departures were cancelled."],
    )
    question: str = Field("", max_length=10_000, description="the question that the text answers, if any")
    documents: _Documents = []
    where: _Where = None


class PaperFile(ApiRequest):
    """A file in a body of JSON."""

    name: str = Field(min_length=1, max_length=255, description="the name of the file, such as paper.pdf")
    base64: str = Field(min_length=1, description="the bytes of the file in base64; at most max_call_mb")


class AuditBody(ApiRequest):
    """References to be audited: a paper or a bibliography as a file, or entries as text."""

    file: PaperFile | None = Field(None, description="a paper or a bibliography; null if entries are given")
    entries: str = Field(
        "",
        max_length=MOST_CHARS,
        description="entries as BibTeX or one per line; empty if a file is given",
        examples=["@book{falk, author={B. Falk}, title={Cider in barrels}, year={2001}}"],
    )
    collection: str | None = Field(
        None, min_length=1, max_length=64, description="a collection whose documents are searched, too"
    )


Box = Annotated[
    list[float], Field(min_length=4, max_length=4, description="left, top, right, bottom in fractions of the page")
]
_FORMS = tuple(one.suffixes[0].removeprefix(".") for one in exports() if one.offered)
Form = Annotated[
    str, AfterValidator(lambda name: known_name(name, _FORMS)), WithJsonSchema({"type": "string", "enum": list(_FORMS)})
]
"""The form of an export, by the suffix of its files."""
JobState = Literal["queued", "running", "done", "failed", "cancelled"]
FileState = Literal["waiting", "reading", "done", "failed", "cancelled", "forgotten"]


class ApiRecord(BaseModel):
    """A part of a response; a later version may have more fields."""

    model_config = ConfigDict(extra="allow")


class _Part(ApiRecord):
    """A part of a list."""

    next_cursor: str | None = Field(description="the cursor of the next part; null at the end")


M = TypeVar("M", bound=BaseModel)


def record_of(model: type[M], value: object) -> M:
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


class CollectionList(_Part):
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


class DocumentList(_Part):
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


class AnchorRecord(ApiRecord):
    """The place that an anchor means today."""

    state: Literal["found", "placed", "changed"]
    says: str
    collection: str
    document: str
    doc_id: str
    sha256: str
    citation: CitationRecord | None


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


class JobList(_Part):
    """Jobs of the caller, the newest first."""

    items: list[JobRecord]


class StartRecord(ApiRecord):
    """The start of the API."""

    version: str | None = Field(description="the version of Vouch; null for who has not logged in")
    description: str = Field(description="the address of the description, OpenAPI 3.1")
    collections: str
    jobs: str


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
