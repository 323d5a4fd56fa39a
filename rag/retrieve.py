"""A question -> evidence: the elements that match it best, labelled `E1`, `E2`, ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from indexing import Collection, Hit
from rag.errors import EmptyQuestion, QuestionTooLong
from rag.settings import RagSettings
from rag.types import Evidence


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Evidence, best first, with the hit behind each and the weights (q,) of the question's tokens."""

    evidence: tuple[Evidence, ...]
    hits: tuple[Hit, ...]
    tokens: tuple[str, ...]
    weights: NDArray[np.float32] = field(repr=False, compare=False)


def retrieve(
    collection: Collection,
    question: str,
    settings: RagSettings,
    *,
    documents: Sequence[str] = (),
    top_k: int | None = None,
) -> Retrieved:
    """The best `top_k` elements for a question, in all documents or in those named by id, name or path.

    Raises EmptyQuestion, QuestionTooLong, and DocumentMissing for a name that is not in the collection.
    """
    if not any(c.isalnum() for c in question):
        raise EmptyQuestion("the question holds no word: ask for something")
    if len(question) > settings.max_question_chars:
        raise QuestionTooLong(
            f"the question has {len(question)} characters, the limit is {settings.max_question_chars}: shorten it"
        )
    doc_ids = [collection.document(name).id for name in documents]
    found = collection.search(question, doc_ids=doc_ids, limit=top_k or settings.top_k)
    names = {d.id: d.name for d in collection.documents()} if found.hits else {}
    evidence = tuple(
        Evidence(f"E{n}", hit.element, names.get(hit.element.doc_id, hit.element.doc_id), hit.score)
        for n, hit in enumerate(found.hits, 1)
    )
    return Retrieved(evidence, found.hits, found.tokens, found.weights)
