"""A home on servers of Azure's protocol and of Google's: the commands, the conditions of the lease, what errors say.

Azure's is a real one; Google has none that runs here, so that is one of ours (tests/support/google_store.py).
"""

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
from tests.support.google_store import TOKEN, GoogleServer, google_server
from tests.support.tools import missing

pytestmark = pytest.mark.thorough
FERRIES = Path(__file__).resolve().parents[3] / "samples" / "documents" / "sallow-bay-annual-report.pdf"
QUESTION = "How many departures were cancelled, and why?"


@pytest.fixture(scope="module", params=["azure", "google"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AzureServer | GoogleServer]:
    if request.param == "google":
        with google_server() as made:
            yield made
        return
    command = azurite() or missing("no server of Azure's protocol here: make azurite (npm, 190 MB)")
    with azure_server(command, tmp_path_factory.mktemp("azurite")) as started:
        yield started


class Commands:
    """The `vouch` commands on a home of the server, and all that they said."""

    def __init__(self, server: AzureServer | GoogleServer, folder: Path) -> None:
        """Begin with an empty home."""
        self._known = os.environ | server.environment | {"VOUCH_HOME": server.home(), "HOME": str(folder / "person")}
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


def test_commands_do_on_it_what_they_do_in_a_folder(server: AzureServer | GoogleServer, tmp_path: Path) -> None:
    vouch = Commands(server, tmp_path)
    index = ("index", str(FERRIES), "-c", "bay", "--visual", "none", "--workers", "1")
    assert f"{FERRIES.name}  indexed" in vouch(*index)
    assert f"{FERRIES.name}  skipped" in vouch(*index)
    assert "641" in vouch("ask", QUESTION, "-c", "bay")
    assert "before" in vouch("compact", "-c", "bay")
    assert "All is well" in vouch("doctor", "-c", "bay")
    assert "Removed" in vouch("remove", FERRIES.name, "-c", "bay")
    assert json.loads(vouch("stats", "-c", "bay", "--json"))["documents"] == 0
    told = vouch("list", code=2, AZURE_STORAGE_ACCOUNT_KEY="QUJD", GOOGLE_BEARER_TOKEN="another")
    assert "the object store refused access: check its credentials" in told
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for secret in (KEY, TOKEN):
        assert [text for text in vouch.said if secret in text] == []
        assert [content for content in written if secret.encode() in content] == []


def test_it_honours_the_conditions_of_the_lease(
    server: AzureServer | GoogleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    assert "honours conditional writes" in probe_store(server.home())
