"""Asked by programs: answers as JSON and as events, which end when nobody listens; exports; nobody else's answer."""

import io
import json
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from indexing import Document
from rag import RagSettings
from rag.llm import ModelSettings
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.waiting import until
from tests.support.writers import said
from tests.ui.web.api.api_server import ADA, BOB, ApiServer, serving_api
from tests.ui.web.api.test_collections import refused
from ui.web.messages import STREAMED, AnswerRecord

pytestmark = pytest.mark.slow
ASK, ASKED = "/collections/made-up/ask", {"question": "When was the mill built by Anna Holm?"}
STREAM = {"accept": "text/event-stream"}
JSON = ADA | {"content-type": "application/json"}
MOST_PIECES = 200


def events(response: httpx.Response) -> Iterator[tuple[str, str]]:
    """The events of a stream as (name, data); lines without meaning are passed over."""
    name = ""
    for line in response.iter_lines():
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        elif key == "data":
            yield name, value


@pytest.mark.gate
def test_a_question_is_answered_and_exported(api: httpx.Client) -> None:
    said = api.post(ASK, json=ASKED)
    assert said.headers["cache-control"] == "no-store"
    answer = AnswerRecord.model_validate(said.json())
    assert "1887" in answer.sentences[0].text
    assert answer.sentences[0].citations[0].anchor
    again = api.get(f"/answers/{answer.id}")
    assert again.json() == said.json()
    starts = {"html": b"<!DOCTYPE", "json": b"{", "pdf": b"%PDF", "bib": b"%", "ris": b"TY  -"}
    for form, start in starts.items():
        made = api.get(f"/answers/{answer.id}/export/{form}")
        assert made.content.startswith(start)
        assert made.headers["content-disposition"].endswith(f".{form}")
        assert "sandbox" in made.headers["content-security-policy"]
    with zipfile.ZipFile(io.BytesIO(api.get(f"/answers/{answer.id}/export/md").content)) as archive:
        assert any(name.endswith(".md") for name in archive.namelist())
    refused(api.get(f"/answers/{answer.id}/export/docx"), 404)
    refused(api.post(ASK, json=ASKED | {"method_options": {"min_words": 5}}), 422)
    refused(api.get(f"/answers/{'0' * 32}"), 404)


@pytest.mark.gate
def test_an_answer_comes_as_events(api: httpx.Client) -> None:
    with api.stream("POST", ASK, json=ASKED, headers=STREAM) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = list(events(response))
    assert [name for name, _ in told] == ["planned", "searched", "checked", "answered"]
    for name, data in told:
        STREAMED[name].model_validate_json(data)
    answer = json.loads(told[-1][1])
    assert json.loads(told[2][1])["sentence"]["text"] == answer["sentences"][0]["text"]
    assert api.get(f"/answers/{answer['id']}").json() == answer


@pytest.fixture
def gate() -> threading.Semaphore:
    """What lets a model say one more piece."""
    return threading.Semaphore(0)


@pytest.fixture
def writing(
    shelf: tuple[Path, Document],
    tmp_path: Path,
    serve: Callable[..., ScriptedServer],
    gate: threading.Semaphore,
) -> Iterator[tuple[ApiServer, ScriptedServer]]:
    """A server with accounts and a model that writes a piece whenever the gate lets it, and that model."""
    reply = said(("The mill was built in 1887 by Anna Holm.", ["E1"]))[:-2]
    model = serve(lambda _: says(reply, *[" "] * MOST_PIECES, gate=gate))
    chosen = ModelSettings(base_url=model.url, name="scripted", retries=0)
    settings = RagSettings(min_confidence=0, judge="rules", model=chosen)
    with serving_api(shelf[0], tmp_path / "arrived", accounts=True, rag=settings, max_asks=1) as server:
        yield server, model


@pytest.mark.parametrize("accept", [pytest.param("text/event-stream", marks=pytest.mark.gate), "application/json"])
def test_closing_the_connection_ends_the_work(
    writing: tuple[ApiServer, ScriptedServer], gate: threading.Semaphore, accept: str
) -> None:
    server, model = writing
    body = json.dumps(ASKED | {"method": "vanilla"})
    url = httpx.URL(server.address + ASK)
    assert url.port
    head = [f"POST {url.path} HTTP/1.1", f"Host: {url.host}:{url.port}", f"Cookie: {ADA['cookie']}"]
    head += [f"Accept: {accept}", "Content-Type: application/json", f"Content-Length: {len(body)}", "", body]
    with socket.create_connection((url.host, url.port)) as connection:
        connection.sendall("\r\n".join(head).encode())
        until(lambda: bool(model.asked))
        too_many = httpx.post(server.address + ASK, content=body, headers=JSON, timeout=30)
        assert "max_asks" in refused(too_many, 429).detail
        assert too_many.headers["retry-after"] == "5"
    for _ in range(MOST_PIECES):
        gate.release()
        if model.hung_up.wait(0.1):
            break
    assert model.hung_up.is_set()
    # The place of the question is free again, once its thread has ended.
    until(lambda: httpx.post(server.address + ASK, json=ASKED, headers=ADA, timeout=60).status_code == 200)


@pytest.mark.gate
def test_a_check_ends_when_nobody_waits_for_it(server: ApiServer) -> None:
    metrics, url = server.asking.open_collections.metrics, httpx.URL(f"{server.address}/collections/made-up/check")
    body = json.dumps({"text": "".join(f"The mill sold {n} ships in {1000 + n}. " for n in range(2000))})
    head = [f"POST {url.path} HTTP/1.1", f"Host: {url.host}:{url.port}", "Content-Type: application/json"]
    head += [f"Content-Length: {len(body)}", "", body]
    with socket.create_connection((url.host, url.port or 0)) as connection:
        connection.sendall("\r\n".join(head).encode())
        until(lambda: metrics.under_way == 1)
    until(lambda: metrics.under_way == 0)
    assert b'vouch_answers_total{kind="api_check",outcome="stopped"} 1.0' in metrics.text()


@pytest.mark.gate
def test_nobody_gets_another_s_answer(writing: tuple[ApiServer, ScriptedServer]) -> None:
    server, _ = writing
    answer = httpx.post(server.address + ASK, json=ASKED, headers=ADA, timeout=30).json()
    path = f"{server.address}/answers/{answer['id']}"
    assert httpx.get(path, headers=ADA).json() == answer
    refused(httpx.get(path, headers=BOB), 404)
    refused(httpx.get(f"{path}/export/html", headers=BOB), 404)
    refused(httpx.get(path), 401)
