"""Parcels: a file goes once to a node, with its rendition, and lies there no longer than there is room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing import IndexingSettings
from indexing.workers import Job
from plugins.cluster import transfers
from plugins.cluster.transfers import ParcelSender, ParcelShelf

SETTINGS = IndexingSettings()


class Memory:
    """What the object store of a cluster does: it keeps bytes under a reference, and gives them back."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self.fetched: list[int] = []

    def put(self, content: Any) -> int:
        self.kept.append(content)
        return len(self.kept) - 1

    def fetch(self, reference: int) -> Any:
        self.fetched.append(reference)
        return self.kept[reference]


def job(folder: Path, name: str, content: bytes) -> Job:
    (folder / name).write_bytes(content)
    return Job(folder / name, None, SETTINGS)


def test_a_file_travels_once_and_keeps_its_name(tmp_path: Path) -> None:
    memory = Memory()
    sender, shelf = ParcelSender(memory.put), ParcelShelf(tmp_path / "node", memory.fetch)
    letter = job(tmp_path, "a letter.pdf", b"dear")
    for _ in range(3):
        with shelf.unpack(letter, sender.parcel(letter)) as there:
            assert there.path.name == "a letter.pdf"
            assert there.path != letter.path
            assert there.path.read_bytes() == b"dear"
    assert (len(memory.kept), memory.fetched) == (1, [0])


def test_a_file_that_has_changed_travels_again(tmp_path: Path) -> None:
    memory = Memory()
    sender, shelf = ParcelSender(memory.put), ParcelShelf(tmp_path / "node", memory.fetch)
    before = sender.parcel(job(tmp_path, "a.txt", b"old"))
    letter = job(tmp_path, "a.txt", b"newer")
    assert sender.parcel(letter).key != before.key
    with shelf.unpack(letter, sender.parcel(letter)) as there:
        assert there.path.read_bytes() == b"newer"


def test_a_rendition_travels_with_its_elements_in_place_of_the_file(tmp_path: Path) -> None:
    memory = Memory()
    sender, shelf = ParcelSender(memory.put), ParcelShelf(tmp_path / "node", memory.fetch)
    (tmp_path / "r.pdf").write_bytes(b"%PDF")
    (tmp_path / "r.jsonl").write_bytes(b"{}\n")
    mail = Job(tmp_path / "gone.eml", None, SETTINGS, tmp_path / "r.pdf")
    with shelf.unpack(mail, sender.parcel(mail)) as there:
        assert there.pages is not None
        assert there.pages.read_bytes() == b"%PDF"
        assert there.pages.with_suffix(".jsonl").read_bytes() == b"{}\n"
        assert there.path.name == "gone.eml"


def test_a_full_shelf_evicts_the_least_recent_and_nothing_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "MOST_KEPT", 10)
    memory = Memory()
    sender, shelf = ParcelSender(memory.put), ParcelShelf(tmp_path / "node", memory.fetch)
    one, two, three = (job(tmp_path, name, bytes(8)) for name in ("one", "two", "three"))
    with shelf.unpack(one, sender.parcel(one)) as held:
        for other in (two, three):
            with shelf.unpack(other, sender.parcel(other)):
                pass
        assert held.path.exists()
    assert len(list((tmp_path / "node").iterdir())) == 1
    with shelf.unpack(two, sender.parcel(two)) as there:
        assert there.path.read_bytes() == bytes(8)


def test_a_file_that_could_not_arrive_whole_arrives_the_next_time(tmp_path: Path) -> None:
    memory = Memory()
    letter = job(tmp_path, "letter.txt", b"dear")
    sender = ParcelSender(memory.put)
    failing = [OSError("no space left"), None]

    def fetch(reference: int) -> Any:
        if error := failing.pop(0):
            raise error
        return np.asarray(memory.fetch(reference))

    shelf = ParcelShelf(tmp_path / "node", fetch)
    with pytest.raises(OSError, match="no space"), shelf.unpack(letter, sender.parcel(letter)):
        pass
    with shelf.unpack(letter, sender.parcel(letter)) as there:
        assert there.path.read_bytes() == b"dear"
