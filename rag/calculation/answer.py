"""What is counted in documents, as a sentence that cites what was counted."""

from __future__ import annotations

from indexing import Collection
from rag.calculation.counts import element_count, mentions
from rag.options import Question
from rag.types import Sentence


def count_answer(asked: Question, collection: Collection) -> Sentence | None:
    """Return the sentence that counts pages, tables, figures, sections or mentions; None for another question.

    It is the whole answer, with its working in brackets. Raises CollectionDamaged.
    """
    documents = [collection.document(name) for name in asked.documents] or list(collection.documents())
    manner = "counted in the catalogue"
    found = element_count(asked.text, collection, documents)
    if found is None:
        manner = "counted in the text"
        found = mentions(asked.text, collection, documents)
    if found is None:
        return None
    answer = found.named or str(found.number)
    return Sentence(f"{answer} ({found.working}).", found.citations, "computed", manner, None, short=(0, len(answer)))
