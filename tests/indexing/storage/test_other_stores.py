"""A home on servers of Azure's protocol and of Google's: the commands, the conditions of the lease, what errors say.

Azure's is a real one; Google has none that runs here, so that is one of ours (tests/support/google_store.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.storage import probe_store
from tests.support.azure_store import KEY, AzureServer, azure_server, azurite
from tests.support.commands import Commands
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


def test_commands_do_on_it_what_they_do_in_a_folder(server: AzureServer | GoogleServer, tmp_path: Path) -> None:
    own = {"VOUCH_HOME": server.home(), "HOME": str(tmp_path / "person"), "VOUCH_CACHE": str(tmp_path / "cache")}
    vouch = Commands(server.environment | own)
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
    vouch.assert_untold((KEY, TOKEN), tmp_path)


def test_it_honours_conditions(server: AzureServer | GoogleServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    assert "honours conditional writes" in probe_store(server.home())
