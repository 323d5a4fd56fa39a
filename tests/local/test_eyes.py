"""Images in this process: with `mmproj` the model is sent pictures, counts them, and answers in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection
from rag import ModelSettings, Pipeline, RagSettings, ServedModel, probe_images
from rag.errors import ModelFileUnusable
from rag.llm import Message
from tests.local.eyes import eyes
from tests.local.test_answers import QUESTIONS, SHORT
from tests.support.gguf_files import gguf as small_gguf


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
