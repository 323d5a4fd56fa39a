"""Backups of collections in folders: taken while somebody writes, restored elsewhere, in one step or not at all."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, list_collections, reindex_collection
from indexing.embed.minilm import MiniLM
from indexing.errors import (
    BadSetting,
    CollectionLocked,
    CollectionMissing,
    CollectionThere,
    IndexingError,
)
from indexing.store import write_lock
from plugins.backup import backup
from plugins.backup.archive import staging_folder
from plugins.backup.backup import back_up, check_backup, restore
from rag import Pipeline
from tests.support import fakes

MILL = {"mill.pdf": [["The mill was built in 1742.", "Its wheel is nine metres wide."], ["The miller keeps bees."]]}
FERRY = {"ferry.pdf": [["The ferry crosses the bay twice a day."]]}
ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def written_on(collection: Collection) -> Iterator[None]:
    """Documents come into a collection, each published at once, some replaced, as long as this lasts."""
    ended, some = threading.Event(), threading.Event()
    failed: list[Exception] = []

    def write() -> None:
        try:
            with collection.writer() as writer:
                number = 0
                while not ended.is_set():
                    doc = fakes.document(f"{number % 6}.pdf", [[f"Ledger {number} counts barrels of cider."]])
                    writer.add(fakes.parsed(doc.id, 1, [f"Ledger {number} counts barrels of cider."]))
                    writer.finish(doc, Path("/nowhere"))
                    writer.flush()
                    if number % 5 == 4:
                        writer._store.optimize()
                    number += 1
                    if number == 3:
                        some.set()
        except (IndexingError, OSError, AssertionError) as error:
            failed.append(error)
            some.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert some.wait(60)
        assert thread.is_alive()
        yield
        assert thread.is_alive()
    finally:
        ended.set()
        thread.join(60)
    assert failed == []


@pytest.mark.slow
@pytest.mark.gate
def test_a_backup_taken_during_writes_is_whole(collection: Collection, embedder: MiniLM, tmp_path: Path) -> None:
    source = tmp_path / "mill.source"
    source.write_bytes(b"the file itself")
    (mill,) = fakes.index(collection, MILL, source)
    element = collection.page_elements(mill.id, 1)[0]
    collection.knowledge.keep({element: "a mill, from the eighteenth century"}, "m", "p")
    home, elsewhere = collection.path.parent, tmp_path / "elsewhere"
    with written_on(collection):
        made = back_up(tmp_path / "all.tar", home=home)
    restore(tmp_path / "all.tar", home=elsewhere)
    copy = fakes.opened(elsewhere, embedder)
    documents = copy.documents()
    assert len(documents) == made.collections[0].documents >= 4
    for document in documents:  # whole: none is there without its rows
        assert len(copy.page_elements(document.id, 1)) == (2 if document.id == mill.id else 1)
    assert copy.originals.path(copy.document("mill.pdf")).read_bytes() == b"the file itself"
    assert copy.knowledge.read([element], "m", "p") == {element.id: "a mill, from the eighteenth century"}
    answer = Pipeline(copy).answer("When was the mill built?")
    assert "1742" in answer.sentences[0].text
    fakes.index(copy, FERRY)  # and is written on
    assert "ferry" in copy.search("How often does the ferry cross?").hits[0].element.text
    assert not (home / ".backups").exists()


def test_compaction_during_a_backup(collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.index(collection, MILL)
    rounds: list[int] = []
    given = backup._link_files

    def compacting(*arguments: object) -> object:
        if len(rounds) < 2:
            rounds.append(1)
            fakes.index(collection, {f"{len(rounds)}.pdf": [["Another ledger."]]})
            collection.compact()
        return given(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(backup, "_link_files", compacting)
    assert back_up(tmp_path / "all.tar", home=collection.path.parent).collections[0].documents == 3
    assert check_backup(tmp_path / "all.tar").collections[0].pages == 4


def test_a_backup_gives_up_at_last(collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "_copy_tables", lambda *_: None)
    with pytest.raises(CollectionLocked, match="back up again when that run has finished"):
        back_up(tmp_path / "all.tar", home=collection.path.parent)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_an_empty_collection_and_what_stands_beside_come_along(collection: Collection, tmp_path: Path) -> None:
    home = collection.path.parent
    (home / ".bibliographies").mkdir()
    with closing(sqlite3.connect(home / ".bibliographies" / "mine.sqlite")) as rows:
        rows.execute("PRAGMA journal_mode=WAL")
        rows.execute("CREATE TABLE works (title)")
        rows.execute("INSERT INTO works VALUES ('On Ferries')")
        rows.commit()  # stands in the log beside the database, which a copy of the file would be without
        contents = back_up(tmp_path / "all.tar", home=home)
    assert [file.key for file in contents.of_home()] == [".bibliographies/mine.sqlite"]
    restore(tmp_path / "all.tar", home=tmp_path / "elsewhere")
    with closing(sqlite3.connect(tmp_path / "elsewhere" / ".bibliographies" / "mine.sqlite")) as rows:
        assert rows.execute("SELECT title FROM works").fetchall() == [("On Ferries",)]
    assert Collection.open("made-up", tmp_path / "elsewhere").documents() == ()
    with pytest.raises(CollectionThere, match=r"mine\.sqlite already exists"):
        restore(tmp_path / "all.tar", home=_with_one(tmp_path / "third"))


def test_a_reindexed_collection_comes_back(collection: Collection, embedder: MiniLM, tmp_path: Path) -> None:
    home = collection.path.parent
    fakes.index(collection, MILL)
    reindex_collection("made-up", home, settings=IndexingSettings(workers=1), changes={"visual": "none"})
    assert [c.documents for c in back_up(tmp_path / "all.tar", home=home).collections] == [1]
    restore(tmp_path / "all.tar", home=tmp_path / "elsewhere")
    again = fakes.opened(tmp_path / "elsewhere", embedder)
    assert [d.name for d in again.documents()] == ["mill.pdf"]
    assert again.search("When was the mill built?").hits


def test_people_and_conversations_come_back_to_whoever_has_them_open(collection: Collection, tmp_path: Path) -> None:
    home = collection.path.parent
    with closing(sqlite3.connect(home / "state.sqlite", isolation_level=None)) as state:
        state.execute("PRAGMA journal_mode=WAL")
        state.execute("CREATE TABLE users (name)")
        state.execute("INSERT INTO users VALUES ('ada')")
        back_up(tmp_path / "all.tar", home=home)
        state.execute("UPDATE users SET name = 'eve'")
        restore(tmp_path / "all.tar", home=home, replace=True)
        assert state.execute("SELECT name FROM users").fetchall() == [("ada",)]


def _with_one(home: Path) -> Path:
    (home / ".bibliographies").mkdir(parents=True)
    (home / ".bibliographies" / "mine.sqlite").touch()
    return home


def test_nothing_is_replaced_unasked(collection: Collection, embedder: MiniLM, tmp_path: Path) -> None:
    home, file = collection.path.parent, tmp_path / "all.tar"
    fakes.index(collection, MILL)
    back_up(file, home=home)
    with pytest.raises(BadSetting, match="never replaces a file"):
        back_up(file, home=home)
    fakes.index(collection, FERRY)
    with pytest.raises(CollectionThere, match="--as NAME"):
        restore(file, home=home)
    with write_lock(collection.place), pytest.raises(CollectionLocked):
        restore(file, replace=True, home=home)
    assert len(fakes.opened(home, embedder).documents()) == 2
    restore(file, replace=True, home=home)
    assert [d.name for d in fakes.opened(home, embedder).documents()] == ["mill.pdf"]
    assert not (home / ".backups").exists()
    fakes.index(fakes.opened(home, embedder), FERRY)


def test_the_names_are_looked_at_first(collection: Collection, tmp_path: Path) -> None:
    file = tmp_path / "all.tar"
    with pytest.raises(CollectionMissing, match="no collection named 'none'"):
        back_up(file, ["none"], home=collection.path.parent)
    with pytest.raises(BadSetting, match="no folder"):
        back_up(tmp_path / "none" / "all.tar", home=collection.path.parent)
    back_up(file, home=collection.path.parent)
    with pytest.raises(CollectionMissing, match="it has: made-up"):
        restore(file, ["none"], home=tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from plugins.backup import backup
exchange, moment = backup._exchange, sys.argv[1]
def killed(one, other):
    if moment == "after":
        exchange(one, other)
    os.kill(os.getpid(), signal.SIGKILL)
backup._exchange = killed
backup.restore(Path(sys.argv[2]), replace=True, home=Path(sys.argv[3]))
"""


@pytest.mark.slow
@pytest.mark.gate
@pytest.mark.parametrize(("moment", "documents"), [("before", 2), ("after", 1)])
def test_a_killed_restore(
    collection: Collection, embedder: MiniLM, tmp_path: Path, moment: str, documents: int
) -> None:
    home, file = collection.path.parent, tmp_path / "all.tar"
    fakes.index(collection, MILL)
    back_up(file, home=home)
    fakes.index(collection, FERRY)
    command = [sys.executable, "-c", _KILLED, moment, str(file), str(home)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.run(command, check=False, env=environment).returncode == -9
    assert len(fakes.opened(home, embedder).documents()) == documents
    assert list_collections(home) == ("made-up",)
    assert list((home / ".backups").glob("*.lock"))
    back_up(tmp_path / "again.tar", home=home)  # and what the kill has left is gone with the next one
    assert not (home / ".backups").exists()


def test_folders_of_living_processes_stay(collection: Collection) -> None:
    with staging_folder(collection.place.parent) as one, staging_folder(collection.place.parent):
        assert one.is_dir()
