"""Training the reader, on a tiny BERT of random weights: it goes on exactly, learns, and is exported as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch
from transformers import BertConfig, BertModel

from evaluation.fit.reader import main
from evaluation.fit.reader.course import ReaderCourse
from evaluation.fit.reader.examples import Examples
from evaluation.fit.reader.network import ReaderNetwork
from evaluation.fit.reader.train import STATE, ReaderTraining, fill, load_state
from rag import ReaderDamaged
from rag.reader import InputEncoder
from tests.evaluation.fit.reader import towns
from tests.evaluation.fit.reader.tokens import SPECIAL, tokenizer

LIMITS = {"xquad": 6, "tatqa": 6, "made": 2}
SMALL = ("--threads", "1", "--limits", ",".join(f"{k}={v}" for k, v in LIMITS.items()))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with two layers and a tokenizer of letters and a few words."""
    folder = tmp_path_factory.mktemp("bert")
    letters = [chr(c) for c in range(33, 127)]
    words = [*letters, *(f"##{c}" for c in letters), "when", "was", "the", "bridge", "opened", "boats", "town"]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
    )
    BertModel(config).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(tokenizer(*words))
    return folder


@pytest.fixture(autouse=True)
def few_are_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.fit.reader.cli.HELD_OUT_LIMITS", {"xquad": 8, "tatqa": 8, "made": 8})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return towns.write(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    return Examples(towns.corpus(tmp_path_factory.mktemp("examples")))


def training(weights: Path, examples: Examples, folder: Path, **course: Any) -> ReaderTraining:
    torch.manual_seed(1)
    encoder = InputEncoder(weights / "tokenizer.json")
    return ReaderTraining(
        ReaderNetwork(weights), encoder, examples, ReaderCourse(limits=LIMITS, **{"tokens": 2000, **course}), folder
    )


def silent(*_: object) -> None:
    """Tells nobody."""


def stopped_after(made: ReaderTraining, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train `steps` steps of a course, as if its minutes were over then."""
    with monkeypatch.context() as patch:
        patch.setattr(ReaderTraining, "_seconds", lambda t: 1e9 if t.done["step"] >= steps else 0.0)
        assert not made.run(silent, silent)
    assert made.done["step"] == steps


def test_three_steps_and_going_on_are_one_course(
    weights: Path, examples: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = training(weights, examples, tmp_path / "once", epochs=1)
    assert at_once.run(silent, silent)
    assert at_once.done["epoch"] == 1

    first = training(weights, examples, tmp_path / "twice", epochs=1)
    stopped_after(first, 3, monkeypatch)
    second = training(weights, examples, tmp_path / "twice", epochs=1)
    assert second.restore()
    assert second.done["step"] == 3
    second.done["seconds"] = 0.0  # those that were said to be over
    assert second.run(silent, silent)

    assert second.done["seen"] == at_once.done["seen"]
    expected = at_once.model.state_dict()
    for name, weight in second.model.state_dict().items():
        assert torch.equal(weight, expected[name]), name


def test_words_stay_as_they_are_and_all_else_is_learnt(weights: Path, examples: Examples, tmp_path: Path) -> None:
    made = training(weights, examples, tmp_path, epochs=0.5, rate=1e-2)
    before = {name: weight.clone() for name, weight in made.model.state_dict().items()}
    ended = []
    assert made.run(silent, lambda: ended.append(made.done["step"]))
    assert ended == [made.done["step"]]
    assert made.done["epoch"] == 0
    same = {name for name, weight in made.model.state_dict().items() if torch.equal(weight, before[name])}
    assert same == {"bert.embeddings.word_embeddings.weight"}


def test_the_loss_falls(weights: Path, examples: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluation.fit.reader.train.TOLD_STEPS", 10)
    told: list[str] = []
    made = training(weights, examples, tmp_path, epochs=4, rate=3e-3)
    assert made.run(lambda _at, _steps, text: told.append(text), silent)
    losses = [float(text.split("   ")[0].removeprefix("answers ")) for text in told]
    assert losses[-1] < losses[0]
    assert all("tokens/s" in text and "min left" in text for text in told)


def test_states_that_do_not_fit_are_told(weights: Path, examples: Examples, tmp_path: Path) -> None:
    made = training(weights, examples, tmp_path)
    assert not made.restore()
    torch.save(made.model.state_dict(), tmp_path / STATE)
    fill(made.model, load_state(tmp_path / STATE), tmp_path)
    with pytest.raises(ReaderDamaged, match="weights alone"):
        made.restore()
    with pytest.raises(ReaderDamaged, match="reader of this size"):
        fill(made.model, {"model": {"x": torch.zeros(1)}}, tmp_path)
    (tmp_path / STATE).write_bytes(b"half of a file")
    with pytest.raises(ReaderDamaged, match="cannot be read"):
        made.restore()


def test_the_command_trains_and_reports(
    weights: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = ("--data", str(data), "--out", str(tmp_path), "--weights", str(weights))
    main(["train", *common, *SMALL, "--epochs", "0.5"])
    trained = capsys.readouterr().out
    main(["report", *common, "--threads", "1"])
    assert capsys.readouterr().out == trained
    assert "against cut" in trained
    with pytest.raises(SystemExit) as end:
        main(["report", *common, "--state", str(tmp_path / "none.pt")])
    assert end.value.code == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
def test_what_is_exported_reads_as_it_was_trained(
    weights: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnx", reason="no onnx here: make visual-env, then make test-visual")
    pytest.importorskip("onnxscript", reason="no onnxscript here: make visual-env, then make test-visual")
    torch.manual_seed(2)
    torch.save(ReaderNetwork(weights).state_dict(), tmp_path / "model.pt")
    common = ("--data", str(data), "--weights", str(weights), "--threads", "1", "--checked", "20")
    main(["export", *common, "--state", str(tmp_path / "model.pt"), "--to", str(tmp_path / "made")])
    said = capsys.readouterr().out
    assert (tmp_path / "made" / "tokenizer.json").read_bytes() == (weights / "tokenizer.json").read_bytes()
    assert "sha256" in said
    apart = float(said.partition("probability of answering: ")[2].split()[0])
    assert apart < 0.05
    assert "of 20 held-out examples" in said
