"""What is named again is read anew if pages of it failed; what is there stays until there is better."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest

from indexing import Collection, IndexingSettings
from indexing.store.writer import Writer
from tests.support import fakes

PAGES = [["The mill grinds rye."], ["It burned down in 1911."], ["Then it was built anew."]]
PARTIAL = replace(fakes.document("mill.pdf", PAGES), failed_pages=(2,))
NOWHERE = Path("/nowhere")
TIGHT = IndexingSettings(workers=1, visual="none", worker_memory_mb=900)


@contextlib.contextmanager
def writing(collection: Collection, killed: bool = False) -> Iterator[Writer]:
    """A writer that holds no page back; killed, it has no time to clear up."""
    with collection._write_lock():
        writer = Writer(collection._store, collection._embedder, None, collection.path / "sources")
        yield writer
        if not killed:
            writer.close()


@pytest.fixture
def partial(collection: Collection) -> Collection:
    """A collection with a document that lacks its second page, and a word of a model about the first."""
    with writing(collection) as writer:
        for number in (1, 3):
            writer.add(fakes.parsed(PARTIAL.id, number, PAGES[number - 1]))
        writer.finish(PARTIAL, NOWHERE)
        writer.flush()
    collection.knowledge.keep({collection.page_elements(PARTIAL.id, 1)[0]: "A mill."}, "m", "p")
    return collection


def shown(collection: Collection) -> list[list[str]]:
    """The texts of each page, which are also all that search finds."""
    pages = [[e.text for e in collection.page_elements(PARTIAL.id, n)] for n in (1, 2, 3)]
    hits = collection.search("When did the mill burn down?", limit=20).hits
    assert sorted(h.element.text for h in hits) == sorted(text for page in pages for text in page)
    return pages


def known(collection: Collection) -> dict[str, str]:
    return collection.knowledge.read(collection.page_elements(PARTIAL.id, 1), "m", "p")


def test_the_new_version_is_seen_when_it_is_whole(partial: Collection) -> None:
    before = [PAGES[0], [], PAGES[2]]
    with writing(partial) as writer:
        assert writer.document_state(PARTIAL.id, PARTIAL.path) == "partial"
        for number, texts in enumerate(PAGES, 1):
            writer.add(fakes.parsed(PARTIAL.id, number, texts))
            writer.flush()
            assert shown(partial) == before
        assert known(partial)
        writer.finish(replace(PARTIAL, failed_pages=()), NOWHERE)
        writer.flush()
        assert writer.document_state(PARTIAL.id, PARTIAL.path) == "same"
    assert shown(partial) == PAGES
    assert [d.failed_pages for d in partial.documents()] == [()]
    assert len(partial._store.snapshot().page_keys()) == 3
    assert known(partial) == {}  # elements of that id may be others now


@pytest.mark.parametrize("killed", [True, False])
def test_a_run_that_does_not_come_to_its_end_leaves_the_old_version(partial: Collection, killed: bool) -> None:
    with writing(partial, killed) as writer:
        for number, texts in enumerate(PAGES[:2], 1):
            writer.add(fakes.parsed(PARTIAL.id, number, texts))
        writer.flush()
    assert shown(partial) == [PAGES[0], [], PAGES[2]]
    with writing(partial) as writer:  # clears up what the killed one left
        assert len(partial._store.snapshot().page_keys()) == 2
    assert known(partial)


def giant(path: Path) -> Path:
    """A PDF of one plain page and one that needs more memory than `TIGHT` has."""
    with pymupdf.open() as document:
        document.new_page(width=420, height=595).insert_text((40, 60), "The mill by the river grinds rye.")
        document.new_page(width=14_400, height=14_400).insert_text((40, 60), "A giant page with a line of text.")
        document.save(path)
    return path
