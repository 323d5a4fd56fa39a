"""`vouch serve` as a service: told to end, it finishes what is under way, refuses what is new, logs and traces it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import httpx
import pytest

from indexing.embed.minilm import MiniLM
from tests.support import fakes
from tests.support.otlp_receiver import OtlpReceiver
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.waiting import until
from tests.support.writers import said
from ui.web.health import Departure

ROOT = Path(__file__).resolve().parents[3]
QUESTION = "When was the mill on the river Ash built?"


@contextmanager
def service(folder: Path, model: ScriptedServer, stop_seconds: float, **more: str) -> Iterator[Any]:
    """A `vouch serve` of a process of its own, as (process, address, log)."""
    (folder / "profile.yaml").write_text(
        f"rag: {{mode: text, method: vanilla, model: {{base_url: '{model.url}', name: scripted}}}}\n"
        f"ui: {{stop_seconds: {stop_seconds}}}\n"
    )
    log = folder / "log.txt"
    with log.open("w") as errors, started(folder, errors, **more) as (run, port):
        assert str(port) in run.stdout.readline(), log.read_text()
        yield run, f"http://127.0.0.1:{port}", log


@contextmanager
def started(folder: Path, errors: TextIO, **more: str) -> Iterator[tuple[Any, int]]:
    """A process of `vouch serve` by the profile in a folder, and its port; it may not listen yet."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ui.cli", "serve", "--port", str(port), "--log-format", "json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "VOUCH_HOME": str(folder / "home")} | more
    with subprocess.Popen(
        [*command, "--profile", "profile.yaml"],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True,
    ) as run:  # fmt: skip
        try:
            yield run, port
        finally:
            run.kill()


class Asking(threading.Thread):
    """A question under way, and its answer."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._address = address
        self.answer: httpx.Response | None = None

    def run(self) -> None:
        try:
            asked = {"question": QUESTION, "method": "vanilla"}
            self.answer = httpx.post(f"{self._address}/api/v1/collections/made-up/ask", json=asked, timeout=120)
        except httpx.HTTPError:
            return


@pytest.fixture
def home(tmp_path: Path, embedder: MiniLM) -> Path:
    collection = fakes.collection(tmp_path / "home", embedder)
    fakes.index(collection, {"mill.pdf": [["The mill on the river Ash was built in 1742."]]})
    return tmp_path


@pytest.mark.gate
@pytest.mark.slow
def test_what_is_under_way_is_finished_and_what_an_earlier_server_left_is_named(home: Path) -> None:
    gate = threading.Semaphore(0)
    left = home / "home" / ".waiting" / "files" / "1" / "bees.pdf"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"%PDF")

    def answering(asked: Asked) -> Script:
        del asked
        return says(said(("The mill was built in 1742.", ["E1"])), gate=gate)

    with OtlpReceiver() as receiver, ScriptedServer(answering) as model:
        with service(home, model, 60, VOUCH_TRACES=receiver.address) as (run, address, log):
            assert httpx.get(f"{address}/ready").json() == {"status": "ready"}
            asking = Asking(address)
            asking.start()
            until(lambda: bool(model.asked), 60)
            run.send_signal(signal.SIGTERM)
            until(lambda: httpx.get(f"{address}/ready").status_code == 503)
            assert httpx.get(f"{address}/ready").json() == {"status": "stopping"}
            assert httpx.get(f"{address}/health").status_code == 200
            late = httpx.post(f"{address}/api/v1/collections/made-up/ask", json={"question": QUESTION})
            assert (late.status_code, late.headers["retry-after"]) == (503, "30")
            assert "try again in a minute" in late.json()["detail"]
            assert run.poll() is None
            for _ in range(100):
                gate.release()
            asking.join(60)
            assert run.wait(60) == 0
        assert asking.answer is not None
        assert asking.answer.status_code == 200
        assert "1742" in asking.answer.text
    told = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    requests = [each for each in told if each["event"] == "request"]
    assert {(each["route"], each["status"]) for each in requests} >= {("/api/v1", 200), ("/api/v1", 503)}
    (answered,) = [each for each in told if each["event"] == "answer"]
    assert (answered["kind"], answered["outcome"], answered["model_calls"] > 0) == ("api_ask", "answered", True)
    assert "river" not in log.read_text()
    assert "add them again: bees.pdf" in log.read_text()
    assert not left.exists()
    assert {"vouch.request", "vouch.retrieve", "vouch.model"} <= {span.name for span in receiver.spans}
    (question,) = receiver.named("vouch.question")
    assert question.parent_span_id in {span.span_id for span in receiver.named("vouch.request")}
    assert all(b"river" not in span.SerializeToString() for span in receiver.spans)


@pytest.mark.slow
def test_it_waits_no_longer_than_it_may(home: Path) -> None:
    gate = threading.Semaphore(0)
    with ScriptedServer(lambda _: says(said(("The mill was built in 1742.", ["E1"])), gate=gate)) as model:
        with service(home, model, 0.5) as (run, address, log):
            asking = Asking(address)
            asking.start()
            until(lambda: bool(model.asked), 60)
            run.send_signal(signal.SIGTERM)
            assert run.wait(60) == 0
            assert "some took longer than 0.5 s" in log.read_text()
        for _ in range(100):
            gate.release()
        asking.join(60)


def test_what_is_refused_at_the_end() -> None:
    departure = Departure()
    assert not departure.refuses("POST", "/api/v1/collections/made-up/ask")
    departure.begin()
    assert departure.refuses("POST", "/api/v1/collections/made-up/ask")
    assert departure.refuses("GET", "/")
    assert not departure.refuses("GET", "/vouch/page/x")  # of an answer that was finished
    assert not departure.refuses("GET", "/ready")
    assert departure.wait(0, lambda: 0)
    departure.enter(1)
    assert not departure.wait(0, lambda: 0)
    departure.enter(-1)
    assert not departure.wait(0, lambda: 1)
