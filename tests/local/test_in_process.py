"""A model in this process: it answers, sees, keeps to schemas and stops."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from itertools import islice
from pathlib import Path

import pytest

from indexing import Collection
from rag import ModelSettings, Pipeline, RagSettings, ServedModel, load_profile, probe_images, probe_schema
from rag.errors import ModelFileUnusable, ReplyCutOff
from rag.llm import Message, Reply
from rag.llm.local import engine_of
from tests.local.eyes import eyes
from tests.local.test_answers import QUESTIONS, SHORT
from tests.support.gguf_files import gguf as small_gguf
from ui.cli import parser as cli

FERRY = [Message("user", ("The ferry leaves at nine. When does the ferry leave? Answer in one short sentence.",))]
LONG = [Message("user", ("Tell a very long story of a ferry.",))]


def test_it_streams_what_it_says_when_it_is_read_whole(model: ServedModel) -> None:
    *pieces, end = model.stream(FERRY, max_tokens=32)
    assert isinstance(end, Reply)
    assert len(pieces) > 3
    assert "".join(map(str, pieces)) == end.text == model.complete(FERRY, max_tokens=32).text


def test_it_keeps_to_schemas(model: ServedModel) -> None:
    assert probe_schema(model) == "the server restricts replies to a JSON schema"
    schema = {
        "type": "object",
        "properties": {"labels": {"type": "array", "items": {"enum": ["E1", "E7"]}, "minItems": 1, "maxItems": 2}},
        "required": ["labels"],
        "additionalProperties": False,
    }
    said = json.loads(model.complete(FERRY, schema=schema, max_tokens=64).text)
    assert set(said["labels"]) <= {"E1", "E7"}


def test_stopping_stops_the_writing(model: ServedModel) -> None:
    """Its threads work for as long as it writes, and rest a moment after the reader has gone."""
    with pytest.raises(ReplyCutOff):
        model.complete(LONG, max_tokens=24)
    stream = model.stream(LONG)
    assert list(islice(stream, 3))
    stream.close()  # type: ignore[attr-defined]
    assert any(_seconds_at_work() < 0.05 for _ in range(20))


def _seconds_at_work() -> float:
    """The processor time that this process takes in a fifth of a second."""
    started = time.process_time()
    time.sleep(0.2)
    return time.process_time() - started


def test_nobody_else_on_this_machine_can_use_it(model: ServedModel) -> None:
    address = engine_of(model.settings).base_url
    request = urllib.request.Request(f"{address}/chat/completions", b'{"messages": []}')
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)


def test_a_file_that_was_cut_off_is_told(gguf: Path, tmp_path: Path) -> None:
    """Its header is whole; one whose last weights alone are missing is refused by llama.cpp itself."""
    data = gguf.read_bytes()
    for kept in (len(data) // 2, len(data) - 1000):
        (tmp_path / "part.gguf").write_bytes(data[:kept])
        with pytest.raises(ModelFileUnusable, match=r"part\.gguf.* damaged.*download it again"):
            ServedModel(ModelSettings(gguf=str(tmp_path / "part.gguf"))).complete(FERRY)


def test_it_is_connected_and_the_process_ends_well(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "ui.cli", "connect", str(gguf), "--to", str(tmp_path / "own.yaml")]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""  # llama.cpp writes nothing there
    assert "context: 8192 tokens" in run.stdout
    rag = load_profile(str(tmp_path / "own.yaml")).rag
    assert rag.mode == "text"
    assert rag.model is not None
    assert rag.model.gguf == str(gguf)
    assert cli.main(["connect", str(gguf), "--to", str(tmp_path / "own.yaml")]) == 2
    assert "already exists" in capsys.readouterr().err


def test_pictures_are_seen_counted_and_cited_by_label(samples: Collection, gguf: Path, tmp_path: Path) -> None:
    """The eyes are random numbers: the words are noise, and what carries them is not."""
    settings = ModelSettings(
        gguf=str(gguf), mmproj=str(eyes(tmp_path / "eyes.gguf")), context_tokens=8192, max_output_tokens=200, images=2
    )
    model = ServedModel(settings)
    assert probe_images(model) == "an image of 256 x 256 pixels is 16 tokens"
    rag = RagSettings(model=settings, mode="image", method="vanilla", judge="rules", top_k=2, writing=SHORT)
    answer = Pipeline(samples, rag, model=model).answer(QUESTIONS[2])
    assert answer.usage.images > 0
    shown = {item.label for item in answer.evidence}
    assert {citation.label for s in answer.sentences for citation in s.citations} <= shown
    model.close()


def test_eyes_that_do_not_fit_are_told(gguf: Path, tmp_path: Path) -> None:
    broken = small_gguf(tmp_path / "broken.gguf", "clip")
    model = ServedModel(ModelSettings(gguf=str(gguf), mmproj=str(broken), context_tokens=1024, max_output_tokens=64))
    with pytest.raises(ModelFileUnusable, match=r"llama\.cpp cannot load .* with .*broken\.gguf"):
        model.complete([Message("user", ("Hello?",))])
