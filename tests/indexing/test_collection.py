"""A collection as a folder: its name, its embedder, its one writer, and what it says when it is damaged."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import lancedb
import pytest

from indexing import Collection, errors, unreadable_collections
from indexing.types import FORMAT
from tests.support import fakes
from tests.support.damage import damage_manifests

ONE = {"mill.pdf": [["The mill grinds rye.", "It stands by the river."], ["It burned in 1911."]]}


def test_another_embedder_is_refused_by_name(collection: Collection) -> None:
    (collection.path / "collection.json").write_text(
        json.dumps({"format": FORMAT, "visual": "none", "text": {"name": "colpali"}})
    )
    with pytest.raises(errors.EmbedderMismatch, match=r"made with the embedder 'colpali'.*'minilm'"):
        Collection.open("made-up", collection.path.parent)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"format": 1}', '{"format": 99, "embedder": "minilm"}', "\0", "[" * 5000]
)
def test_a_damaged_collection_is_refused(collection: Collection, content: str) -> None:
    (collection.path / "collection.json").write_text(content)
    with pytest.raises(errors.CollectionDamaged, match=r"made-up.*index again"):
        Collection.open("made-up", collection.path.parent)


def test_a_collection_in_shards_is_refused_with_the_next_step(collection: Collection) -> None:
    path = collection.path / "collection.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"shards": 2}))
    with pytest.raises(errors.CollectionOutdated, match=r"split into shards.*index its documents again"):
        Collection.open(collection.name, collection.path.parent)


def test_tables_over_which_lance_panics_are_named(collection: Collection) -> None:
    fakes.index(collection, ONE)
    damage_manifests(collection.path / "db" / "documents.lance")
    with pytest.raises(errors.CollectionDamaged, match=r"made-up.*restore a backup"):
        Collection.open("made-up", collection.path.parent).documents()
    assert list(unreadable_collections(collection.path.parent)) == ["made-up"]


def test_documents_with_other_columns_are_damaged(collection: Collection) -> None:
    fakes.index(collection, ONE)
    documents = lancedb.connect(collection.path / "db").open_table("documents")
    documents.alter_columns({"path": "n_pages", "rename": "n_pagez"})
    with pytest.raises(errors.CollectionDamaged, match=r"made-up.*restore a backup"):
        Collection.open("made-up", collection.path.parent).documents()


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        ("documents", {"metadata": '{"author": ["Ada"]}'}), ("documents", {"metadata": "[" * 5000}),
        ("documents", {"metadata": "no JSON"}), ("elements", {"cells": b"[" * 5000}),
        ("elements", {"cells": b'[["a", 0, 1, 1, 0, 1, 0.1, 0.1, 0.2, 0.2, false]]'}), ("elements", {"words": b"x"}),
        ("elements", {"kind": "<script>"}), ("elements", {"section": None}),
        ("elements", {"x0": float("nan")}), ("pages", {"width": float("inf")}),
    ],
)  # fmt: skip
def test_rows_that_nobody_has_written_are_damage(collection: Collection, table: str, changed: dict[str, Any]) -> None:
    (mill,) = fakes.index(collection, ONE)
    lancedb.connect(collection.path / "db").open_table(table).update(values=changed)
    opened = Collection.open("made-up", collection.path.parent)
    read = {
        "documents": opened.documents,
        "pages": lambda: opened.page(mill.id, 1),
        "elements": lambda: opened.page_elements(mill.id, 1),
    }
    with pytest.raises(errors.CollectionDamaged, match="restore"):
        read[table]()


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "a\0b", ".hidden", "x" * 65, "a b", "ü", "a\n"])
def test_names_that_cannot_be_folders_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.BadCollectionName, match="letters, digits"):
        Collection.create(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_two_writers_are_one_too_many_and_the_holder_is_named(collection: Collection) -> None:
    other = Collection.open("made-up", collection.path.parent)
    with collection.writer():
        for write in (other.compact, other.delete, lambda: other.writer().__enter__()):
            with pytest.raises(errors.CollectionLocked, match=f"process {os.getpid()} on"):
                write()
    other.compact()


def test_a_lock_of_a_killed_process_holds_nobody_up(collection: Collection) -> None:
    code = (
        "import os, sys; from pathlib import Path; from indexing import Collection\n"
        "with Collection.open('made-up', Path(sys.argv[1]))._write_lock(): os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(collection.path.parent)], check=False)
    assert killed.returncode == -9
    assert (collection.path / "writer.json").exists()
    fakes.index(collection, ONE)
    assert len(collection.documents()) == 1
