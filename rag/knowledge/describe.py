"""Extract the knowledge of an entire collection in advance; `Extractor` does it at first use."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from indexing import Collection
from rag.crops import Crops
from rag.events import Extracted
from rag.knowledge.calls import needs_model
from rag.knowledge.extract import Extractor
from rag.llm import ChatModel
from rag.settings import RagSettings


def describe(
    collection: Collection, settings: RagSettings, model: ChatModel, documents: Sequence[str] = ()
) -> Generator[Extracted]:
    """Describe the figures, and tables that code cannot read, of all documents or of those named by id, name or path.

    Cached descriptions are reused. Texts are left until a search finds them: a call for each paragraph would be too
    many. Yields the progress after each. Closing it keeps what was described. Raises DocumentMissing.
    """
    selected_documents = [collection.document(name) for name in documents] or collection.documents()
    names = {d.id: d.name for d in selected_documents}
    places = [(d.id, page) for d in selected_documents for page in range(1, d.n_pages + 1)]
    elements = [e for place in places for e in collection.page_elements(*place) if needs_model(e) and e.kind != "group"]
    crops = Crops(collection, settings.writing.page_width, settings.writing.picture_side)
    extractor = Extractor(collection, model, crops, at_once=settings.model.concurrency if settings.model else 1)
    with closing(extractor.extract(elements)) as extracting:
        for count, (element, knowledge) in enumerate(extracting, 1):
            problem = f"{names[element.doc_id]}, page {element.page}: {knowledge.problem}" if knowledge.problem else ""
            yield Extracted(count, len(elements), problem)
