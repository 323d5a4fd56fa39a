"""Turn a question into search queries and hints where to look."""

from rag.question.clauses import BEST_PAGES, ConditionsMet, conditions_met, conditions_of
from rag.question.hints import PAGE_WORDS, hints_of, load_glossary
from rag.question.language import ASKING, correct_spelling, embedder_note, is_foreign, is_unread_language, slips_of
from rag.question.planner import (
    MAX_IMAGE_CHARS,
    ModelPlanner,
    Planner,
    Queries,
    QueryPlanner,
    without_form_instructions,
)
