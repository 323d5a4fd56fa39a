"""Shards that two nodes search: answers are those of a local search, and a node that dies is named."""

from __future__ import annotations

import gc
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from indexing import Collection, Hints, IndexingSettings, reindex_collection
from indexing.embed.minilm import MiniLM
from indexing.search import ALL_PAGES
from plugins.cluster.errors import ShardDown
from plugins.cluster.shard_cluster import ShardCluster
from tests.plugins.cluster.nodes.conftest import HEAD, OTHER, ROOT, Cluster
from tests.support import fakes
from tests.support.waiting import until

THINGS = ("lighthouse", "tractor", "violin", "glacier", "bakery", "submarine", "orchard", "telescope", "tram")
PLACES = [
    "Aberdeen", "Kyoto", "Lima", "Bergen", "Accra", "Quebec", "Turin", "Hobart", "Izmir", "Oslo", "Riga",
    "Graz", "Cork", "Bonn", "Nice", "Bern", "Lyon", "Bath", "Doha", "Baku", "Suva",
]  # fmt: skip
TOLD = "Part of the collection was not searched, and what it holds is missing here: "
SETTINGS = IndexingSettings(workers=1, shards=2)


def pages_of(place: str) -> list[list[str]]:
    rng = random.Random(place)
    return [
        [
            f"The {thing} in {place} was opened to the public in {1800 + rng.randrange(200)}.",
            f"Visitors of the {thing} praise the {rng.choice(THINGS)} and the {rng.choice(THINGS)}.",
        ]
        for thing in THINGS
    ]


def opened(name: str, embedder: MiniLM, home: Path, settings: IndexingSettings = SETTINGS) -> Collection:
    made = Collection.create(name, home, settings)
    vars(made)["_embedder"] = embedder
    return made


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """Two shards of so many pages that codes choose among them, and a collection without shards."""
    folder = tmp_path_factory.mktemp("home")
    made = opened("two", embedder, folder)
    fakes.index(made, {f"{place}.pdf": pages_of(place) for place in PLACES})
    assert all(sum(d.n_pages for d in part.documents()) > ALL_PAGES for part in made.snapshots())
    whole = opened("one", embedder, folder, IndexingSettings(workers=1))
    fakes.index(whole, {f"{place}.pdf": pages_of(place) for place in PLACES[:2]})
    return folder


@pytest.fixture
def on(nodes: Cluster) -> Iterator[ShardCluster]:
    with ShardCluster(nodes.on) as found:
        yield found


def remote(name: str, embedder: MiniLM, home: Path, on: ShardCluster) -> Collection:
    made = opened(name, embedder, home, IndexingSettings(workers=1))
    made.search_on(on)
    made.warm()
    return made


def told(collection: Collection, question: str | Sequence[str], **options: Any) -> dict[str, Any]:
    """All that a search tells, to the last bit."""
    found = collection.search(question, limit=20, **options)
    hits = [
        (h.element, h.score, h.similarities.tolist(), h.offsets.tolist(), h.found_by, h.by_view) for h in found.hits
    ]
    return {"hits": hits, "pages": found.pages, "missing": found.missing, "tokens": found.tokens}


def actors(cluster: Cluster, address: str) -> list[psutil.Process]:
    """The processes on a node that search a shard."""
    everything = psutil.Process(cluster.nodes[address].pid).children(recursive=True)
    found = []
    for process in everything:
        with suppress(psutil.NoSuchProcess):  # one that is ending meanwhile
            if "ShardWork" in process.name() + " ".join(process.cmdline()):
                found.append(process)
    return found


