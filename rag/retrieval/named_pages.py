"""Retrieve the elements of the pages that a question names, instead of searching."""

from __future__ import annotations

import numpy as np

from indexing import Collection
from rag.options import Question
from rag.retrieval.retrieve import Retrieved, mode_of
from rag.settings import RagSettings
from rag.types import Evidence, RankedPage, RetrievedElement


def retrieve_pages(collection: Collection, question: Question, settings: RagSettings) -> Retrieved:
    """Return all leaf elements of the pages that a question names, page after page in reading order.

    Nothing is searched: all scores are 0. Raises DocumentMissing for a page that does not exist.
    """
    names = {doc_id: collection.document(doc_id).name for doc_id, _ in question.pages}
    for doc_id, number in question.pages:
        collection.page(doc_id, number)
    page_elements = [e for page in collection.elements_on(question.pages) for e in page if e.kind != "group"]
    no_similarities = np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32)
    elements = tuple(
        RetrievedElement(Evidence(f"E{n}", element, names[element.doc_id], 0.0, found_by=()), *no_similarities)
        for n, element in enumerate(page_elements, 1)
    )
    pages = tuple(RankedPage(doc_id, names[doc_id], number, 0.0) for doc_id, number in question.pages)
    return Retrieved(mode_of(collection, settings, question.mode), elements, pages)
