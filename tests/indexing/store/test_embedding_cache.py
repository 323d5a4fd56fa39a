"""Pages that a slow embedder has done are not done again, whatever became of the run that did them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexing import BBox, Collection, RegionVectors
from indexing.embed.visual.patch_grids import cells
from indexing.store.embedding_cache import EmbeddingCache, key_of
from indexing.store.writer import Writer
from indexing.types import ParsedPage
from tests.indexing.patchwork import Patchwork
from tests.support import fakes


def drawn(doc_id: str, number: int) -> ParsedPage:
    return replace(fakes.parsed(doc_id, number, [f"Page {number}."]), image=f"pixels of {number}".encode())


def writer(collection: Collection, visual: Patchwork) -> Writer:
    return Writer(collection._store, collection._embedder, visual, collection.path / "sources")


def test_pages_are_embedded_a_batch_at_a_time_and_the_rest_at_the_end(collection: Collection) -> None:
    visual = Patchwork()
    at_work = writer(collection, visual)
    doc = fakes.document("a.pdf", [["x"]] * 7)
    for number in range(1, 8):
        at_work.add(drawn(doc.id, number))
    assert visual.calls == [3, 3]
    at_work.finish(doc, Path("/nowhere"))
    at_work.flush()
    assert visual.calls == [3, 3, 1]
    assert len(collection._store.snapshot().page_keys()) == 7


def test_a_batch_goes_on_over_the_end_of_a_document(collection: Collection) -> None:
    visual = Patchwork()
    at_work = writer(collection, visual)
    one, two = (fakes.document(name, [["x"]] * 2) for name in ("a.pdf", "b.pdf"))
    for doc in (one, two):
        for number in (1, 2):
            at_work.add(drawn(doc.id, number + (10 if doc is two else 0)))
        at_work.finish(doc, Path("/nowhere"))
    assert visual.calls == [3]
    at_work.flush()
    assert visual.calls == [3, 1]
    assert {d.name for d in collection.documents()} == {"a.pdf", "b.pdf"}


def test_pages_of_a_run_that_was_stopped_are_not_embedded_again(collection: Collection) -> None:
    first, second = Patchwork(), Patchwork()
    doc = fakes.document("a.pdf", [["x"]] * 7)
    at_work = writer(collection, first)
    for number in range(1, 6):
        at_work.add(drawn(doc.id, number))  # and then the process is killed: no flush, no finish
    again = writer(collection, second)
    for number in range(1, 8):
        again.add(drawn(doc.id, number))
    again.finish(doc, Path("/nowhere"))
    again.flush()
    assert first.calls == [3]
    assert second.calls == [3, 1]
    assert again.reused == 3
    assert list((collection.path / "embedded").iterdir()) == []
    assert len(collection._store.snapshot().page_keys()) == 7


def test_what_is_kept_comes_back_and_damaged_files_do_not(tmp_path: Path) -> None:
    kept = EmbeddingCache(tmp_path / "embedded")
    rows = np.random.default_rng(0).standard_normal((5, 16)).astype(np.float32)
    seen = RegionVectors(rows, np.array([2, 3], np.int32), cells(1, 2), np.array([0, -1], np.int32))
    assert kept.find("a") is None
    kept.keep("a", seen)
    back = kept.find("a")
    assert back is not None
    assert np.array_equal(back.vectors, rows)
    assert (back.counts.tolist(), back.boxes) == ([2, 3], seen.boxes)
    assert back.owners is not None
    assert back.owners.tolist() == [0, -1]
    (tmp_path / "embedded" / "a.npz").write_bytes(b"PK\x03\x04 half a file")
    assert kept.find("a") is None
    kept.clear()
    assert not (tmp_path / "embedded").exists()


@pytest.mark.parametrize("change", ["pixels", "text", "box"])
def test_a_page_that_looks_otherwise_is_another_page(change: str) -> None:
    page = drawn("d", 1)
    element = page.elements[0]
    others = {
        "pixels": replace(page, image=b"others"),
        "text": replace(page, elements=(replace(element, text="Something else."),)),
        "box": replace(page, elements=(replace(element, bbox=BBox(0.1, 0.1, 0.2, 0.2)),)),
    }
    assert key_of(others[change]) != key_of(page) == key_of(drawn("another document", 1))


def test_compacting_deletes_what_nobody_went_on_with(collection: Collection) -> None:
    at_work = writer(collection, Patchwork())
    for number in range(1, 4):
        at_work.add(drawn("d", number))
    assert len(list((collection.path / "embedded").iterdir())) == 3
    collection.compact()
    assert not (collection.path / "embedded").exists()