def test_nodes_score_as_a_local_search_does(nodes: Cluster, on: ShardCluster, home: Path, embedder: MiniLM) -> None:
    here, there = opened("two", embedder, home), remote("two", embedder, home, on)
    assert [len(actors(nodes, address)) for address in (HEAD, OTHER)] == [1, 1]
    questions: list[tuple[str | list[str], dict[str, Any]]] = [
        ("When was the tram in Oslo opened?", {}),
        (["When was the violin in Lima opened?", "Lima violin opening year"], {"hints": Hints(pages=(3,))}),
        ("Which view is praised?", {"doc_ids": [d.id for d in here.documents()][:3]}),
        ("Which glacier is praised?", {"mode": "multi"}),
    ]
    for question, options in questions:
        found = told(there, question, **options)
        assert found == told(here, question, **options)
        assert found["hits"]
        assert found["missing"] == ()
    wanted = [(d.id, 2) for d in here.documents()[:4]]
    assert there.elements_on(wanted) == here.elements_on(wanted)
    assert there.unseen_pages() == here.unseen_pages()
    fakes.index(here, {"Faro.pdf": pages_of("Faro")})
    later = told(there, "When was the bakery in Faro opened?")
    assert later == told(here, "When was the bakery in Faro opened?")
    assert "Faro" in later["hits"][0][0].text
    del there
    gc.collect()  # a collection and its search refer to each other
    until(lambda: not actors(nodes, HEAD) + actors(nodes, OTHER))


def test_the_shard_of_a_dead_node_moves_to_the_other(
    nodes: Cluster, on: ShardCluster, home: Path, embedder: MiniLM
) -> None:
    here, there = opened("two", embedder, home), remote("two", embedder, home, on)
    question = "When was the orchard in Turin opened?"
    nodes.kill(OTHER)
    found = there.search(question, limit=20)
    (missing,) = found.missing
    assert missing.startswith(("shard 1 of 2 (the node 127.0.0.3 ", "shard 2 of 2 (the node 127.0.0.3 "))
    assert "ask again" in missing
    assert found.hits
    until(lambda: there.search(question, limit=20).missing == (), 90)
    assert told(there, question) == told(here, question)
    assert len(actors(nodes, HEAD)) == 2


def test_one_shard_comes_back_and_another_version_is_taken_up_until_the_cluster_is_left(
    nodes: Cluster, home: Path, embedder: MiniLM
) -> None:
    question = "When was the violin in Kyoto opened?"
    with ShardCluster(nodes.on) as on:
        here, there = opened("one", embedder, home, IndexingSettings(workers=1)), remote("one", embedder, home, on)
        assert told(there, question) == told(here, question)
        (actor,) = actors(nodes, HEAD) + actors(nodes, OTHER)
        actor.send_signal(signal.SIGKILL)
        with pytest.raises(ShardDown, match="restarted:"):
            there.search(question)

        def back() -> bool:
            try:
                return bool(there.search(question).hits)
            except ShardDown:
                return False

        until(back, 90)
        assert reindex_collection("one", home, changes={"shards": 2}).exit_code == 0
        assert told(there, question) == told(here, question)
        gc.collect()  # of the former search
        until(lambda: [len(actors(nodes, address)) for address in (HEAD, OTHER)] == [1, 1])
    with pytest.raises(ShardDown, match="the connection to the cluster was closed"):
        there.search(question)
    assert not sys.modules["ray"].is_initialized()
    until(lambda: not actors(nodes, HEAD) + actors(nodes, OTHER))


def test_a_page_answers_by_the_nodes(nodes: Cluster, home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"VOUCH_HOME": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ui.cli", "serve", "--on", nodes.on, "--collection", "two", "--port", str(port)]
    asked = {"question": "When was the tram in Oslo opened?"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as page:
        try:
            assert page.stdout is not None
            assert str(port) in page.stdout.readline()
            answer = httpx.post(f"http://127.0.0.1:{port}/api/v1/collections/two/ask", json=asked, timeout=120)
            assert answer.status_code == 200
            assert "tram in Oslo was opened" in answer.text
            assert TOLD not in answer.text
            assert [len(actors(nodes, address)) for address in (HEAD, OTHER)] == [1, 1]
            page.send_signal(signal.SIGTERM)
            assert page.wait(60) == 0
        finally:
            page.kill()
    until(lambda: not actors(nodes, HEAD) + actors(nodes, OTHER))
