"""The page, served for real on loopback: what it refuses, what it never shows, and what programs can ask of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.ui.forked import Served
from tests.ui.page_events import fire, numbers
from ui.web.server.visitors import ASKS, FOLLOWS

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow
QUESTION = "When was the mill built by Anna Holm?"


@pytest.fixture
def address(served: Served) -> str:
    return served.address


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address, timeout=60) as browser:
        yield browser


@pytest.mark.gate
def test_the_database_and_secrets_are_refused(address: str, home: Path, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("secret")
    secrets = [next((home / "made-up" / "db").rglob("*.lance")), tmp_path / ".env", ROOT / "pyproject.toml"]
    for secret in secrets:
        assert secret.exists()
        for route in (f"/gradio_api/file={secret}", f"/gradio_api/file/{secret}", f"/file={secret}", str(secret)):
            assert httpx.get(address + route).status_code == 403


@pytest.mark.gate
def test_an_upload_is_not_served_to_anybody(address: str, tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    paper.write_bytes(b"%PDF")
    with paper.open("rb") as file:
        (stored,) = httpx.post(f"{address}/gradio_api/upload", files={"files": file}).json()
    assert Path(stored).read_bytes() == b"%PDF"
    assert httpx.get(f"{address}/gradio_api/file={stored}").status_code == 403


@pytest.mark.gate
def test_the_page_names_no_other_host(address: str) -> None:
    page = httpx.get(address)
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["cross-origin-opener-policy"] == "same-origin"
    assert "fonts.googleapis" not in httpx.get(f"{address}/theme.css").text


def test_no_function_of_the_page_is_offered_to_programs(address: str) -> None:
    assert httpx.get(f"{address}/gradio_api/info").json()["named_endpoints"] == {}
    for path in ("/api", "/api/ask", "/gradio_api/call/ask"):
        gone = httpx.post(f"{address}{path}", json={"question": QUESTION})
        assert gone.status_code == 403
        assert "GET /api/v1" in gone.json()["next"]


def test_shares_of_the_queue_count_functions_of_the_page(client: httpx.Client) -> None:
    assert {name.rstrip("_0123456789") for name in numbers(client)} >= ASKS | FOLLOWS


def forged_image(path: str) -> list[Any]:
    """The question of the page, with a forged upload for its image."""
    image = {"path": path, "orig_name": "x.png", "meta": {"_type": "gradio.FileData"}}
    return [None, "", "made-up", QUESTION, "text", "quote", 4, 8, False, False, None, image, [], []]


@pytest.mark.gate
def test_forged_uploads_are_refused(client: httpx.Client) -> None:
    for path in ("/etc/passwd", "http://127.0.0.1:9/x.png", "../../etc/passwd", "file:///etc/passwd"):
        said = fire(client, "ask", forged_image(path), session="forger")
        assert "just uploaded" in said, path
        assert "root:" not in said, path


@pytest.mark.gate
def test_whoever_has_to_log_in_has_to_for_everything(with_accounts: Served) -> None:
    with httpx.Client(base_url=with_accounts.address) as client:
        inside = [
            "/config",
            "/vouch/page/made-up/0123456789abcdef/1.webp",
            "/gradio_api/info",
            "/gradio_api/queue/data?session_hash=a",
            "/gradio_api/heartbeat/a",
        ]
        assert [client.get(path).status_code for path in inside] == [401] * 5
        assert client.post("/login", data={"username": "ada", "password": "wrong"}).status_code == 400
        assert client.post("/login", data={"username": "ada", "password": "correct horse"}).status_code == 200
        assert client.get("/config").status_code == 200
        assert client.get(inside[1]).status_code == 404
