"""Pages that are named take the place of a search: all of them, in their order, and nothing else."""

from __future__ import annotations

import pytest

from indexing import Collection, DocumentMissing
from rag import Pipeline, RagSettings
from rag.errors import PagesNotShown
from tests.support.writers import Writer, said

RULES = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False)
BUS = "A ticket costs two crowns."


def test_a_model_reads_all_of_the_named_pages_in_their_order(town: Collection) -> None:
    mill, bus = town.document("mill.pdf").id, town.document("bus.pdf").id
    model = Writer(said((BUS, ["E2"])))
    pages = ((mill, 2), (bus, 1))
    answer = Pipeline(town, RULES, model=model).answer("When was the mill built?", pages=pages)
    assert [(e.element.doc_id, e.element.page) for e in answer.evidence] == list(pages)
    assert [(p.doc_id, p.number) for p in answer.pages] == list(pages)
    assert (answer.queries, answer.confidence, answer.sentences[0].verdict) == ((), 0, "confirmed")
    assert answer.citations[0].document == "bus.pdf"


def test_a_page_that_is_not_there_is_named(town: Collection) -> None:
    with pytest.raises(DocumentMissing):
        Pipeline(town, RULES, model=Writer(said())).answer("Why?", pages=((town.document("bus.pdf").id, 2),))


def test_method_quote_takes_no_pages(town: Collection) -> None:
    with pytest.raises(PagesNotShown, match="method quote searches"):
        Pipeline(town).answer("Why?", pages=((town.document("bus.pdf").id, 1),))
