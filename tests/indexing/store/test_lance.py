"""Tables that any LanceDB client reads: `Collection.to_lance`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest

from indexing import Collection, errors
from indexing.embed.minilm import MiniLM
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
