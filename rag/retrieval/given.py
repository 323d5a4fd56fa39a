"""Given pages -> evidence: the elements of the pages that a question names, in the place of a search."""

from __future__ import annotations

import numpy as np

from indexing import Collection
from rag.options import Question
from rag.retrieval.retrieve import Retrieved, mode_of
from rag.settings import RagSettings
from rag.types import Evidence, RankedPage, RetrievedElement


def given(collection: Collection, asked: Question, settings: RagSettings) -> Retrieved:
    """Return all elements of the pages that are named, in their order and in reading order on each; no groups of them.

    No score means anything, and no query goes with them. Raises DocumentMissing for a page that is not there.
    """
    names = {doc_id: collection.document(doc_id).name for doc_id, _ in asked.pages}
    for doc_id, number in asked.pages:
        collection.page(doc_id, number)
    found = [e for page in collection.elements_on(asked.pages) for e in page if e.kind != "group"]
    unmatched = np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32)
    elements = tuple(
        RetrievedElement(Evidence(f"E{n}", element, names[element.doc_id], 0.0, found_by=()), *unmatched)
        for n, element in enumerate(found, 1)
    )
    pages = tuple(RankedPage(doc_id, names[doc_id], number, 0.0) for doc_id, number in asked.pages)
    return Retrieved(mode_of(collection, settings, asked.mode), elements, pages)
