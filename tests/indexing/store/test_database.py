"""The collection on disk: what is visible when, what a kill leaves, and that nothing piles up."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from indexing import Collection, errors
from indexing.embed.minilm import MiniLM
from indexing.store import writer as writer_module
from indexing.store.database import Store
from indexing.store.lance import quote_literal
from indexing.types import BBox, Cell, Document
from tests.support import fakes

ONE = {"mill.pdf": [["The mill grinds rye.", "It stands by the river."], ["It burned in 1911."]]}
TWO = {"bus.pdf": [["The night bus leaves at ten.", "It costs two crowns."]]}
SPITE = "'; DROP TABLE documents; --' OR '1'='1"


def rows(collection: Collection) -> tuple[int, int]:
    """Rows of pages and elements, whether or not their document is visible."""
    snapshot = collection._store.snapshot()
    return len(snapshot.page_keys()), len(snapshot.element_keys())


def add_half(collection: Collection, name: str = "half.pdf") -> None:
    """Write a page of a document that is never finished, as a killed run does."""
    with collection._write_lock():
        writer = writer_module.Writer(collection._store, collection._embedder, None, collection.path / "sources")
        writer.add(fakes.parsed(fakes.document(name, [["a"]]).id, 1, ["The secret lies under the ninth barrel."]))
        writer.flush()


def test_what_is_stored_comes_back(collection: Collection) -> None:
    (doc,) = fakes.index(collection, ONE)
    assert collection.documents() == (doc,)
    page = collection.page(doc.id, 2)
    assert (page.number, page.width, page.height) == (2, 420.0, 595.0)
    stored = collection.page_elements(doc.id, 1)
    made = fakes.parsed(doc.id, 1, ONE["mill.pdf"][0]).elements
    assert stored == made
    assert np.array_equal(stored[1].words.spans, made[1].words.spans)
    assert np.array_equal(stored[1].words.boxes, made[1].words.boxes)
    assert np.array_equal(stored[1].words.lines, made[1].words.lines)


def test_every_field_of_an_element_survives(collection: Collection) -> None:
    cell = Cell(1, 2, 1, 3, 0, 4, BBox(0.1, 0.2, 0.3, 0.4), header=True)
    doc = fakes.document("t.pdf", [["x"]])
    plain = fakes.element("Year | Rye", doc.id, kind="table")
    rich = replace(plain, section=("One", "Zwei “2”"), caption="Table 1: rye", cells=(cell,), source="ocr")
    group = replace(plain, id=f"{doc.id}-1-g1", kind="group", parts=(rich.id, f"{doc.id}-1-9"))
    fakes.keep(collection, doc, replace(fakes.parsed(doc.id, 1, []), elements=(rich, group)))
    stored = collection.page_elements(doc.id, 1)
    assert stored == (rich, group)
    assert stored[0].cells == (cell,)


def test_outlines_are_of_a_kind_or_say_something_and_have_no_words(collection: Collection) -> None:
    (doc,) = fakes.index(collection, ONE)
    said = list(collection.outlines(saying=r"(?i)\bGRINDS\b"))
    assert [(e.doc_id, e.page, e.text) for e in said] == [(doc.id, 1, "The mill grinds rye.")]
    assert len(said[0].words.spans) == 0
    (whole,) = (e for e in collection.page_elements(doc.id, 1) if e.id == said[0].id)
    assert replace(said[0], words=whole.words) == whole
    kind = whole.kind
    assert {e.id for e in collection.outlines(kind=kind)} >= {whole.id}
    assert list(collection.outlines(kind="formula")) == []
    assert list(collection.outlines(kind=kind, saying="it's|' OR 1=1 --")) == []


def test_a_document_is_invisible_until_it_is_finished(collection: Collection) -> None:
    fakes.index(collection, TWO)
    add_half(collection)
    assert [d.name for d in collection.documents()] == ["bus.pdf"]
    texts = [h.element.text for h in collection.search("What lies under the ninth barrel?").hits]
    assert not any("secret" in t for t in texts)
    assert len(texts) == 2


def test_what_a_killed_run_left_is_swept_by_the_next_writer(collection: Collection) -> None:
    fakes.index(collection, TWO)
    clean = rows(collection)
    add_half(collection)
    assert rows(collection) != clean
    with collection.writer():
        assert rows(collection) == clean


def test_a_changed_file_replaces_its_old_self_in_one_commit(collection: Collection) -> None:
    (old,) = fakes.index(collection, ONE)
    changed = {"mill.pdf": [["The mill grinds barley."]]}
    new = fakes.document("mill.pdf", changed["mill.pdf"])
    store = Store(collection.path / "db", collection._embedder.dim)
    seen = []
    with collection.writer() as writer:
        assert writer.document_state(new.id, new.path) == "changed"
        assert writer.document_state(old.id, old.path) == "same"
        writer.add(fakes.parsed(new.id, 1, ["The mill grinds barley."]))
        seen.append([d.id for d in store.documents()])
        writer.finish(new, Path("/nowhere"))
        seen.append([d.id for d in store.documents()])
        before = store.version()
        writer.flush()
        seen.append([d.id for d in store.documents()])
    assert seen == [[old.id], [old.id], [new.id]]
    assert store.version() == before + 1
    assert rows(collection) == (1, 1)
    assert [h.element.text for h in collection.search("What does the mill grind?").hits] == ["The mill grinds barley."]


@pytest.mark.parametrize(
    ("flush", "batch", "most_flushes"),
    [(0.1, 0.0, 12), (2, 0.0, 9), (6, 0.0, 20), (0.1, 4.0, 20)],
    ids=["a quick disk", "a slow disk", "a very slow disk", "slow batches"],
)
def test_no_finished_document_waits_ten_seconds_and_a_slow_disk_is_not_kept_busy(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, flush: float, batch: float, most_flushes: int
) -> None:
    """A document is finished every second of a minute. At every moment a kill may come."""
    now = [100.0]
    monkeypatch.setattr(writer_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    finished: dict[str, float] = {}
    waits: list[float] = []
    add, publish, embed = collection._store.add, collection._store.publish, writer_module.rows_of

    def slow(*rows: Any) -> None:
        now[0] += flush
        add(*rows)

    def noted(documents: Sequence[Document]) -> None:
        publish(documents)
        waits.extend(now[0] - finished[d.name] for d in documents)

    def slow_batch(*given: Any) -> Any:
        now[0] += batch
        return embed(*given)

    monkeypatch.setattr(collection._store, "add", slow)
    monkeypatch.setattr(collection._store, "publish", noted)
    monkeypatch.setattr(writer_module, "rows_of", slow_batch)
    with collection.writer() as writer:
        while now[0] < 160:
            now[0] += 1
            document = fakes.document(f"{now[0]}.pdf", [["x"]])
            writer.add(fakes.parsed(document.id, 1, [f"Report {now[0]}."]))
            finished[document.name] = now[0]
            writer.finish(document, Path("/nowhere"))
        flushes = writer._flushes
        writer.flush()
    assert len(waits) == len(finished)
    assert max(waits) <= 10
    assert flushes <= most_flushes


def test_the_source_copy_is_kept_and_goes_with_its_document(collection: Collection, tmp_path: Path) -> None:
    source = tmp_path / "mill.PDF"
    source.write_bytes(b"the file itself")
    (doc,) = fakes.index(collection, ONE, source)
    assert (collection.path / "sources" / f"{doc.sha256}.pdf").read_bytes() == b"the file itself"
    collection.remove("mill.pdf")
    assert list((collection.path / "sources").iterdir()) == []


def test_remove_leaves_nothing_of_the_document_and_all_of_the_others(collection: Collection) -> None:
    fakes.index(collection, ONE)
    fakes.index(collection, TWO)
    assert collection.remove("mill.pdf").name == "mill.pdf"
    assert [d.name for d in collection.documents()] == ["bus.pdf"]
    assert rows(collection) == (1, 2)
    with pytest.raises(errors.DocumentMissing, match=r"mill\.pdf.*there are: bus\.pdf"):
        collection.remove("mill.pdf")


def test_a_removal_is_completed(collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "mill.pdf"
    source.write_bytes(b"the file itself")
    fakes.index(collection, {"mill.pdf": ONE["mill.pdf"]}, source)

    def full(*_: object) -> None:
        raise errors.DiskFull("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(collection._store, "_document_tables", full)
        with pytest.raises(errors.DiskFull):
            collection.remove("mill.pdf")
    assert collection.documents() == ()
    assert any((collection.path / "sources").iterdir())
    with pytest.raises(errors.DocumentMissing):
        collection.remove("mill.pdf")
    assert rows(collection) == (0, 0)
    assert list((collection.path / "sources").iterdir()) == []
    with collection.writer(), pytest.raises(errors.DocumentMissing):
        collection.remove("mill.pdf")


def test_quotes_and_sql_in_names_are_only_text(collection: Collection) -> None:
    spite = {f"{SPITE}.pdf": [["A name is only a name."]]}
    (bus,) = fakes.index(collection, TWO)
    (doc,) = fakes.index(collection, spite)
    assert collection.document(f"{SPITE}.pdf") == doc
    for name in (SPITE, "' OR 1=1 --", "x' OR id LIKE '%"):
        with pytest.raises(errors.DocumentMissing):
            collection.document(name)
        with pytest.raises(errors.DocumentMissing):
            collection.page(name, 1)
        assert collection.page_elements(name, 1) == ()
        assert collection.search("name", doc_ids=[name]).hits == ()
        collection._store.remove(name)
    assert collection.documents() == (bus, doc) or collection.documents() == (doc, bus)


@pytest.mark.parametrize(
    "value", ["plain", "it's", "''", "'; DROP TABLE x; --", "back\\slash", "new\nline", "\U0001f9c9"]
)
def test_a_quoted_value_equals_only_itself(collection: Collection, value: str) -> None:
    doc = replace(fakes.document("a.pdf", [["x"]]), id=value)
    collection._store.publish([doc, fakes.document("b.pdf", [["y"]])])
    table = collection._store._tables["documents"]
    assert table.count_rows(f"id = {quote_literal(value)}") == 1


def test_an_id_of_another_collection_finds_nothing(tmp_path: Path, embedder: MiniLM) -> None:
    mine = fakes.collection(tmp_path, embedder, "mine")
    yours = fakes.collection(tmp_path, embedder, "yours")
    fakes.index(mine, ONE)
    (secret,) = fakes.index(yours, TWO)
    assert mine.search("When does the night bus leave?", doc_ids=[secret.id]).hits == ()
    assert mine.page_elements(secret.id, 1) == ()
    for call in (mine.document, mine.remove, lambda i: mine.page(i, 1), lambda i: mine.draw_page(i, 1)):
        with pytest.raises(errors.DocumentMissing):
            call(secret.id)
    assert len(yours.documents()) == 1


def test_a_long_run_compacts_on_its_way(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "OPTIMIZE_EVERY", 5)
    files = []
    with collection.writer() as writer:
        for number in range(7):
            doc = fakes.document(f"{number}.pdf", [["x"]])
            writer.add(fakes.parsed(doc.id, 1, [f"The number of this document is {number}."]))
            writer.finish(doc, Path("/nowhere"))
            writer.flush()
            files.append(collection._store._tables["pages"].stats()["fragment_stats"]["num_fragments"])
    assert files == [1, 2, 3, 4, 1, 2, 3]


def test_an_open_reader_answers_through_writes_and_compaction(collection: Collection, embedder: MiniLM) -> None:
    fakes.index(collection, ONE)
    reader = fakes.opened(collection.path.parent, embedder)
    ask = "When did the mill burn?"
    assert reader.search(ask).hits[0].element.text == "It burned in 1911."
    fakes.index(collection, TWO)
    assert len(reader.search(ask).hits) == 5
    snapshot = reader._searcher._candidates._current()[1]
    collection.remove("bus.pdf")
    collection.compact()
    assert snapshot is not None
    assert [h.element.text for h in reader.search(ask, limit=1).hits] == ["It burned in 1911."]
    assert len(reader.search(ask).hits) == 3


def test_a_reader_of_a_version_that_was_cleaned_away_looks_again(collection: Collection) -> None:
    fakes.index(collection, ONE)
    collection.warm()
    searcher = collection._searcher
    pages = searcher._candidates
    documents = collection._store.version()
    collection._store._tables["pages"].delete("false")
    fakes.index(collection, TWO)
    collection.compact()
    pages._states = {collection._store.version(): pages._states[documents]}  # as if nothing had happened since
    assert collection._store.version() > documents
    assert searcher.search("When did the mill burn?", limit=1).hits[0].element.text == "It burned in 1911."
