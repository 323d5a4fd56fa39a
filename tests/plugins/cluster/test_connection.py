"""The connection to a cluster: names that are none, clusters that are open to anybody, a machine without Ray."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from indexing import Collection, build_index, errors
from plugins.cluster.connection import connected
from plugins.cluster.errors import ClusterOpen


@pytest.mark.parametrize(
    "on",
    ["", "dask", "ray:", "ray://", "ray://head", "ray://:6379", "ray://head:port", "ray://head:99999",
     "ray://head:6379/x", "ray://head:6379?x", "http://head:6379", "ray://[::1:6379"],
)  # fmt: skip
def test_what_names_no_cluster_is_refused_by_a_line_that_says_what_does(on: str) -> None:
    with pytest.raises(errors.BadSetting, match=r"ray://HOST:PORT"), connected(on):
        pass


@pytest.mark.parametrize("on", ["ray://127.0.0.1:6379", "ray://localhost:6379"])
def test_the_address_that_ray_rewrites_is_refused_before_it_hangs(on: str) -> None:
    with pytest.raises(errors.BadSetting, match="network card"), connected(on):
        pass


@pytest.mark.parametrize("mode", [None, "", "disabled"])
def test_a_cluster_without_a_token_is_not_used(mode: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    if mode is not None:
        monkeypatch.setenv("RAY_AUTH_MODE", mode)
    with pytest.raises(ClusterOpen, match="RAY_AUTH_MODE=token"), connected("ray"):
        pass


def test_a_machine_without_ray_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setitem(sys.modules, "ray", None)
    made = Collection.create("here", tmp_path)
    with pytest.raises(errors.ExtraMissing, match=r"pip install 'vouch\[ray\]'"):
        build_index(made, [], on="ray")
    assert build_index(made, []).files == ()
