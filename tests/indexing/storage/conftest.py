"""The servers of these tests: one of S3 for all, with a gate of its own for each, and one of Google's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.storage import wire
from tests.support.google_store import GoogleServer, google_server
from tests.support.object_store import S3Server, s3_server

pytest.importorskip("obstore", reason="object stores are reached by obstore: pip install 'vouch[stores]'")
pytest.importorskip("moto", reason="the S3 server of these tests is moto: make .venv installs it")


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with s3_server() as port:
        yield port


@pytest.fixture
def store(port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[S3Server]:
    """The server, found by the environment; a store that is away is waited for shortly."""
    server = S3Server(port)
    for name, value in (server.environment | {"VOUCH_CACHE": str(tmp_path / "cache")}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(wire, "RETRY_SECONDS", 1.0)
    monkeypatch.setattr(wire, "REQUEST_SECONDS", 10.0)
    monkeypatch.setattr(wire, "RETRIES", 2)
    yield server
    server.gate.end()


@pytest.fixture(scope="session")
def google_store() -> Iterator[GoogleServer]:
    with google_server() as server:
        yield server


@pytest.fixture
def google(google_store: GoogleServer, monkeypatch: pytest.MonkeyPatch) -> GoogleServer:
    """The server of Google's protocol, found by the environment, beside that of S3."""
    for name, value in google_store.environment.items():
        monkeypatch.setenv(name, value)
    return google_store


@pytest.fixture(params=["s3", "google"])
def address(request: pytest.FixtureRequest, store: S3Server, google: GoogleServer) -> str:
    """The address of an empty home on each of them."""
    return store.home() if request.param == "s3" else google.home()
