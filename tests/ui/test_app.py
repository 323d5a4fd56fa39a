"""The page, served for real on loopback: what it refuses, and what it never shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Served:
    """A running page: `log` is where its terminal output goes."""

    process: subprocess.Popen[str]
    address: str
    log: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    log = folder / "log.txt"
    environment = os.environ | {"GRADIO_TEMP_DIR": str(folder / "uploads"), "PYTHONPATH": str(ROOT)}
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.ui.served_page"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as run,
    ):
        assert run.stdout is not None
        address = run.stdout.readline().strip().rstrip("/")
        assert address, log.read_text()
        yield Served(run, address, log)
        rest, _ = run.communicate(timeout=30)
        assert json.loads(rest) == [], "the page tried to reach another machine"


@pytest.fixture
def address(served: Served) -> str:
    return served.address


def config(address: str) -> dict[str, Any]:
    found = httpx.get(f"{address}/config").json()
    assert isinstance(found, dict)
    return found


def event(address: str, name: str) -> int:
    """The number of the event that runs the function `name`."""
    return next(d["id"] for d in config(address)["dependencies"] if d["api_name"].startswith(name))


def fire(address: str, name: str, data: list[Any], session: str = "s1") -> str:
    """Everything that the server says about one event."""
    body = {"data": data, "fn_index": event(address, name), "session_hash": session, "trigger_id": None}
    joined = httpx.post(f"{address}/gradio_api/queue/join", json=body)
    if joined.status_code != 200:
        return joined.text
    text = ""
    with httpx.stream("GET", f"{address}/gradio_api/queue/data?session_hash={session}", timeout=30) as stream:
        for line in stream.iter_lines():
            text += line + "\n"
            if '"close_stream"' in line:
                break
    return text


def test_the_database_and_secrets_are_refused(address: str, tmp_path: Path) -> None:
    for secret in (tmp_path / "default" / "db" / "pages.lance", tmp_path / ".env", ROOT / "pyproject.toml"):
        secret.parent.mkdir(parents=True, exist_ok=True)
        if not secret.exists():
            secret.write_text("secret")
        for route in (f"/gradio_api/file={secret}", f"/gradio_api/file/{secret}", f"/file={secret}", str(secret)):
            assert httpx.get(address + route).status_code == 403


def test_an_upload_is_not_served_to_anybody(address: str, tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    paper.write_bytes(b"%PDF")
    with paper.open("rb") as file:
        (stored,) = httpx.post(f"{address}/gradio_api/upload", files={"files": file}).json()
    assert Path(stored).read_bytes() == b"%PDF"
    assert httpx.get(f"{address}/gradio_api/file={stored}").status_code == 403


@pytest.mark.parametrize("path", ["/etc/passwd", "http://127.0.0.1:9/x.pdf", "../../etc/passwd"])
def test_forged_uploads_are_refused(address: str, path: str) -> None:
    forged = [{"path": path, "orig_name": "x.pdf", "meta": {"_type": "gradio.FileData"}}]
    said = fire(address, "read", [forged, "samples", ""], session="forger")
    assert "fetches nothing" in said or '"success":false' in said
    assert "root:" not in said


def test_the_page_names_no_other_host(address: str) -> None:
    page = httpx.get(address)
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "fonts.googleapis" not in httpx.get(f"{address}/theme.css").text


def test_a_stranger_name_for_this_machine_is_refused(address: str) -> None:
    assert httpx.get(address, headers={"host": "evil.example"}).status_code == 403


def test_an_answer_comes_with_its_page(address: str) -> None:
    said = fire(address, "asked", ["samples", "why?"])
    assert "data-cite" in said
    assert "preserveAspectRatio" in said


def test_a_hostile_answer_is_escaped(address: str) -> None:
    said = fire(address, "asked", ["samples", "hostile"], session="s2")
    assert "&lt;img src=x onerror=alert(1)&gt;" in said
    assert "<img src=x" not in said


def test_our_errors_are_told_and_others_leave_no_trace(served: Served) -> None:
    assert "the model server did not answer" in fire(served.address, "asked", ["samples", "ours"], session="s3")
    said = fire(served.address, "asked", ["samples", "bug"], session="s4")
    assert "should not have" in said
    assert "secret" not in said
    assert "Traceback" not in said
    assert "ZeroDivisionError: a secret" in served.log.read_text()
