"""A collection in shards: documents lie apart and are written and read as if they did not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings
from indexing.embed.minilm import MiniLM
from indexing.errors import CollectionDamaged, DocumentMissing, ShardsMismatch
from indexing.store.sharded_store import ShardedStore
from tests.support import fakes

FILES = {f"{n}.pdf": [[f"Ledger {n} counts barrels of cider.", f"Its clerk was number {n}."]] for n in range(12)}


def opened(home: Path, embedder: MiniLM, **settings: int) -> Collection:
    made = Collection.create("parts", home, IndexingSettings(workers=1, **settings))  # type: ignore[arg-type]
    vars(made)["_embedder"] = embedder
    return made


@pytest.fixture
def parts(tmp_path: Path, embedder: MiniLM) -> Collection:
    made = opened(tmp_path, embedder, shards=3)
    fakes.index(made, FILES)
    return made


def shards_of(collection: Collection) -> list[set[str]]:
    store = collection._store
    assert isinstance(store, ShardedStore)
    return [{document.name for document in shard.documents()} for shard in store.readable]


def test_each_document_lies_whole_in_one_shard_and_all_are_there(parts: Collection) -> None:
    by_shard = shards_of(parts)
    assert len(by_shard) == 3
    assert all(by_shard)
    assert sum(map(len, by_shard)) == 12 == len(parts.documents())
    assert set.union(*by_shard) == set(FILES)
    assert json.loads((parts.path / "collection.json").read_text())["shards"] == 3
    assert parts.stats()["elements"] == 24 == sum(parts.kinds().values())
    for document in parts.documents():
        assert parts.page(document.id, 1).number == 1
        texts = [e.text for e in parts.page_elements(document.id, 1)]
        assert texts == FILES[document.name][0]
        assert [e.text for e in parts.elements_on([(document.id, 1)])[0]] == texts


def test_it_is_opened_with_its_shards_whatever_the_settings_say(parts: Collection, embedder: MiniLM) -> None:
    home = parts.path.parent
    again = Collection.open("parts", home, IndexingSettings(shards=5))
    assert again.settings.shards == 3
    assert len(again.documents()) == 12
    with pytest.raises(ShardsMismatch, match=r"has shards=3, not 5"):
        opened(home, embedder, shards=5)
    assert opened(home, embedder).settings.shards == 3  # not named: as it is


def test_a_changed_file_takes_its_place_from_another_shard(parts: Collection) -> None:
    """The new version's id leads to another shard sooner or later: twelve files are changed."""
    before = shards_of(parts)
    with parts.writer() as writer:
        for name in FILES:
            document = replace(fakes.document(name, [[f"New {name}"]]), indexed_at="2999-01-01T00:00:00.000+00:00")
            writer.add(fakes.parsed(document.id, 1, [f"The new text of {name}."]))
            writer.finish(document, Path("/nowhere"))
        writer.flush()
    after = shards_of(parts)
    assert before != after
    assert sum(map(len, after)) == 12
    assert {d.name: d.n_elements for d in parts.documents()} == dict.fromkeys(FILES, 1)
    assert parts.search("Which ledger counts barrels?", limit=50).hits
    assert {h.element.text for h in parts.search("Ledger", limit=50).hits} == {f"The new text of {n}." for n in FILES}


def test_of_two_versions_in_two_shards_the_newer_is_shown_and_the_older_removed(parts: Collection) -> None:
    store = parts._store
    assert isinstance(store, ShardedStore)
    old = parts.documents()[0]
    here = store.shards.index(store.of(old.id))
    new_id = next(i for i in (f"{n:016x}" for n in range(50)) if store.shards.index(store.of(i)) != here)
    store.of(new_id).publish([replace(old, id=new_id, indexed_at="2999-01-01T00:00:00.000+00:00")])
    assert [d.id for d in parts.documents() if d.path == old.path] == [new_id]
    store.settle()
    assert sum(map(len, shards_of(parts))) == 12
    assert old.id not in {d.id for shard in store.readable for d in shard.documents()}


def test_what_is_removed_renamed_described_and_known_is_so_in_its_own_shard(parts: Collection) -> None:
    gone = parts.remove("3.pdf")
    assert "3.pdf" not in set.union(*shards_of(parts))
    assert not any(gone.id in snapshot.element_keys()["doc_id"].to_pylist() for snapshot in parts.snapshots())
    document = parts.document("4.pdf")
    with parts.writer() as writer:
        writer.rename(document.id, "four.pdf", "/there/four.pdf")
        writer.describe(document.id, replace(document.metadata, tags=("minutes",)))
    shown = parts.document("four.pdf")
    assert (shown.id, shown.metadata.tags) == (document.id, ("minutes",))
    said = {parts.page_elements(d.id, 1)[0]: f"note of {d.name}" for d in parts.documents()}
    parts.knowledge.keep(said, "model", "1")
    assert parts.knowledge.read(list(said), "model", "1") == {e.id: text for e, text in said.items()}
    parts.compact()
    assert len(parts.documents()) == 11


def lost(folder: Path) -> None:
    shutil.rmtree(folder)


def damaged(folder: Path) -> None:
    for manifest in (folder / "db" / "documents.lance" / "_versions").iterdir():
        manifest.write_bytes(b"no manifest")


@pytest.mark.parametrize("how", [lost, damaged])
def test_a_shard_that_cannot_be_read_is_named_and_never_made_anew(
    parts: Collection, embedder: MiniLM, how: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    theirs = shards_of(parts)[1]
    how(parts.path / "shards" / "2")
    left = opened(parts.path.parent, embedder)
    assert {d.name for d in left.documents()} == set(FILES) - theirs
    assert "shard 2 of 3 cannot be read" in caplog.text
    found = left.search("Which ledger counts barrels?", limit=50)
    assert {h.element.text for h in found.hits} == {t for n, ((*ts,),) in FILES.items() if n not in theirs for t in ts}
    (missing,) = found.missing
    assert missing.startswith("shard 2 of 3 (")
    with pytest.raises(CollectionDamaged), left.writer():
        pass
    assert not (parts.path / "shards" / "2" / "db" / "pages.lance").exists() or how is damaged
    with pytest.raises(DocumentMissing):
        left.document(min(theirs))


@pytest.mark.parametrize(
    ("name", "value"), [*(("shards", value) for value in (0, 65, "3", True, 2.0)), ("version", 3), ("version", -1)]
)
def test_a_record_with_impossible_values_is_refused(parts: Collection, name: str, value: object) -> None:
    record = parts.path / "collection.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {name: value}))
    with pytest.raises(CollectionDamaged, match=name):
        Collection.open("parts", parts.path.parent)
