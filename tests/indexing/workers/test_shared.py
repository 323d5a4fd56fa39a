"""All open collections of a process share one pool of processes and one model; idle processes end."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pymupdf
import pytest

from indexing import Collection, Document, IndexingSettings, build_index
from tests.support.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.gate, pytest.mark.cold_workers]
PYTHON = "spawn_main"
SETTINGS = IndexingSettings(visual="none", workers=1, drawing_idle_seconds=0.3)
Children = Callable[[], set[int]]


@pytest.fixture
def children() -> Children:
    """The worker processes of this one that were started since."""
    before = set(psutil.Process().children(recursive=True))

    def started() -> set[int]:
        new = set(psutil.Process().children(recursive=True)) - before
        return {process.pid for process in new if PYTHON in " ".join(process.cmdline())}

    return started


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three collections of the same page."""
    folder = tmp_path_factory.mktemp("shared")
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "The mill grinds rye.")
        made.save(folder / "mill.pdf")
    with Collection.create("a", folder / "home", SETTINGS) as collection:
        build_index(collection, [folder / "mill.pdf"], workers=1, settings=SETTINGS)
    for name in ("b", "c"):
        shutil.copytree(folder / "home" / "a", folder / "home" / name)
    return folder / "home"


@pytest.fixture
def three(home: Path) -> Iterator[list[tuple[Collection, Document]]]:
    """The collections, open as a server has them."""
    with ExitStack() as held:
        opened = [held.enter_context(Collection.open(name, home, SETTINGS)) for name in ("a", "b", "c")]
        yield [(collection, collection.documents()[0]) for collection in opened]


def test_collections_share_processes_which_end_when_idle(
    three: list[tuple[Collection, Document]], children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.workers.pool.WATCH_SECONDS", 1000.0)
    three[0][0].originals.prepare(2)
    for collection, document in three:
        assert collection.draw_page(document.id, 1, width=100).width == 100
    assert len(children()) == 2
    three[0][0].close()
    collection, document = three[1]
    collection.draw_page(document.id, 1, width=100)
    assert len(children()) == 2
    for collection, _ in three:
        collection.close()
    until(lambda: not children())


def test_idle_processes_end_and_come_back(
    three: list[tuple[Collection, Document]], children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexing.workers.pool.WATCH_SECONDS", 0.05)
    collection, document = three[0]
    collection.draw_page(document.id, 1, width=100)
    until(lambda: not children())
    assert collection.draw_page(document.id, 1, width=100).width == 100


def test_collections_share_the_model(three: list[tuple[Collection, Document]]) -> None:
    assert len({id(collection._embedder) for collection, _ in three}) == 1
