"""A small real model on a real vLLM answers a question: found in a scanned letter, written, checked and boxed."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import Collection, build_index
from rag import ModelSettings, Pipeline, RagSettings
from rag.settings import WritingSettings
from tests.vllm.test_answers import SAMPLES
from tests.vllm.vllm_server import PYTHON, ROOT, VllmServer

SHORT = WritingSettings(sentences=3, sentence_chars=200, facts=3)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    folder = tmp_path_factory.mktemp("smollm2")
    command = [str(PYTHON), "-m", "tests.vllm.unpacked", str(folder)]
    quiet = os.environ | {"HF_HUB_OFFLINE": "1"}
    made = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-4000:]
    with VllmServer(folder, "", folder / "server.log") as started:
        yield started


@pytest.mark.gate
def test_a_question_is_answered_with_a_box(server: VllmServer, tmp_path: Path) -> None:
    letters = Collection.create("letters", tmp_path)
    assert build_index(letters, [SAMPLES / "mill-lane-inspection-1987.pdf"]).exit_code == 0
    model = ModelSettings(
        base_url=server.url, name=server.name, images=0, context_tokens=4096, max_output_tokens=400, timeout=240
    )
    settings = RagSettings(model=model, mode="text", top_k=4, writing=SHORT)
    answer = Pipeline(letters, settings).answer("When was the bridge built?", method="vanilla")
    assert (answer.model, answer.usage.calls > 0) == (server.name, True)
    elements = {item.label: item.element for item in answer.evidence}
    cited = [citation for sentence in answer.sentences for citation in sentence.citations]
    assert cited, answer.to_json()
    assert all(citation.bbox == elements[citation.label].bbox for citation in cited)
