"""Answer questions from a collection: retrieve evidence, quote or write an answer, verify and cite it."""

from typing import TYPE_CHECKING

from indexing import Mode
from indexing.language import sentence_spans
from indexing.lazy_imports import lazy_names
from rag.anchors import Anchor, Resolved, anchor_of, resolve
from rag.crops import Crops, crop_box
from rag.errors import (
    AnchorDamaged,
    AnchorError,
    AnchorLost,
    BadCredentials,
    BadLimit,
    EmptyQuestion,
    EngineMissing,
    MemoryShort,
    ModelError,
    ModelFileUnusable,
    ModelUnknown,
    NoChatServer,
    NoModel,
    ProfileError,
    QuestionTooLong,
    QuestionUnreadable,
    RagError,
    ReplyCutOff,
    ReplyUnusable,
    ServerDown,
)
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched, Shown
from rag.formats import CitedRegion, Reading, Statement, read_citevqa, statements_of, write_citevqa
from rag.llm import ModelSettings, ServedModel, probe_images, probe_name, probe_schema
from rag.network import Allowance, HeldNetwork, seconds_of
from rag.options import AnswerOptions, Question, SearchOptions
from rag.pipeline import Pipeline
from rag.question import Planner, Queries, QueryPlanner
from rag.retrieval import Retrieved
from rag.settings import (
    AuditSettings,
    NetworkSource,
    Profile,
    RagSettings,
    VerifierSettings,
    extend_profile,
    load_profile,
    own_profile,
)
from rag.types import (
    Answer,
    CandidateRegion,
    Citation,
    Evidence,
    Judge,
    MethodName,
    Opinion,
    Query,
    RankedPage,
    RetrievedElement,
    Sentence,
    WeightedQuery,
)
from rag.usage import NO_USAGE, Usage, current_span_attributes, trace_span, traces_sent
from rag.verdicts import CLAIMED, PROVEN, CitedSource, Conflict, Followed, Verdict
from rag.yaml_errors import fault_of

if TYPE_CHECKING:
    from rag.llamaindex import VouchQueryEngine, VouchRetriever

__all__ = [
    "CLAIMED",
    "NO_USAGE",
    "PROVEN",
    "Allowance",
    "Anchor",
    "AnchorDamaged",
    "AnchorError",
    "AnchorLost",
    "Answer",
    "AnswerOptions",
    "Answered",
    "AuditSettings",
    "BadCredentials",
    "BadLimit",
    "CandidateRegion",
    "Checked",
    "Citation",
    "CitedRegion",
    "CitedSource",
    "Conflict",
    "Crops",
    "Drafted",
    "EmptyQuestion",
    "EngineMissing",
    "Event",
    "Evidence",
    "Extracted",
    "Followed",
    "HeldNetwork",
    "Judge",
    "MemoryShort",
    "MethodName",
    "Mode",
    "ModelError",
    "ModelFileUnusable",
    "ModelSettings",
    "ModelUnknown",
    "NetworkSource",
    "NoChatServer",
    "NoModel",
    "Opinion",
    "Pipeline",
    "Planned",
    "Planner",
    "Profile",
    "ProfileError",
    "Queries",
    "Query",
    "QueryPlanner",
    "Question",
    "QuestionTooLong",
    "QuestionUnreadable",
    "RagError",
    "RagSettings",
    "RankedPage",
    "Reading",
    "ReplyCutOff",
    "ReplyUnusable",
    "Resolved",
    "Retrieved",
    "RetrievedElement",
    "SearchOptions",
    "Searched",
    "Sentence",
    "ServedModel",
    "ServerDown",
    "Shown",
    "Statement",
    "Usage",
    "Verdict",
    "VerifierSettings",
    "VouchQueryEngine",
    "VouchRetriever",
    "WeightedQuery",
    "anchor_of",
    "crop_box",
    "current_span_attributes",
    "extend_profile",
    "fault_of",
    "load_profile",
    "own_profile",
    "probe_images",
    "probe_name",
    "probe_schema",
    "read_citevqa",
    "resolve",
    "seconds_of",
    "sentence_spans",
    "statements_of",
    "trace_span",
    "traces_sent",
    "write_citevqa",
]


__getattr__ = lazy_names(__name__, dict.fromkeys(("VouchQueryEngine", "VouchRetriever"), "llamaindex"))
