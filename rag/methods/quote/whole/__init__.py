"""Whole: what documents say of themselves, answered from their fronts, their imprints and their words, or counted."""

from rag.methods.quote.whole.answer import UNSAID, WHICH, of_the_whole

__all__ = ["UNSAID", "WHICH", "of_the_whole"]
