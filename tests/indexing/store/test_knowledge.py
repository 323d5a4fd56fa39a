"""What models said of elements: kept once, found under model and prompt alone, gone with its document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import BBox, Collection, Element, Region
from tests.indexing.store.test_database import ONE, SPITE, TWO
from tests.support import fakes


@pytest.fixture
def element(collection: Collection) -> Element:
    (doc,) = fakes.index(collection, ONE)
    return collection.page_elements(doc.id, 1)[0]


def rows(collection: Collection) -> int:
    table = collection._store._knowledge()
    return 0 if table is None else table.count_rows()


def test_it_goes_with_its_document_and_with_no_other(collection: Collection, element: Element) -> None:
    (bus,) = fakes.index(collection, TWO)
    other = collection.page_elements(bus.id, 1)[0]
    collection.knowledge.keep({element: "A mill.", other: "A bus."}, "vlm", "3")
    collection.remove("mill.pdf")
    assert rows(collection) == 1
    assert collection.knowledge.read([element, other], "vlm", "3") == {other.id: "A bus."}


@pytest.mark.parametrize("spite", [SPITE, "it's", "a\\b", "\n"])
def test_names_and_texts_are_only_text(collection: Collection, element: Element, spite: str) -> None:
    collection.knowledge.keep({element: spite}, spite, spite)
    assert collection.knowledge.read([element], spite, spite) == {element.id: spite}
    assert collection.knowledge.read([element], "' OR '1'='1", spite) == {}


def test_regions_of_a_page_come_back_with_their_vectors(collection: Collection, tmp_path: Path) -> None:
    box = [BBox(0.1, 0.1, 0.5, 0.2), BBox(0.5, 0.6, 0.9, 0.7)]
    document = fakes.document("seen.pdf", [["x"]])
    page = fakes.parsed(document.id, 1, ["x"])
    with collection.writer() as writer:
        writer.add(replace(page, regions=(Region(box[0], "rye and wheat"), Region(box[1], "a bus"))))
        writer.finish(document, tmp_path / "nowhere")
        writer.flush()
    found = collection.page_regions(document.id, 1)
    assert found.counts.tolist() == [3, 2]
    assert len(found.vectors) == 5
    assert [b.as_tuple() for b in found.boxes] == [pytest.approx(b.as_tuple(), abs=1e-6) for b in box]
    asked = collection.embed_query("a bus", "visual")
    scores = found.vectors.astype(float) @ asked.vectors.T
    assert scores[3:].max() > scores[:3].max() + 20
    nothing = collection.page_regions(document.id, 2)
    assert nothing.boxes == ()
    assert len(nothing.vectors) == 0
