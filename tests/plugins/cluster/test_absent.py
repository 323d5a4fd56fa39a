"""Vouch without the plugin: work on a cluster is refused, and the message says the next step."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection, build_index
from indexing.errors import BadSetting
from vouch import hooks


@pytest.fixture(autouse=True)
def without_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(hooks.VARIABLE, "")
    hooks.installed.cache_clear()
    yield
    monkeypatch.undo()
    hooks.installed.cache_clear()


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection.create("here", tmp_path)


@pytest.mark.parametrize("on", ["ray", "ray://10.0.0.5:6379", "dask", ""])
def test_a_place_that_no_plugin_adds_is_refused(on: str, collection: Collection) -> None:
    with pytest.raises(BadSetting, match=r"give local; VOUCH_PLUGINS leaves out .*cluster"):
        build_index(collection, [], on=on)


def test_this_machine_is_there_and_has_no_address(collection: Collection) -> None:
    assert build_index(collection, [], on="local").files == ()
    with pytest.raises(BadSetting, match="give local"):
        build_index(collection, [], on="local://here")
