"""Masking one citation at a time: what stands in one place only is crucial, what stands in two is not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.attribution.ablate import ablate, mask_citations
from rag.types import Answer
from tests.support import documents, fakes

ASKED = "How many sacks of barley does the mill at Harrow grind every day?"
SAYS = "The mill at Harrow grinds nine sacks of barley every day."
OTHER = ["The keeper of the lighthouse keeps bees.", "A ferry leaves for Merrow at noon."]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Collection]:
    """A collection in which the mill is mentioned once."""
    made = fakes.collection(tmp_path_factory.mktemp("asked"), embedder)
    fakes.index(made, {"mill.pdf": [[SAYS, *OTHER]], "bees.pdf": [OTHER]})
    yield made
    made.close()


def ask(collection: Collection) -> Answer:
    return Pipeline(collection, RagSettings(mode="text")).answer(ASKED)


def test_the_only_place_that_says_it_is_crucial(asked: Collection) -> None:
    answer = ask(asked)
    assert [s.text for s in answer.sentences][:1] == [SAYS]
    found = ablate(answer, asked, ask)
    first = found[0]
    assert (first.number, first.crucial, first.lost) == (1, True, (SAYS,))
    assert "nine" not in first.said
    assert first.to_json()["crucial"] is True


def test_what_stands_in_two_documents_is_not_lost_with_one(tmp_path: Path, embedder: MiniLM) -> None:
    twice = fakes.collection(tmp_path, embedder)
    fakes.index(twice, {"mill.pdf": [[SAYS, *OTHER]], "copy.pdf": [[OTHER[0], SAYS]]})
    answer = ask(twice)
    assert SAYS in {s.text for s in answer.sentences}
    saying = {c.element_id for s in answer.sentences for c in s.citations if s.text == SAYS}
    assert [a.lost for a in ablate(answer, twice, ask) if a.citation.element_id in saying] == [()] * len(saying)


def test_masked_elements_are_neither_found_nor_on_their_page(asked: Collection) -> None:
    (citation,) = {c for c in ask(asked).citations if c.quote == SAYS}
    without = mask_citations(asked, [citation])
    texts = [hit.element.text for hit in without.search(ASKED, limit=8).hits]
    assert SAYS not in texts
    assert texts
    on_page = without.page_elements(citation.doc_id, citation.page)
    assert SAYS not in [e.text for e in on_page]
    assert len(on_page) == len(asked.page_elements(citation.doc_id, citation.page)) - 1
    assert without.documents() == asked.documents()


@pytest.mark.slow
@pytest.mark.gate
def test_a_masked_box_is_grey_where_the_page_is_drawn(tmp_path: Path) -> None:
    from indexing import IndexingSettings, build_index

    file = documents.pdf(tmp_path / "mill.pdf", [SAYS, *OTHER])
    with Collection.create("drawn", tmp_path / "home", IndexingSettings(workers=1, visual="none")) as made:
        build_index(made, [file])
        (citation, *_) = ask(made).citations
        image = mask_citations(made, [citation]).draw_page(citation.doc_id, citation.page, 600)
        x0, y0, x1, y1 = citation.bbox.to_page(*image.size)
        assert image.getpixel((int((x0 + x1) / 2), int((y0 + y1) / 2))) == (128, 128, 128)
        assert image.getpixel((2, 2)) == (255, 255, 255)
