"""A home on a real server of Azure's protocol: the commands, the conditions of the lease, and what errors say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.storage.probe import probe_store
from tests.support.azure_store import KEY, AzureServer, azure_server, azurite
from tests.support.tools import missing

pytestmark = pytest.mark.thorough
FERRIES = Path(__file__).resolve().parents[3] / "samples" / "documents" / "sallow-bay-annual-report.pdf"
QUESTION = "How many departures were cancelled, and why?"


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AzureServer]:
    command = azurite() or missing("no server of Azure's protocol here: make azurite (npm, 190 MB)")
    with azure_server(command, tmp_path_factory.mktemp("azurite")) as server:
        yield server


class Commands:
    """The `vouch` commands on a home of the server, and all that they said."""

    def __init__(self, azure: AzureServer, folder: Path) -> None:
        """Begin with an empty home."""
        self._known = os.environ | azure.environment | {"VOUCH_HOME": azure.home(), "HOME": str(folder / "person")}
        self._known["VOUCH_CACHE"] = str(folder / "cache")
        self.said: list[str] = []

    def __call__(self, *words: str, code: int = 0, **environment: str) -> str:
        """Run one and return what it said."""
        done = subprocess.run(
            [sys.executable, "-m", "ui.cli", *words],
            capture_output=True,
            text=True,
            env=self._known | environment,
            check=False,
            timeout=250,
        )
        self.said.append(done.stdout + done.stderr)
        assert done.returncode == code, self.said[-1]
        return self.said[-1]


def test_commands_do_on_azure_what_they_do_in_a_folder(azure: AzureServer, tmp_path: Path) -> None:
    vouch = Commands(azure, tmp_path)
    index = ("index", str(FERRIES), "-c", "bay", "--visual", "none", "--workers", "1")
    assert f"{FERRIES.name}  indexed" in vouch(*index)
    assert f"{FERRIES.name}  skipped" in vouch(*index)
    assert "641" in vouch("ask", QUESTION, "-c", "bay")
    assert "before" in vouch("compact", "-c", "bay")
    assert "All is well" in vouch("doctor", "-c", "bay")
    assert "Removed" in vouch("remove", FERRIES.name, "-c", "bay")
    assert json.loads(vouch("stats", "-c", "bay", "--json"))["documents"] == 0
    told = vouch("list", code=2, AZURE_STORAGE_ACCOUNT_KEY="QUJD")
    assert "the object store refuses: check its credentials" in told
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert [text for text in vouch.said if KEY in text] == []
    assert [content for content in written if KEY.encode() in content] == []


def test_azure_honours_the_conditions_of_the_lease(azure: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in azure.environment.items():
        monkeypatch.setenv(name, value)
    assert "honours conditions" in probe_store(azure.home())
