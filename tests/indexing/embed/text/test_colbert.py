"""Text embedders: ColBERT checkpoints, and those that a server has."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing import IndexingSettings, errors
from indexing.embed import probe_text
from indexing.embed.text import ColBERT, ServedEmbedder, served
from rag.question.language import UNFITTED
from tests.support import documents, late_checkpoint
from tests.support.late_checkpoint import Made
from ui.cli import main

PAGES = ("The mill was built in 1887, by the river.", "The lighthouse burned oil until 1911.", "Der Hafen ist alt.")
QUESTIONS = ("When was the mill built?", "What burned the lighthouse?", "Wie alt ist der Hafen?")
FILLER = [f"Page {n} tells of word{n} and of word{n + 1}, in brief, as all of them do." for n in range(40)]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return late_checkpoint.make(tmp_path / "tiny", [*PAGES, *QUESTIONS, *FILLER])


def settings(made: Made, **more: object) -> IndexingSettings:
    told = {"embedder": "colbert", "text_checkpoint": str(made.folder), "workers": 1, "visual": "none"}
    return IndexingSettings.model_validate(told | more)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_checkpoint_that_cannot_be_used_says_why(made: Made, tmp_path: Path) -> None:
    with pytest.raises(errors.CheckpointMissing, match="--checkpoint"):
        ColBERT(IndexingSettings(embedder="colbert"))
    with pytest.raises(errors.CheckpointMissing, match="neither an existing folder"):
        ColBERT(settings(made, text_checkpoint="not/a/name"))
    with pytest.raises(errors.CheckpointUnfit, match=r"no modules\.json"):
        ColBERT(settings(made, text_checkpoint=str(tmp_path)))
    known = json.loads((made.folder / "config_sentence_transformers.json").read_text())
    (made.folder / "config_sentence_transformers.json").write_text(json.dumps(known | {"query_prefix": "query: "}))
    with pytest.raises(errors.CheckpointUnfit, match="prefix 'query: '"):
        ColBERT(settings(made))


def test_from_the_command_line(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    pdf = documents.pdf(tmp_path / "book.pdf", *([text] for text in PAGES))
    model = ["--text", "colbert", "--checkpoint", str(made.folder)]
    assert main(["index", str(pdf), "-c", "own", *model, "--workers", "1"]) == 0
    told = json.loads((tmp_path / "home" / "own" / "collection.json").read_text())
    assert (told["embedder"], told["text"]["checkpoint"], told["text"]["dim"]) == ("colbert", str(made.folder), 48)
    capsys.readouterr()
    assert main(["ask", QUESTIONS[0], "-c", "own", "--json"]) == 0  # the collection says which embedder
    answer = json.loads(capsys.readouterr().out)
    assert "1887" in json.dumps(answer["sentences"])
    assert UNFITTED in answer["notes"]
    assert main(["search", QUESTIONS[2], "-c", "own", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence"][0]["page"] == 3
    assert main(["index", str(pdf), "-c", "own", "--text", "minilm"]) == 2
    assert "'own' was made with the embedder 'colbert'" in capsys.readouterr().err
    other = late_checkpoint.make(tmp_path / "other", PAGES, seed=1)
    assert main(["index", str(pdf), "-c", "own", "--text", "colbert", "--checkpoint", str(other.folder)]) == 2
    said = capsys.readouterr().err
    assert str(made.folder) in said
    assert str(other.folder) in said
    assert main(["index", str(pdf), "-c", "english", "--workers", "1"]) == 0
    assert main(["index", str(pdf), "-c", "english", *model]) == 2
    assert "'english' was made with the embedder 'minilm'" in capsys.readouterr().err


def test_the_doctor_loads_a_checkpoint_and_fetches_none(made: Made) -> None:
    assert probe_text(settings(made)) == f"colbert with {made.folder} is loaded"
    with pytest.raises(errors.CheckpointMissing, match="hf download nobody/nothing"):
        probe_text(settings(made, text_checkpoint="nobody/nothing"))
    with pytest.raises(errors.CheckpointMissing, match="neither an existing folder"):
        probe_text(settings(made, text_checkpoint="/nowhere/at/all"))


DIM = 96
QUESTION = "When was the mill built?"
KEY = "secret-of-the-tests"


def vector(text: str, dim: int) -> list[float]:
    """The sum of fixed random vectors of the words: texts that share words are alike."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    rows = [np.random.default_rng(list(word.encode())).standard_normal(dim) for word in words]
    return [float(v) for v in np.sum([np.zeros(dim), *rows], axis=0)]


