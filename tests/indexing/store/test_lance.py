"""What else is stored: vectors for LanceDB, multi-vectors, knowledge, and vectors kept for the next run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest

from indexing import BBox, Collection, Document, Element, Region, errors
from indexing.embed.minilm import MiniLM
from indexing.store import Writer
from tests.indexing.patchwork import Patchwork
from tests.indexing.store.test_database import ONE, SPITE, TWO
from tests.support import fakes

FILES = {
    "mill.pdf": [["The mill grinds rye.", "It stands by the river."], [], ["It burned in 1911."]],
    "bees.pdf": [["A hive holds sixty thousand bees."]],
}


def read(folder: Path, table: str = "vouch") -> Any:
    return lancedb.connect(folder).open_table(table)


def test_pages_have_their_vectors_and_lancedb_finds_them(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path / "home", embedder)
    fakes.index(made, FILES)
    assert made.to_lance(tmp_path / "out") == 3  # the empty page has none
    table = read(tmp_path / "out")
    rows = {(row["document"], row["page"]): np.array(row["vector"]) for row in table.to_arrow().to_pylist()}
    assert sorted(rows) == [("bees.pdf", 1), ("mill.pdf", 1), ("mill.pdf", 3)]
    own = embedder.embed_passages(["It burned in 1911."])[0].vectors.astype(np.float32)
    cosines = (rows["mill.pdf", 3] * own).sum(axis=1) / np.linalg.norm(own, axis=1)
    assert np.allclose(np.linalg.norm(rows["mill.pdf", 3], axis=1), 1, atol=2e-3)
    assert cosines.min() > 0.98  # four bits a component
    query = made.embed_query("How many bees are in a hive?").vectors.astype(np.float16)
    found = table.search(query, vector_column_name="vector").distance_type("cosine").limit(1).to_list()
    assert (found[0]["document"], found[0]["page"]) == ("bees.pdf", 1)


def test_elements_have_their_text_and_box_and_only_their_own_vectors(collection: Collection, tmp_path: Path) -> None:
    (mill, _) = fakes.index(collection, FILES)
    assert collection.to_lance(tmp_path / "out", "parts", rows="elements") == 4
    rows = {row["text"]: row for row in read(tmp_path / "out", "parts").to_arrow().to_pylist()}
    for element in collection.page_elements(mill.id, 1):
        row = rows[element.text]
        assert (row["element_id"], row["doc_id"], row["kind"]) == (element.id, mill.id, element.kind)
        assert (row["x0"], row["y0"], row["x1"], row["y1"]) == element.bbox.as_tuple()
        assert len(row["vector"]) == len(collection.embed_passages([element.text])[0].vectors)


def test_a_table_is_replaced_only_on_request(collection: Collection, tmp_path: Path) -> None:
    assert collection.to_lance(tmp_path / "out") == 0
    fakes.index(collection, FILES)
    with pytest.raises(errors.CollectionThere, match="already has a table 'vouch': give another name, or replace=True"):
        collection.to_lance(tmp_path / "out")
    assert read(tmp_path / "out").count_rows() == 0
    assert collection.to_lance(tmp_path / "out", replace=True) == 3


def test_many_vectors_are_written_in_parts(collection: Collection, tmp_path: Path, monkeypatch: Any) -> None:
    fakes.index(collection, FILES)
    monkeypatch.setattr("indexing.store.lance._VECTORS", 1)
    assert collection.to_lance(tmp_path / "out") == 3
    assert len(read(tmp_path / "out").list_versions()) == 4


WHOLE = BBox(0, 0, 1, 1)


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


REPORT = fakes.document("a.pdf", [["x"]] * 7)


def run(collection: Collection, visual: Patchwork, last: int = 7, document: Document = REPORT) -> Writer:
    """Add the pages of a document as far as `last`; after 7 it is finished, before it the run is killed."""
    writer = Writer(collection._store, collection._embedder, visual, collection.path / "sources")
    for number in range(1, last + 1):
        page = fakes.parsed(document.id, number, [f"Page {number}."])
        writer.add(replace(page, image=f"pixels of {number}".encode()))
    if last == 7:
        writer.finish(document, None)
        writer.flush()
    return writer


def kept_files(collection: Collection) -> list[Path]:
    return sorted((collection.path / "embedded").glob("*"))


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half a file", b"\x93NUMPY\x01\x00", None])
def test_damaged_files_are_ignored(collection: Collection, damage: bytes | None) -> None:
    run(collection, Patchwork(), last=3)
    file = kept_files(collection)[0]
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(bytes(content) if damage is None else damage)
    again = Patchwork()
    assert run(collection, again, last=3).n_reused == 2
    assert again.calls == [1]


def test_nothing_is_kept_of_words_and_of_documents_that_are_discarded(collection: Collection) -> None:
    run(collection, Patchwork(visual_kind="words"), last=3)
    assert kept_files(collection) == []
    writer = run(collection, Patchwork(), last=3)
    writer.discard(REPORT.id)
    writer.close()
    assert kept_files(collection) == []
    run(collection, Patchwork(), last=3)
    collection.compact()
    assert not (collection.path / "embedded").exists()
