"""A late-interaction checkpoint of one's own: how it writes texts, and a collection that is made with it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from indexing import IndexingSettings, errors
from indexing.embed import probe_text
from indexing.embed.text import ColBERT
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


def test_a_passage_has_the_vectors_of_its_marks_and_words_without_punctuation(made: Made) -> None:
    embedder = ColBERT(settings(made))
    text = "The mill, by the river."
    own = embedder.embed_passages([text])[0]
    wanted = made.vectors("[CLS]", "[D] ", "the", "mill", "by", "the", "river", "[SEP]")
    assert embedder.dim == 48  # the next multiple of eight
    assert own.vectors.shape == (8, 48)
    assert not own.vectors[:, 44:].any()
    assert np.abs(unit(own.vectors[:, :44].astype(float)) - wanted).max() < 0.02
    words = [text[a:b] for a, b in own.offsets.tolist()]
    assert words == ["", "", "The", "mill", "by", "the", "river", ""]
    assert (embedder.offsets(text) == own.offsets).all()


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
