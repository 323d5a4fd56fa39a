"""The pages that a visual model has embedded are not embedded again by the run after one that was stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, Document
from indexing.store import Writer
from tests.indexing.patchwork import Patchwork
from tests.support import fakes

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


def test_the_next_run_embeds_only_what_is_missing(collection: Collection) -> None:
    first, second = Patchwork(), Patchwork()
    run(collection, first, last=5)
    assert (first.calls, len(kept_files(collection))) == ([3], 3)
    writer = run(collection, second)
    assert (second.calls, writer.reused) == ([3, 1], 3)
    assert kept_files(collection) == []
    rows = collection.snapshot().page_rows(REPORT.id, 1, 7)
    assert len(rows) == 7
    assert len({row["seen_vectors"] + row["seen_boxes"] for row in rows.values()}) == 1  # a patchwork sees no pixels


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 half a file", b"\x93NUMPY\x01\x00", None])
def test_damaged_files_are_ignored(collection: Collection, damage: bytes | None) -> None:
    run(collection, Patchwork(), last=3)
    file = kept_files(collection)[0]
    content = bytearray(file.read_bytes())
    content[-40] ^= 1
    file.write_bytes(bytes(content) if damage is None else damage)
    again = Patchwork()
    assert run(collection, again, last=3).reused == 2
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
