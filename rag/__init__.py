"""A question -> an answer whose every sentence cites its evidence. The public face."""

from typing import TYPE_CHECKING

from indexing import Mode
from rag.anchors import Anchor, AnchorDamaged, AnchorError, AnchorLost, anchor_of
from rag.citevqa import CitedRegion, Reading, Statement, read_citevqa, statements_of, write_citevqa
from rag.errors import BadLimit, EmptyQuestion, ProfileError, QuestionTooLong, QuestionUnreadable, RagError
from rag.pipeline import Pipeline
from rag.queries import Planner, Queries, QueryPlanner
from rag.resolution import Resolved, resolve
from rag.retrieve import Retrieved
from rag.settings import Profile, RagSettings, load_profile
from rag.types import Answer, Citation, Evidence, Query, RankedPage, Sentence, Verdict

if TYPE_CHECKING:
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
    "Statement",
    "Verdict",
    "VouchRetriever",
    "anchor_of",
    "load_profile",
    "read_citevqa",
    "resolve",
    "statements_of",
    "write_citevqa",
]


def __getattr__(name: str) -> object:
    """The LlamaIndex retriever is loaded when it is asked for: LlamaIndex takes seconds."""
    if name == "VouchRetriever":
        from rag.retriever import VouchRetriever

        return VouchRetriever
    raise AttributeError(name)
