"""What whoever runs the page is told, and who is told it."""

from pathlib import Path
from typing import Any

import pytest

from indexing import Collection
from rag import load_profile
from tests.support.damage import damage_manifests
from tests.ui.asgi import request
from ui.settings import ui_settings
from ui.web.collection_service import CollectionService
from ui.web.health import TOKEN_VARIABLE, Health
from ui.web.metrics import Metrics
from ui.web.open_collections import OpenCollections

TOKEN = "a token of nobody"


class Asked:
    """A page behind `Health`, asked without a server."""

    def __init__(self, home: Path) -> None:
        self.metrics = Metrics()
        self.passed: list[str] = []
        self.health = Health(self._behind, OpenCollections(load_profile("default"), home), self.metrics)

    async def _behind(self, scope: Any, _receive: Any, send: Any) -> None:
        self.passed.append(scope["path"])
        if scope["path"] == "/broken":
            raise RuntimeError("broken")
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the page"})

    def __call__(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        named = [(name.encode(), value.encode()) for name, value in headers.items()]
        reply = request(self.health, path, method=method, headers=named)
        return reply.status, reply.body.decode()


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    return Asked(tmp_path)


def test_a_home_that_fails_is_not_ready(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_: OpenCollections) -> tuple[str, ...]:
        raise OSError("stale file handle of /secret/place")

    monkeypatch.setattr(OpenCollections, "collections", failing)
    status, told = asked("/ready")
    assert status == 503
    assert "secret" not in told


def test_metrics_are_told_for_the_token_alone(asked: Asked) -> None:
    assert asked("/metrics")[0] == 401
    assert asked("/metrics", authorization="Bearer another")[0] == 401
    status, told = asked("/metrics", authorization=f"Bearer {TOKEN}")
    assert status == 200
    assert "vouch_requests_total" in told
    assert TOKEN not in told


def test_requests_are_counted_under_few_names(asked: Asked) -> None:
    for path in (
        "/",
        "/api/v1/collections/made-up/ask",
        "/vouch/page/a/b/1.webp",
        *(f"/made-up-{n}" for n in range(50)),
    ):
        asked(path)
    asked("/", method="MADE-UP")
    told = asked("/metrics", authorization=f"Bearer {TOKEN}")[1]
    assert 'vouch_requests_total{method="GET",route="other",status="200"} 50.0' in told
    assert 'vouch_requests_total{method="GET",route="/vouch/page",status="200"} 1.0' in told
    assert 'vouch_requests_total{method="other",route="/",status="200"} 1.0' in told
    assert "made-up" not in told.lower()


def test_one_damaged_collection_is_told_and_stops_no_other(tmp_path: Path, asked: Asked) -> None:
    for name in ("damaged", "whole"):
        Collection.create(name, tmp_path).documents()
    damage_manifests(tmp_path / "damaged" / "db" / "documents.lance")
    assert asked("/ready") == (200, '{"status":"ready"}')
    open_collections = asked.health._open_collections
    service = CollectionService(open_collections, ui_settings(open_collections.profile))
    assert [(one.name, bool(one.trouble)) for one in service.summaries()] == [("damaged", True), ("whole", False)]
    open_collections.close()
