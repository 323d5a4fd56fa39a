"""A question -> an answer whose every sentence cites its evidence. The public face."""

from typing import TYPE_CHECKING

from indexing import Mode
from rag.anchors import Anchor, anchor_of
from rag.citevqa import CitedRegion, Reading, Statement, read_citevqa, statements_of, write_citevqa
from rag.errors import (
    AnchorDamaged,
    AnchorError,
    AnchorLost,
    BadLimit,
    EmptyQuestion,
    ModelError,
    ProfileError,
    QuestionTooLong,
    QuestionUnreadable,
    RagError,
)
from rag.llm import ServedModel
from rag.model_settings import ModelSettings
from rag.pipeline import Pipeline
from rag.probes import probe_images, probe_name, probe_schema
from rag.queries import Planner, Queries, QueryPlanner
from rag.resolution import Resolved, resolve
from rag.retrieve import Retrieved
from rag.settings import Profile, RagSettings, load_profile
from rag.types import Answer, Citation, Evidence, Query, RankedPage, Sentence, Verdict

if TYPE_CHECKING:
    from rag.query_engine import VouchQueryEngine
    from rag.retriever import VouchRetriever

__all__ = [
    "Anchor",
    "AnchorDamaged",
    "AnchorError",
    "AnchorLost",
    "Answer",
    "BadLimit",
    "Citation",
    "CitedRegion",
    "EmptyQuestion",
    "Evidence",
    "Mode",
    "ModelError",
    "ModelSettings",
    "Pipeline",
    "Planner",
    "Profile",
    "ProfileError",
    "Queries",
    "Query",
    "QueryPlanner",
    "QuestionTooLong",
    "QuestionUnreadable",
    "RagError",
    "RagSettings",
    "RankedPage",
    "Reading",
    "Resolved",
    "Retrieved",
    "Sentence",
    "ServedModel",
    "Statement",
    "Verdict",
    "VouchQueryEngine",
    "VouchRetriever",
    "anchor_of",
    "load_profile",
    "probe_images",
    "probe_name",
    "probe_schema",
    "read_citevqa",
    "resolve",
    "statements_of",
    "write_citevqa",
]


def __getattr__(name: str) -> object:
    """What LlamaIndex's own pipelines take is loaded when it is asked for: LlamaIndex takes seconds."""
    if name == "VouchQueryEngine":
        from rag.query_engine import VouchQueryEngine

        return VouchQueryEngine
    if name == "VouchRetriever":
        from rag.retriever import VouchRetriever

        return VouchRetriever
    raise AttributeError(name)
