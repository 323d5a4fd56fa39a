"""The client of the API against a real server: every method, every sort of error, and a stream that is closed."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from indexing.embed.minilm import MiniLM
from tests.support import documents
from tests.ui.real_collection import mill
from tests.ui.web.api.api_server import ADA, ApiServer, serving_api
from ui.errors import (
    AccessDenied,
    ClientError,
    RequestConflict,
    RequestUnfit,
    ServerAway,
    ServerTrouble,
    ThingMissing,
    TooManyRequests,
)
from vouch.client import Client

pytestmark = pytest.mark.slow
QUESTION = "When was the mill built by Anna Holm?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder = tmp_path_factory.mktemp("client")
    mill(folder, MiniLM(threads=1))
    with serving_api(folder / "home", folder / "arrived", accounts=True) as running:
        yield running


@pytest.fixture
def client(server: ApiServer) -> Iterator[Client]:
    with Client(server.root + "/", headers=ADA) as made:
        yield made


@pytest.mark.gate
def test_questions_are_answered_searched_for_and_exported(client: Client) -> None:
    answer = client.ask("made-up", QUESTION, method="quote", top_k=5, mode="text")
    assert "1887" in answer.sentences[0].text
    cited = answer.sentences[0].citations[0]
    assert client.answer(answer.id or "") == answer
    assert client.export(answer, "pdf").startswith(b"%PDF")
    assert client.resolve("made-up", cited.anchor or "").state == "found"
    assert client.search("made-up", QUESTION, top_k=1).evidence[0].document == "mill.pdf"
    assert client.check("made-up", "The mill was built in 1887 by Anna Holm.").counts["confirmed"] == 1
    assert client.page_image("made-up", cited.doc_id, cited.page, 300)[:4] == b"RIFF"
    assert client.page("made-up", cited.doc_id, cited.page).elements[0].id == cited.element_id


def test_files_are_sent_and_a_job_is_waited_for(client: Client, tmp_path: Path) -> None:
    assert client.make_collection("sent").documents == 0
    job = client.wait(client.upload("sent", documents.pdf(tmp_path / "rye.pdf", ["Rye is sown in autumn."])), 0.2)
    assert (job.state, job.progress) == ("done", 1.0)
    assert job == next(client.jobs())
    assert client.cancel(job.id) == job
    (document,) = client.documents("sent", where="kind=pdf")
    assert client.document("sent", document.id) == document
    assert document.id == job.files[0].document
    assert [c.name for c in client.collections()] == ["made-up", "sent"]
    client.delete_document("sent", document.id)
    assert client.collection("sent").documents == 0
    client.delete_collection("sent")
    with pytest.raises(ThingMissing, match="no such collection"):
        client.collection("sent")


@pytest.mark.gate
def test_refusals_are_errors_of_ours_with_the_next_step(client: Client, server: ApiServer) -> None:
    with pytest.raises(RequestConflict, match="choose another name") as raised:
        client.make_collection("made-up")
    assert (raised.value.status, raised.value.kind) == (409, "urn:vouch:problem:there-already")
    with pytest.raises(RequestUnfit, match=r"rag\.model"):
        client.ask("made-up", "Why?", method="vanilla")
    with pytest.raises(RequestUnfit, match=r"rag\.model"):
        next(client.stream("made-up", "Why?", method="vanilla"))
    with Client(server.root) as stranger, pytest.raises(AccessDenied, match="log in first"):
        next(stranger.collections())
    with Client("http://127.0.0.1:9") as lost, pytest.raises(ServerAway, match="vouch serve"):
        lost.job("x")


@pytest.mark.parametrize(
    ("status", "content", "error"),
    [
        (429, b"", TooManyRequests), (502, b"<html>", ServerTrouble), (403, b"no", AccessDenied),
        (200, b"<html>", ServerTrouble),
    ],
)  # fmt: skip
def test_what_is_no_answer_of_ours_is_an_error_too(status: int, content: bytes, error: type[ClientError]) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
    with Client("http://127.0.0.1:1", transport=transport) as client, pytest.raises(error):
        client.job("x")
