"""Turn a question into search queries and hints where to look."""

from rag.question.conditions import BEST_PAGES, ConditionsMet, conditions_met, conditions_of
from rag.question.glossary import load_glossary
from rag.question.hints import PAGE_WORDS, hints_of
from rag.question.language import ASKING, embedder_note, is_foreign, unread
from rag.question.model_planner import ModelPlanner
from rag.question.planner import MAX_IMAGE_CHARS, Planner, Queries, QueryPlanner, cleaned
from rag.question.spelling import mended, slips_of

__all__ = [
    "ASKING",
    "BEST_PAGES",
    "MAX_IMAGE_CHARS",
    "PAGE_WORDS",
    "ConditionsMet",
    "ModelPlanner",
    "Planner",
    "Queries",
    "QueryPlanner",
    "cleaned",
    "conditions_met",
    "conditions_of",
    "embedder_note",
    "hints_of",
    "is_foreign",
    "load_glossary",
    "mended",
    "slips_of",
    "unread",
]
