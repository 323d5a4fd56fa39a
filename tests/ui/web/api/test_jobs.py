"""Uploads by HTTP become jobs: read, told, stopped, within limits, and nobody else's."""

from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

from indexing import CollectionMissing
from indexing.embed.minilm import MiniLM
from tests.support import documents
from tests.support.fakes import collection
from tests.ui.real_collection import LINES
from tests.ui.web.api.api_server import ADA, BOB, ApiServer, restarted, serving_api
from tests.ui.web.api.test_collections import refused
from ui.web.messages import JobRecord

pytestmark = pytest.mark.slow
DOCUMENTS = "/collections/made-up/documents"
RAW = {"content-type": "application/octet-stream"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Path:
    """A home with an empty collection."""
    folder = tmp_path_factory.mktemp("jobs")
    collection(folder, embedder)
    return folder


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[ApiServer]:
    """A server with accounts over that home."""
    with serving_api(home, home.parent / "arrived", accounts=True, max_file_mb=1, max_files=3) as running:
        yield running


@pytest.fixture
def ada(server: ApiServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, headers=ADA, timeout=60) as client:
        yield client


@pytest.fixture
def pdf(tmp_path: Path) -> bytes:
    return documents.pdf(tmp_path / "mill.pdf", list(LINES)).read_bytes()


def ended(server: ApiServer, api: httpx.Client, job: JobRecord) -> JobRecord:
    """The job once all of its files are read."""
    for _ in server.uploads.follow("api account 1 ada"):
        pass
    return JobRecord.model_validate(api.get(f"/jobs/{job.id}").json())


@pytest.mark.gate
def test_files_are_read_into_a_collection(server: ApiServer, ada: httpx.Client, pdf: bytes) -> None:
    sent = ada.post(DOCUMENTS, files=[("files", ("mill.pdf", pdf)), ("files", ("broken.pdf", b"%PDF-1.7 nothing"))])
    assert sent.status_code == 202, sent.text
    job = JobRecord.model_validate(sent.json())
    assert sent.headers["location"] == f"/api/v1/jobs/{job.id}"
    job = ended(server, ada, job)
    assert [(f.name, f.state) for f in job.files] == [("mill.pdf", "done"), ("broken.pdf", "failed")]
    assert (job.state, job.progress) == ("failed", 1.0)
    assert job.files[1].note
    told = ada.get(f"{DOCUMENTS}/{job.files[0].document}").json()
    assert (told["name"], told["brought_by"]) == ("mill.pdf", "ada")
    assert ada.get("/jobs").json()["items"][0]["id"] == job.id


@pytest.mark.gate
def test_a_job_is_nobody_else_s(server: ApiServer, ada: httpx.Client, pdf: bytes) -> None:
    job = ada.post(DOCUMENTS, files=[("files", ("again.pdf", pdf))]).json()
    with httpx.Client(base_url=server.address, headers=BOB) as bob:
        assert bob.get("/jobs").json()["items"] == []
        refused(bob.get(f"/jobs/{job['id']}"), 404)
        refused(bob.post(f"/jobs/{job['id']}/cancel"), 404)
    with httpx.Client(base_url=server.address) as nobody:
        for method, path in (("GET", "/jobs"), ("POST", DOCUMENTS), ("GET", DOCUMENTS), ("DELETE", "/collections/x")):
            said = nobody.request(method, path)
            assert refused(said, 401).detail == "log in first"
            assert said.headers["www-authenticate"]
        described = nobody.get("/openapi.json")
        assert (described.status_code, version("vouch") in described.text) == (200, False)
        assert (nobody.get("").json()["version"], ada.get("").json()["version"]) == (None, version("vouch"))
    ended(server, ada, JobRecord.model_validate(job))


@pytest.mark.parametrize(
    ("query", "sent", "status", "why"),
    [
        ("", {"content": b"x"}, 415, "nothing"),
        ("", {"data": {"files": "x"}}, 415, "x-www-form-urlencoded"),
        ("", {"json": {}}, 415, "application/json"),
        ("", {"content": b"x", "headers": RAW}, 422, "name"),
        ("?name=a.pdf", {"files": [("files", ("a.pdf", b"x"))]}, 422, "the files of a form"),
        ("", {"files": [("file", ("a.pdf", b"x"))]}, 422, "'file'"),
        ("", {"files": [("password", (None, b"x"))]}, 422, "no file"),
        ("", {"files": [("password", (None, b"x" * 1025))]}, 422, "password: longer"),
        ("", {"content": b"--b\r\n", "headers": {"content-type": "multipart/form-data; boundary=b"}}, 422, "cut off"),
        ("", {"content": b"zz", "headers": {"content-type": "multipart/form-data; boundary=b"}}, 422, "form"),
        ("?name=a.pdf", {"content": b"x" * 1_100_000, "headers": RAW}, 413, "max_file_mb"),
        ("", {"files": [("files", (f"{n}.pdf", b"x")) for n in range(4)]}, 413, "max_files"),
    ],
)
def test_what_is_no_upload_is_refused(
    ada: httpx.Client, query: str, sent: dict[str, Any], status: int, why: str
) -> None:
    assert why in refused(ada.post(DOCUMENTS + query, **sent), status).detail


@pytest.mark.gate
def test_a_job_outlives_its_server(home: Path, pdf: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is done, what could not be read says why, and what was to be read says that it was not."""
    whole, unread = pdf + b"\n% whole", pdf + b"\n% unread"
    running = partial(restarted, home, tmp_path)
    with running() as (server, ada):
        sent = ada.post(DOCUMENTS, files=[("files", ("w.pdf", whole)), ("files", ("b.pdf", b"%PDF-1.7 nothing"))])
        before = ended(server, ada, JobRecord.model_validate(sent.json()))
        monkeypatch.setattr(server.uploads.upload_queue, "_start", lambda: None)
        waiting = ada.post(DOCUMENTS, files=[("files", ("w2.pdf", whole)), ("files", ("u.pdf", unread))]).json()
    with running() as (server, ada):
        assert [job["id"] for job in ada.get("/jobs").json()["items"]] == [waiting["id"], before.id]
        assert JobRecord.model_validate(ada.get(f"/jobs/{before.id}").json()) == before
        job = JobRecord.model_validate(ada.post(f"/jobs/{waiting['id']}/cancel").json())
        assert [(f.name, f.state) for f in job.files] == [("w2.pdf", "done"), ("u.pdf", "forgotten")]
        assert (job.state, job.files[0].document) == ("failed", before.files[0].document)
        assert "send it again" in job.files[1].note
        again = ada.post(DOCUMENTS, files=[("files", ("u.pdf", unread))]).json()
        assert ended(server, ada, JobRecord.model_validate(again)).state == "done"
        with httpx.Client(base_url=server.address, headers=BOB) as bob:
            refused(bob.get(f"/jobs/{before.id}"), 404)
        fails = Mock(side_effect=CollectionMissing("made-up"))
        with monkeypatch.context() as gone:
            gone.setattr(server.asking.open_collections, "open_collection", fails)
            unseen = JobRecord.model_validate(ada.get(f"/jobs/{waiting['id']}").json())
        assert [f.state for f in unseen.files] == ["forgotten", "forgotten"]
        assert not any("send it again" in f.note for f in unseen.files), "nobody looked"
