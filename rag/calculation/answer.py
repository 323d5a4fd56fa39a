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
    count = element_count(asked.text, collection, documents)
    if count is None:
        manner = "counted in the text"
        count = mentions(asked.text, collection, documents)
    if count is None:
        return None
    answer = count.named or str(count.number)
    return Sentence(f"{answer} ({count.working}).", count.citations, "computed", manner, None, short=(0, len(answer)))
