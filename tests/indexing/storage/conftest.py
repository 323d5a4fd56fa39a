"""The S3 server of these tests, one for all, and a gate of its own for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.storage import wire
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
