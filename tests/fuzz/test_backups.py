"""Backups: an archive of anybody is restored whole, readable and into its home alone, or refused by one clear line."""

import contextlib
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lancedb
import pytest
from hypothesis import strategies as st

from indexing import Collection, IndexingError, list_collections
from plugins.backup.backup import back_up, check_backup, restore
from tests.fuzz.conftest import Fuzz
from tests.fuzz.hostile import ANY, DEEP, JSON, NAMES, NUMBERS, is_a_message, written
from tests.support import fakes

Files = dict[str, bytes]
CONTENTS, RECORD = "backup.json", "collections/made-up/collection.json"
PATHS = st.sampled_from((RECORD, "collections/made-up/sources/x.pdf", "home/page.key", "home/state.sqlite",
                         "home/.bibliographies/a.sqlite", "collections/made-up/versions/1/db/x")) | NAMES  # fmt: skip
TEXTS = ANY | JSON.map(written)
COLUMNS = {
    "documents": {"name": NAMES, "path": NAMES, "sha256": NAMES, "id": NAMES, "title": ANY, "metadata": TEXTS},
    "elements": {
        "cells": st.binary(max_size=40) | JSON.map(written).map(str.encode),
        "words": st.binary(max_size=90),
        "text": ANY,
        "kind": ANY,
        "page": st.integers(-5, 2**31 - 1),
        "x0": st.sampled_from((float("nan"), -9e9, 2.0)),
    },
    "pages": {
        "spans": st.binary(max_size=40),
        "label": ANY,
        "number": st.integers(-5, 99),
        "width": st.sampled_from((float("nan"), float("inf"), -1.0, 0.0)),
    },
}
CELLS = st.sampled_from(sorted((table, column) for table, columns in COLUMNS.items() for column in columns)).flatmap(
    lambda cell: st.tuples(st.just(cell), COLUMNS[cell[0]][cell[1]])
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    """The files of a sound backup, by their paths in it."""
    folder = tmp_path_factory.mktemp("backup")
    made = Collection.create("made-up", folder / "home")
    fakes.index(made, {"mill.pdf": [["The mill was built in 1742.", "It burned."], ["Rye"]]})
    made.close()
    back_up(folder / "whole.tar", home=folder / "home")
    with tarfile.open(folder / "whole.tar") as archive:
        yield {member.name: taken.read() for member in archive if (taken := archive.extractfile(member))}


def packed(path: Path, files: Files, told: bytes | None = None) -> Path:
    """Write an archive whose contents name each file with the checksum that it has."""
    if told is None:
        listed = [
            {"path": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
            if name != CONTENTS
        ]
        told = json.dumps(json.loads(files[CONTENTS]) | {"files": listed}).encode()
    with tarfile.open(path, "w") as archive:
        for name, content in {**files, CONTENTS: told}.items():
            member = tarfile.TarInfo(name.encode("utf-8", "replace").decode())
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


@pytest.fixture
def tried(tmp_path: Path) -> Callable[[Callable[[Path], Path]], None]:
    """`tried(make)` checks and restores the archive that `make` writes, and reads all that comes of it."""
    (tmp_path / "secret.pdf").write_bytes(b"%PDF-1.7 of somebody else")

    def work(make: Callable[[Path], Path]) -> None:
        home, file = tmp_path / "home", tmp_path / "any.tar"
        shutil.rmtree(home, ignore_errors=True)
        make(file)
        try:
            check_backup(file)
            restore(file, home=home)
            for name in list_collections(home):
                read(Collection.open(name, home))
        except IndexingError as error:
            is_a_message(error)
        file.unlink()
        assert {path.name for path in tmp_path.iterdir()} <= {"home", "secret.pdf"}
        assert {path.name for path in home.glob("*")} <= {"made-up", ".bibliographies", "state.sqlite"}

    return work


def read(collection: Collection) -> None:
    """Read every row of a collection, and the copy of each document."""
    with collection:
        for document in collection.documents():
            for number in range(1, min(document.n_pages, 9) + 1):
                assert collection.page(document.id, number).number == number
                assert all(element.page == number for element in collection.page_elements(document.id, number))
            with contextlib.suppress(FileNotFoundError):
                assert collection.originals.path(document).resolve().is_relative_to(collection.path.resolve())
        assert list(collection.outlines()) is not None


def test_any_contents_are_those_of_a_backup_or_refused(fuzz: Fuzz, whole: Files, tried: Any) -> None:
    def check(told: Any, path: str, content: bytes, more: dict[str, Any]) -> None:
        def make(file: Path) -> Path:
            if isinstance(told, bytes):
                return packed(file, whole, told)
            changed = json.loads(whole[CONTENTS]) | more
            return packed(file, {**whole, path or "x": content, CONTENTS: json.dumps(changed).encode()})

        tried(make)

    fields = st.dictionaries(st.sampled_from(("vouch_backup", "made_at", "collections", "more")), JSON, max_size=1)
    told = (
        st.none() | JSON.map(written).map(str.encode) | st.sampled_from(DEEP).map(str.encode) | st.binary(max_size=60)
    )
    fuzz(check, told=told, path=PATHS, content=st.binary(max_size=50), more=fields)


def test_any_record_of_a_collection_is_one_or_refused(fuzz: Fuzz, whole: Files, tried: Any) -> None:
    record = json.loads(whole[RECORD])

    def check(name: str, value: Any, text: str | None) -> None:
        said = text if text is not None else written(record | {name: value})
        tried(lambda file: packed(file, {**whole, RECORD: said.encode("utf-8", "replace")}))

    names = st.sampled_from((*record, "version", "checkpoint", "dim", "token_pooling"))
    fuzz(check, name=names, value=JSON | NUMBERS, text=st.none() | st.sampled_from(DEEP) | JSON.map(written))


def test_any_row_is_read_or_the_collection_is_called_damaged(
    fuzz: Fuzz, whole: Files, tried: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")

    def check(cells: list[tuple[tuple[str, str], Any]]) -> None:
        def make(file: Path) -> Path:
            shutil.rmtree(folder)
            for name, content in whole.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            database = lancedb.connect(folder / "collections" / "made-up" / "db")
            for (table, column), value in cells:
                plain = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
                database.open_table(table).update(values={column: plain})
            paths = sorted(path for path in folder.rglob("*") if path.is_file())
            return packed(file, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

        tried(make)

    fuzz(check, cells=st.lists(CELLS, min_size=1, max_size=2))


def test_any_damage_to_a_table_is_told(fuzz: Fuzz, whole: Files, tried: Any) -> None:
    tables = sorted(name for name in whole if "/db/" in name)

    def check(name: str, damage: list[tuple[int, int]]) -> None:
        content = bytearray(whole[name])
        for place, byte in damage:
            content[place % len(content)] ^= byte
        tried(lambda file: packed(file, {**whole, name: bytes(content)}))

    changed = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(1, 255)), min_size=1, max_size=6)
    fuzz(check, name=st.sampled_from(tables), damage=changed)
