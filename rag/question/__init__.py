"""Turn a question into search queries and hints where to look."""

from rag.question.conditions import BEST_PAGES, ConditionsMet, conditions_met, conditions_of
from rag.question.glossary import load_glossary
from rag.question.hints import PAGE_WORDS, hints_of
from rag.question.language import ASKING, embedder_note, is_foreign, is_unread_language
from rag.question.model_planner import ModelPlanner
from rag.question.planner import MAX_IMAGE_CHARS, Planner, Queries, QueryPlanner, without_form_instructions
from rag.question.spelling import correct_spelling, slips_of