class EmbeddingServer:
    """A server of /v1/embeddings; `says` may name a status, and `replies` other bytes, for the next requests."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.dim = DIM
        self.statuses: list[int] = []
        self.replies: list[bytes] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.keys.append(self.headers.get("authorization", ""))
                outer.asked.append(body | {"path": self.path})
                status = outer.statuses.pop(0) if outer.statuses else 200
                rows = [{"index": n, "embedding": vector(t, outer.dim)} for n, t in enumerate(body["input"])]
                data = json.dumps({"data": rows[::-1]}).encode()  # in any order: the index counts
                if status != 200:
                    data = f"no, and not with {outer.keys[-1]}".encode()
                elif outer.replies:
                    data = outer.replies.pop(0)
                self.send_response(status)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    made = EmbeddingServer()
    monkeypatch.setenv("OPENAI_BASE_URL", made.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield made
    made.close()


def settings_of_served(**more: object) -> IndexingSettings:
    told = {"embedder": "openai", "text_checkpoint": "tiny", "workers": 1, "visual": "none"}
    return IndexingSettings.model_validate(told | more)


def test_texts_are_one_vector_each_and_the_key_goes_along(server: EmbeddingServer) -> None:
    embedder = ServedEmbedder(settings_of_served())
    own = embedder.embed_passages([PAGES[0], "--", PAGES[1]])
    assert [o.vectors.shape for o in own] == [(1, DIM), (0, DIM), (1, DIM)]
    wanted = np.array(vector(PAGES[1], DIM))
    assert float(own[2].vectors[0] @ wanted / np.linalg.norm(own[2].vectors) / np.linalg.norm(wanted)) > 0.999
    assert own[0].offsets.tolist() == [[0, len(PAGES[0])]]
    assert server.asked[-1]["path"] == "/v1/embeddings"
    assert (server.asked[-1]["model"], server.asked[-1]["input"]) == ("tiny", [PAGES[0], PAGES[1]])
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_a_busy_server_is_asked_again_and_one_that_refuses_is_not(server: EmbeddingServer) -> None:
    waited: list[float] = []
    server.statuses = [429, 503]
    assert ServedEmbedder(settings_of_served(), pause=waited.append).dim == DIM
    assert len(waited) == 2
    server.statuses = [401]
    with pytest.raises(errors.EmbeddingServerFailed, match=r"status 401.*check the key") as told:
        ServedEmbedder(settings_of_served(), pause=waited.append)
    assert KEY not in str(told.value)
    server.statuses = [500] * 4
    with pytest.raises(errors.EmbeddingServerFailed, match="4 times"):
        ServedEmbedder(settings_of_served(), pause=waited.append)
    assert len(server.asked) == 3 + 1 + 4


@pytest.mark.parametrize("reply", [b"", b"[]", b'{"data": []}', b'{"data": [{"index": 0, "embedding": ["x"]}]}'])
def test_what_is_no_vector_is_told(server: EmbeddingServer, reply: bytes) -> None:
    server.replies = [reply]
    with pytest.raises(errors.EmbeddingServerFailed, match="is an embedding model"):
        ServedEmbedder(settings_of_served())


def test_no_address_and_no_model_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(errors.EmbeddingServerFailed, match="OPENAI_BASE_URL"):
        ServedEmbedder(settings_of_served())
    with pytest.raises(errors.EmbeddingServerFailed, match="--checkpoint MODEL"):
        ServedEmbedder(settings_of_served(text_checkpoint=""))


def test_from_the_command_line_of_served(
    server: EmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    pdf = documents.pdf(tmp_path / "book.pdf", *([text] for text in PAGES))
    model = ["--text", "openai", "--checkpoint", "tiny"]
    assert main(["index", str(pdf), "-c", "own", *model, "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["ask", QUESTION, "-c", "own", "--json"]) == 0
    assert "1887" in json.dumps(json.loads(capsys.readouterr().out)["sentences"])
    assert main(["index", str(pdf), "-c", "own", "--text", "openai", "--checkpoint", "large"]) == 2
    said = capsys.readouterr().err
    assert "'tiny'" in said
    assert "'large'" in said
    server.dim = 64
    assert main(["ask", QUESTION, "-c", "own"]) == 2
    assert "64 dimensions" in capsys.readouterr().err
    server.close()
    monkeypatch.setattr(served, "TRIES", 1)
    assert main(["ask", QUESTION, "-c", "own"]) == 2
    assert "cannot be reached" in capsys.readouterr().err
    assert KEY.encode() not in b"".join(f.read_bytes() for f in (tmp_path / "home").rglob("*") if f.is_file())
