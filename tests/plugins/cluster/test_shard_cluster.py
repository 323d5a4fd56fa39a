"""The places of shards on nodes, and a cluster that does not answer: without Ray."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from indexing.embed import EmbedderRecord
from indexing.settings import IndexingSettings
from indexing.storage import as_root
from indexing.store import Store
from plugins.cluster import shard_cluster
from plugins.cluster.errors import ClusterMissing, ShardDown
from plugins.cluster.shard_cluster import ShardCluster
from plugins.cluster.shard_work import ShardPlace
from tests.support.waiting import until


class RayFault(Exception):
    """The root of Ray's exceptions, as this process of the tests has no Ray."""


def node(name: str, cpus: int = 1) -> dict[str, Any]:
    return {"NodeID": name, "NodeManagerAddress": f"10.0.0.{name}", "Alive": True, "Resources": {"CPU": cpus}}


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The nodes that the cluster tells of, or the fault that comes in place of them."""
    told: list[Any] = [node("1"), node("2"), node("3", cpus=0)]

    def answer() -> list[Any]:
        if isinstance(told[0], Exception):
            raise told[0]
        return told

    @contextmanager
    def connected(_: str) -> Iterator[Any]:
        yield SimpleNamespace(nodes=answer, exceptions=SimpleNamespace(RayError=RayFault))

    monkeypatch.setattr(shard_cluster, "connected", connected)
    return told


def test_shards_are_spread_over_nodes_with_a_cpu_and_move_when_started_anew(nodes: list[Any]) -> None:
    places = [ShardPlace("/home/archive", EmbedderRecord("none"), number) for number in (1, 2, 3, 4)]
    with ShardCluster("ray") as cluster:
        assert [cluster._choose_node(at)[0] for at in places] == ["1", "2", "1", "2"]
        assert cluster._choose_node(places[0]) == ("2", "10.0.0.2")
        nodes[1]["Alive"] = False
        assert cluster._choose_node(places[1]) == ("1", "10.0.0.1")
        assert cluster._choose_node(places[1]) == ("1", "10.0.0.1")


@pytest.mark.parametrize("fault", [RayFault("no head"), RuntimeError("not started"), ConnectionError("refused")])
def test_a_silent_cluster_is_a_shard_that_is_down(nodes: list[Any], fault: Exception, tmp_path: Path) -> None:
    with ShardCluster("ray") as cluster:
        nodes[0] = fault
        (shard,) = cluster.shards_of(
            Store(tmp_path / "db", 8), as_root(tmp_path), EmbedderRecord("none"), IndexingSettings()
        )
        with pytest.raises(ShardDown, match=rf"the cluster does not answer \({type(fault).__name__}\)"):
            shard.warm()
    until(shard._actor.done)  # what the failure had begun anew
    with pytest.raises(ShardDown, match=r"the connection to the cluster was closed|does not answer"):
        shard.warm()


def test_a_cluster_whose_nodes_have_no_cpu_is_refused(nodes: list[Any]) -> None:
    nodes[:] = [node("1", cpus=0)]
    with pytest.raises(ClusterMissing, match="has no node with a CPU"):
        ShardCluster("ray")
