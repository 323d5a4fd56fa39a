"""Asked by programs: answers as JSON and as events, which end when nobody listens; exports; nobody else's answer."""

from __future__ import annotations

import io
import json
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from indexing import Document
from rag import RagSettings
from rag.llm import ModelSettings
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says
from tests.support.waiting import until
from tests.support.writers import said
from tests.ui.web.api.api_server import ADA, BOB, ApiServer, restarted, serving_api
from tests.ui.web.api.test_collections import refused
from ui.errors import KeptUnreadable
from ui.state import GivenAnswerStore
from ui.web.messages import STREAMED, AnswerRecord, AuditRecord, CheckRecord, RankingRecord

pytestmark = pytest.mark.slow
ASK, ASKED = "/collections/made-up/ask", {"question": "When was the mill built by Anna Holm?"}
STREAM = {"accept": "text/event-stream"}
JSON = ADA | {"content-type": "application/json"}
MOST_PIECES = 200
EXPORTED = ("html", "json", "bib", "ris")


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


def test_a_filter_that_no_document_fits_is_a_problem(api: httpx.Client) -> None:
    for name, sent in (("ask", ASKED), ("search", ASKED), ("check", {"text": "Rye."})):
        path = f"/collections/made-up/{name}"
        assert api.post(path, json=sent | {"where": "kind=pdf"}).status_code == 200
        none = refused(api.post(path, json=sent | {"where": "kind=docx"}), 422)
        assert "matches the filter 'kind=docx' (kind is pdf)" in none.detail


def test_what_fails_before_the_first_event_is_a_problem(api: httpx.Client) -> None:
    assert "rag.model" in refused(api.post(ASK, json=ASKED | {"method": "vanilla"}, headers=STREAM), 422).detail
    refused(api.post("/collections/nowhere/ask", json=ASKED, headers=STREAM), 404)


def test_passages_are_found_a_text_is_checked_and_entries_are_audited(api: httpx.Client) -> None:
    found = RankingRecord.model_validate(api.post("/collections/made-up/search", json=ASKED | {"top_k": 1}).json())
    assert [e.document for e in found.evidence] == ["mill.pdf"]
    checked = api.post("/collections/made-up/check", json={"text": "The mill was built in 1887 by Anna Holm."})
    told = CheckRecord.model_validate(checked.json())
    assert told.counts["confirmed"] == 1
    assert api.get(f"/answers/{told.id}/export/html").status_code == 200
    entry = "@book{a, author={A. Holm}, title={The mills of the north and their wheels}, year={2009}}"
    audited = AuditRecord.model_validate(api.post("/audit", json={"entries": entry, "collection": "made-up"}).json())
    assert [one.status for one in audited.references] == ["unknown"]
    refused(api.post("/audit", json={}), 422)
    refused(api.post("/audit", json={"entries": entry, "collection": "nowhere"}), 404)
    refused(api.post("/collections/made-up/check", json={"text": "x" * 400_001}), 422)


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


def test_answers_outlive_their_server(shelf: tuple[Path, Document], tmp_path: Path) -> None:
    """An answer and a check are told word for word, and exported, by the next server, to nobody but their caller."""
    with restarted(shelf[0], tmp_path) as (_, ada):
        answer = ada.post(ASK, json=ASKED).json()
        check = ada.post("/collections/made-up/check", json={"text": "The mill was built in 1887."}).json()
        exports = {form: ada.get(f"/answers/{answer['id']}/export/{form}").content for form in EXPORTED}
    with restarted(shelf[0], tmp_path) as (server, ada):
        assert ada.get(f"/answers/{answer['id']}").json() == answer
        assert ada.get(f"/answers/{check['id']}").json() == check
        assert sum(check["counts"].values()) == 1
        for form, content in exports.items():
            assert ada.get(f"/answers/{answer['id']}/export/{form}").content == content, form
        with httpx.Client(base_url=server.address, headers=BOB) as bob:
            refused(bob.get(f"/answers/{answer['id']}"), 404)


@pytest.mark.parametrize(
    "fault", [KeptUnreadable("too large"), OperationalError("INSERT", {}, OSError("disk is full"))]
)
def test_an_answer_that_cannot_be_stored_is_given_without_an_id(
    api: httpx.Client, fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with patch.object(GivenAnswerStore, "keep", side_effect=fault):
        answer = api.post(ASK, json=ASKED).json()
    assert answer["id"] is None
    assert "1887" in answer["sentences"][0]["text"]
    assert f"could not be stored, and cannot be exported: {type(fault).__name__}" in caplog.text
