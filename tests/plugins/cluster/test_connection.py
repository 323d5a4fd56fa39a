"""Connection to a cluster, and files that are sent to its nodes."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing import Collection, IndexingSettings, build_index, errors
from indexing.workers import Job
from plugins.cluster import node
from plugins.cluster.connection import connect
from plugins.cluster.errors import ClusterOpen
from plugins.cluster.node import FileSender, ReceivedFiles


@pytest.mark.parametrize(
    "on",
    ["", "dask", "ray:", "ray://", "ray://head", "ray://:6379", "ray://head:port", "ray://head:99999",
     "ray://head:6379/x", "ray://head:6379?x", "http://head:6379", "ray://[::1:6379"],
)  # fmt: skip
def test_what_names_no_cluster_is_refused_by_a_line_that_says_what_does(on: str) -> None:
    with pytest.raises(errors.BadSetting, match=r"ray://HOST:PORT"), connect(on):
        pass


@pytest.mark.parametrize("on", ["ray://127.0.0.1:6379", "ray://localhost:6379"])
def test_the_address_that_ray_rewrites_is_refused_before_it_hangs(on: str) -> None:
    with pytest.raises(errors.BadSetting, match="network card"), connect(on):
        pass


@pytest.mark.parametrize("mode", [None, "", "disabled"])
def test_a_cluster_without_a_token_is_not_used(mode: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    if mode is not None:
        monkeypatch.setenv("RAY_AUTH_MODE", mode)
    with pytest.raises(ClusterOpen, match="RAY_AUTH_MODE=token"), connect("ray"):
        pass


def test_a_machine_without_ray_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setitem(sys.modules, "ray", None)
    made = Collection.create("here", tmp_path)
    with pytest.raises(errors.ExtraMissing, match=r"pip install 'vouch\[ray\]'"):
        build_index(made, [], on="ray")
    assert build_index(made, []).files == ()


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


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def sender(memory: Memory) -> FileSender:
    return FileSender(memory.put)


@pytest.fixture
def received(memory: Memory, tmp_path: Path) -> ReceivedFiles:
    return ReceivedFiles(tmp_path / "node", memory.fetch)


def job(folder: Path, name: str, content: bytes) -> Job:
    (folder / name).write_bytes(content)
    return Job(folder / name, None, SETTINGS)


def test_a_file_travels_once_and_again_when_it_has_changed(
    tmp_path: Path, memory: Memory, sender: FileSender, received: ReceivedFiles
) -> None:
    letter = job(tmp_path, "a letter.pdf", b"dear")
    for _ in range(3):
        with received.unpack(letter, sender.transfer(letter)) as there:
            assert there.path.name == "a letter.pdf"
            assert there.path != letter.path
            assert there.path.read_bytes() == b"dear"
    assert (len(memory.kept), memory.fetched) == (1, [0])
    changed = job(tmp_path, "a letter.pdf", b"dearest")
    with received.unpack(changed, sender.transfer(changed)) as there:
        assert there.path.read_bytes() == b"dearest"


def test_a_full_shelf_evicts_the_least_recent_and_nothing_in_use(
    tmp_path: Path, sender: FileSender, received: ReceivedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "MOST_KEPT", 10)
    one, two, three = (job(tmp_path, name, bytes(8)) for name in ("one", "two", "three"))
    with received.unpack(one, sender.transfer(one)) as held:
        for other in (two, three):
            with received.unpack(other, sender.transfer(other)):
                pass
        assert held.path.exists()
    assert len(list((tmp_path / "node").iterdir())) == 1
    with received.unpack(two, sender.transfer(two)) as there:
        assert there.path.read_bytes() == bytes(8)


def test_a_file_that_came_in_part_comes_again(tmp_path: Path, memory: Memory, sender: FileSender) -> None:
    letter = job(tmp_path, "letter.txt", b"dear")
    failing = [OSError("no space left"), None]

    def fetch(reference: int) -> Any:
        if error := failing.pop(0):
            raise error
        return np.asarray(memory.fetch(reference))

    received = ReceivedFiles(tmp_path / "node", fetch)
    with pytest.raises(OSError, match="no space"), received.unpack(letter, sender.transfer(letter)):
        pass
    with received.unpack(letter, sender.transfer(letter)) as there:
        assert there.path.read_bytes() == b"dear"
