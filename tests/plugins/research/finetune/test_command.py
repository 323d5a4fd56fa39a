"""How fine-tuning goes through its examples, and what its command says: options, errors with the next step, help."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.tasks.registry import TASKS
from indexing.embed.visual.checkpoints import locate
from indexing.errors import CheckpointUnfit
from plugins.research import qwen_vl
from plugins.research.construct import sft
from plugins.research.finetune import cli as finetune
from plugins.research.finetune.course import Adapter, Course, shown_progress, stoppable
from plugins.research.finetune.model import family_of
from tests.evaluation import data_sets


@given(st.integers(1, 40), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_an_epoch_sees_every_example_once(examples: int, batch: int, accumulate: int, epochs: int) -> None:
    course = Course(epochs=epochs, batch=batch, accumulate=accumulate)
    steps = course.steps(examples)
    seen = [n for step in range(steps) for some in course.batches(step, examples) for n in some]
    assert len(seen) == epochs * examples
    for epoch in range(epochs):
        assert sorted(seen[epoch * examples : (epoch + 1) * examples]) == list(range(examples))
    rates = [course.rate(step, steps) for step in range(steps)]
    assert all(0 < rate <= course.learning_rate * (1 + 1e-9) for rate in rates)
    (whole,) = Course(epochs=epochs, batch=batch * accumulate, accumulate=1).batches(0, examples)
    assert [n for some in course.batches(0, examples) for n in some] == whole


def test_the_rate_rises_and_falls() -> None:
    course = Course(learning_rate=1.0, warmup=0.1)
    rates = [course.rate(step, 100) for step in range(100)]
    assert rates[:10] == pytest.approx([(n + 1) / 10 for n in range(10)])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == pytest.approx(0.1, abs=0.01)


def test_ctrl_c_is_kept_for_later_and_obeyed_when_it_comes_again() -> None:
    before, said = signal.getsignal(signal.SIGINT), io.StringIO()
    with stoppable(said) as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert "stopping and saving" in said.getvalue()
    assert signal.getsignal(signal.SIGINT) is before


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_progress_has_loss_and_time_left(stream: io.StringIO) -> None:
    with shown_progress(4, 1, stream) as tell:
        tell(2, 0.5)
        tell(4, 0.25)
    assert "loss 0.2500" in stream.getvalue()
    assert "0 s left" in stream.getvalue()


def checkpoint(folder: Path, **config: Any) -> Path:
    """A folder that looks like a checkpoint, with one weight in it."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    header = json.dumps({"x": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0")
    return folder


def test_families_are_known_by_their_type(tmp_path: Path) -> None:
    known = locate(str(checkpoint(tmp_path / "q", model_type="qwen2_5_vl")), "test")
    assert family_of(known).boxes == "absolute_pixels"
    other = locate(str(checkpoint(tmp_path / "l", model_type="llama")), "test")
    with pytest.raises(CheckpointUnfit, match=r"its model_type is 'llama', and only Qwen2.5-VL .*, Qwen3-VL"):
        family_of(other)
    adapter = checkpoint(tmp_path / "a")
    (adapter / "model.safetensors").rename(adapter / "adapter_model.safetensors")
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(tmp_path / "q")}))
    with pytest.raises(CheckpointUnfit, match="it is an adapter: merge it first"):
        family_of(locate(str(adapter), "test"))


def test_the_command_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_sets.visa(tmp_path / "data")
    path, full = data / "sft.jsonl", tmp_path / "full"
    assert sft.export(TASKS["visa"].load(data, None, data, None), path) == 3
    full.mkdir()
    (full / "notes.txt").write_text("mine")
    words = ["--data", str(path), "--checkpoint", "nowhere", "--out"]
    cases: list[tuple[list[str], str]] = [
        ([*words, str(full)], "is not empty: give another folder with --out"),
        ([*words, str(full), "--resume"], "it contains files, but no saved step (resume.pt)"),
        ([*words, str(path)], "is a file: give a folder with --out"),
        ([*words, str(tmp_path / "new"), "--merge", str(full)], "is not empty: give another folder with --merge"),
        ([*words, str(tmp_path / "new"), "--validation", "1.5"], "a share between 0 and 1"),
        ([*words, str(tmp_path / "new"), "--validation", "no-file"], "no-file: cannot be read"),
        (["--data", "no-file", *words[2:], str(tmp_path / "new")], "no-file: cannot be read"),
    ]
    for told_to, named in cases:
        assert finetune.main(told_to) == 2
        assert named in capsys.readouterr().err
    monkeypatch.setattr(qwen_vl, "NEEDED", ("json", "no_such_package"))
    for told_to in ([*words, str(tmp_path / "new")], ["--out", str(full), "--merge", str(tmp_path / "new")]):
        assert finetune.main(told_to) == 2
        assert "fine-tuning needs no_such_package: pip install 'vouch[visual]'" in capsys.readouterr().err
    monkeypatch.setattr(qwen_vl, "NEEDED", ())
    assert finetune.main([*words, str(tmp_path / "new")]) == 2
    assert "'nowhere' is neither an existing folder nor owner/name on the Hugging Face hub" in capsys.readouterr().err
    assert finetune.main(["--out", str(full), "--merge", str(tmp_path / "new")]) == 2
    assert "it contains no adapter: train one" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "give --data FILE to train, or --merge DIR to merge"),
        (["--data", "x"], "--data needs --checkpoint"),
        (["--learning-rate", "0"], "'0' is not a number above 0"),
        (["--dropout", "1"], "'1' is not a number from 0"),
        (["--max-pixels", "inf"], "'inf' is not a number of pixels"),
        (["--epochs", "0"], "'0' is not a number from 1 on"),
    ],
)
def test_options_are_checked(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        finetune.main(["--out", "adapter", *words])
    assert end.value.code == 2
    assert named in capsys.readouterr().err


def test_help_leads_from_documents_to_figures(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        finetune.main(["--help"])
    said = capsys.readouterr().out
    for step in ("vouch eval construct visa", "--enable-lora", "--merge", "vouch eval visa", "--resume"):
        assert step in said
    assert all(name in said for name in Adapter().targets)
