"""All open collections of a process share one pool of processes and one model; idle processes end."""

from __future__ import annotations

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
Children = Callable[[], set[int]]


@pytest.fixture
def children() -> Children:
    """The worker processes of this one that were started since."""
    before = set(psutil.Process().children(recursive=True))

    def started() -> set[int]:
        new = set(psutil.Process().children(recursive=True)) - before
        return {process.pid for process in new if PYTHON in " ".join(process.cmdline())}

    return started


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[tuple[Collection, Document]]]:
    """Three open collections of a page each, as a server has them."""
    settings = IndexingSettings(visual="none", workers=1, drawing_idle_seconds=0.3)
    with pymupdf.open() as made, ExitStack() as held:
        made.new_page().insert_text((72, 72), "The mill grinds rye.")
        made.save(tmp_path / "mill.pdf")
        opened = []
        for name in ("a", "b", "c"):
            with Collection.create(name, tmp_path / "home", settings) as collection:
                build_index(collection, [tmp_path / "mill.pdf"], workers=1, settings=settings)
            again = held.enter_context(Collection.open(name, tmp_path / "home", settings))
            opened.append((again, again.documents()[0]))
        yield opened


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
