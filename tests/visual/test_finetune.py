"""Fine-tuning on tiny random Qwen2.5-VL and Qwen3-VL: what is learnt, what stays, what is saved, and going on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")
pytest.importorskip("peft", reason="no peft here: make visual-env, then make test-visual")

import torch
import transformers
from safetensors.torch import load_file

from evaluation.tasks.registry import TASKS
from indexing.embed.visual.checkpoints import locate
from indexing.errors import CheckpointUnfit
from plugins.research import qwen_vl
from plugins.research.construct import sft
from plugins.research.errors import CannotTrain
from plugins.research.finetune import cli as finetune
from plugins.research.finetune import model as finetune_model
from plugins.research.finetune.course import Adapter, Course
from plugins.research.finetune.data import Conversation, Example, read
from plugins.research.finetune.loop import Training
from plugins.research.finetune.model import IGNORED, WHO, Student, encoded, family_of, keep_less, load, loss
from plugins.research.qwen_vl import FAMILIES
from rag.llm.settings import ModelSettings
from tests.evaluation import data_sets
from tests.plugins.research.finetune import test_cited as cited
from tests.vllm import tiny

PIXELS = 80_000
QUICK = ("--max-pixels", str(PIXELS), "--device", "cpu", "--accumulate", "2", "--rank", "4")
MAKERS: dict[str, Callable[[Path], None]] = {"qwen2_5_vl": tiny.qwen2_5_vl, "qwen3_vl": tiny.qwen3_vl}


@pytest.fixture(scope="module", params=MAKERS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of each family in turn, in fp32, so that nothing is lost when it is merged."""
    folder = tmp_path_factory.mktemp(request.param)
    MAKERS[request.param](folder)
    found = locate(str(folder), "test")
    getattr(transformers, family_of(found).architecture).from_pretrained(folder, dtype=torch.float32).save_pretrained(
        folder
    )
    return folder


one_family = pytest.mark.parametrize(
    "checkpoint", [pytest.param("qwen2_5_vl", marks=pytest.mark.thorough), "qwen3_vl"], indirect=True, scope="module"
)
"""For what takes long and does not depend on the family: the other one is thorough."""


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three conversations: one page, two pages, and one without an answer."""
    folder = tmp_path_factory.mktemp("data")
    gold = TASKS["visa"].load(data_sets.visa(folder), None, folder, None)
    assert sft.export(gold, folder / "sft.jsonl") == 3
    return folder / "sft.jsonl"


@pytest.fixture
def examples(lines: Path) -> tuple[Example, ...]:
    return tuple(e for e in read(lines).examples if isinstance(e, Example))


@pytest.fixture
def student(checkpoint: Path) -> Student:
    return load(locate(str(checkpoint), "test"), Adapter(rank=4, dropout=0.1), PIXELS, "cpu")


def training(student: Student, examples: Sequence[Conversation], folder: Path, **course: Any) -> Training:
    return Training(student, Course(**{"accumulate": 1, **course}), examples, (), folder, {})


def never() -> bool:
    return False


def quiet(step: int, value: float) -> None:
    """Tells nobody."""


def logits(model: Any, batch: dict[str, Any]) -> torch.Tensor:
    model.eval()
    with torch.no_grad():
        found: torch.Tensor = model(**{k: v for k, v in batch.items() if k != "labels"}).logits
    return found


def test_only_the_language_adapter_changes(student: Student, examples: tuple[Example, ...], tmp_path: Path) -> None:
    before = {name: weight.detach().clone() for name, weight in student.model.named_parameters()}
    assert training(student, examples[:1], tmp_path, epochs=2).run(never, quiet)
    changed = {n for n, w in student.model.named_parameters() if not torch.equal(w, before[n])}
    assert changed == {n for n, w in student.model.named_parameters() if w.grad is not None} == set(student.weights)
    assert all(".language_model.layers." in name and ".lora_" in name for name in changed)
    assert {name.split(".lora_")[0].rpartition(".")[2] for name in changed} == set(Adapter().targets)
    assert [n for n in before if "visual" in n and "lora" in n] == []


def test_only_the_reply_is_learnt(student: Student, examples: tuple[Example, ...]) -> None:
    """Labels are the reply and the end of the turn; the loss is the one that transformers makes of them."""
    batch = encoded(student, examples)
    tokenizer = student.processor.tokenizer
    for row, example in enumerate(examples):
        learnt = batch["labels"][row] != IGNORED
        ids = batch["input_ids"][row]
        assert tokenizer.decode(ids[learnt]) == f"{example.reply(student.settings)}<|im_end|>"
        first = int(learnt.nonzero()[0])
        assert learnt[first:].all()
        assert tokenizer.decode(ids[:first]).endswith("<|im_start|>assistant\n")
        shown = int((ids[:first] == student.model.config.image_token_id).sum())
        assert shown == int((batch["mm_token_type_ids"][row] == 1).sum()) > 0
    student.model.eval()
    with torch.no_grad():
        theirs = student.model(**batch).loss * (batch["labels"] != IGNORED).sum()
        assert loss(student, batch) == pytest.approx(float(theirs), rel=1e-5)


def test_batches_are_the_sum_of_their_examples(student: Student, examples: tuple[Example, ...]) -> None:
    """Padding changes nothing, so that accumulating is the same as a larger batch."""
    student.model.eval()
    with torch.no_grad():
        alone = sum(float(loss(student, encoded(student, [example]))) for example in examples)
        assert float(loss(student, encoded(student, examples))) == pytest.approx(alone, rel=1e-5)


def test_the_prompt_is_the_one_of_method_visa(student: Student, examples: tuple[Example, ...]) -> None:
    example = examples[1]
    batch = encoded(student, [example])
    text = student.processor.tokenizer.decode(batch["input_ids"][0], skip_special_tokens=True)
    for part in sft.asked(example.question, [str(file) for file in example.files], student.settings.boxes):
        assert part["type"] == "image" or part["text"] in text


def test_a_conversation_of_citevqa_is_learnt(student: Student, tmp_path: Path) -> None:
    """The prompt is the one of its line, with both pages, and the loss of its tags falls."""
    (example,) = read(cited.written(tmp_path, cited.row())).examples
    batch = encoded(student, [example])
    text = student.processor.tokenizer.decode(batch["input_ids"][0], skip_special_tokens=True)
    assert all(part in text for part in ("Page 3:", "Page 5:", "How deep is the harbour?", "<bbox"))
    assert len(batch["image_grid_thw"]) == 2
    course = training(student, [example], tmp_path / "run", epochs=6, learning_rate=1e-2)
    assert course.run(never, quiet)
    assert course.losses[-1] < course.losses[0]


def test_images_keep_the_limit_and_boxes_are_of_their_pixels(checkpoint: Path, examples: tuple[Example, ...]) -> None:
    found = locate(str(checkpoint), "test")
    said = {}
    for limit in (PIXELS, 400_000):
        student = load(found, Adapter(rank=1), limit, "cpu")
        grid = encoded(student, examples[:1])["image_grid_thw"][0].tolist()
        side = student.processor.image_processor.patch_size
        height, width = grid[1] * side, grid[2] * side
        assert limit / 2 < height * width <= limit
        said[limit] = json.loads(examples[0].reply(student.settings))["box"]
        scale = (width, height) if family_of(found).boxes == "absolute_pixels" else (1000, 1000)
        assert examples[0].box is not None
        assert said[limit] == pytest.approx(examples[0].box.to_page(*scale), abs=0.51)
    assert (said[PIXELS] != said[400_000]) == (family_of(found).boxes == "absolute_pixels")


@one_family
def test_two_examples_are_learnt_by_heart(student: Student, examples: tuple[Example, ...], tmp_path: Path) -> None:
    run = training(student, examples[:2], tmp_path, epochs=12, accumulate=2, learning_rate=0.01, warmup=0.0)
    assert run.run(never, quiet)
    assert len(run.losses) == 12
    assert run.losses[-1] < 0.5 * run.losses[0]


def test_the_adapter_and_the_merged_model_say_what_was_trained(
    checkpoint: Path, lines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from peft import PeftModel

    out, merged = tmp_path / "adapter", tmp_path / "merged"
    words = ["--data", str(lines), "--checkpoint", str(checkpoint), "--out", str(out), "--merge", str(merged)]
    assert finetune.main([*words, *QUICK, "--validation", "0.3", "--learning-rate", "0.01"]) == 0
    said = capsys.readouterr()
    family = FAMILIES[json.loads((checkpoint / "config.json").read_text())["model_type"]]
    assert f"boxes: {family.boxes}" in said.out
    assert "--max-lora-rank 8 " in said.out
    assert "step 2/2, loss " in said.err
    assert "validation loss after step 2: " in said.err
    modes = {file.stat().st_mode for file in [*out.glob("adapter_*"), *merged.glob("*.safetensors")]}
    assert modes == {(out / "training.json").stat().st_mode}
    notes = json.loads((out / "training.json").read_text())
    assert (notes["step"], len(notes["losses"]), [v[0] for v in notes["validation"]]) == (2, 2, [1, 2])
    found = locate(str(checkpoint), "test")
    assert json.loads((out / "adapter_config.json").read_text())["base_model_name_or_path"] == found.name
    student = load(found, Adapter(rank=4), PIXELS, "cpu")
    batch = encoded(student, read(lines).examples[1:2])
    with torch.no_grad():
        for name, weight in torch.load(out / "resume.pt", weights_only=True)["weights"].items():
            student.weights[name].copy_(weight)
    trained, plain = logits(student.model, batch), logits(qwen_vl.load(found, WHO, "cpu"), batch)
    reloaded = logits(PeftModel.from_pretrained(qwen_vl.load(found, WHO, "cpu"), str(out)), batch)
    whole = logits(qwen_vl.load(locate(str(merged), "test"), WHO, "cpu"), batch)
    assert not torch.allclose(trained, plain, atol=1e-3)
    assert torch.equal(trained, reloaded)
    assert torch.allclose(trained, whole, atol=1e-4)
    assert transformers.AutoProcessor.from_pretrained(merged).chat_template == student.processor.chat_template


@one_family
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(
    checkpoint: Path, lines: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C comes in the midst of a step, which is done anew; dropout, order and crops are those of a whole run."""

    def run(out: Path, *more: str) -> int:
        words = ["--data", str(lines), "--checkpoint", str(checkpoint), "--out", str(out), "--dropout", "0.2"]
        words += ["--crops", "0.8"]
        return finetune.main([*words, *QUICK, "--epochs", "3", "--learning-rate", "0.01", *more])

    assert run(tmp_path / "whole") == 0
    real, calls = finetune_model.encoded, []

    def interrupted(student: Student, examples: Sequence[Example]) -> dict[str, Any]:
        calls.append(len(examples))
        if len(calls) == 4:  # the first batch of the third step
            os.kill(os.getpid(), signal.SIGINT)
        return real(student, examples)

    with monkeypatch.context() as patched:
        patched.setattr("plugins.research.finetune.loop.encoded", interrupted)
        assert run(tmp_path / "parts") == 130
    assert "stopped after step 2 of 6: continue with --resume" in capsys.readouterr().err
    assert run(tmp_path / "parts") == 2
    assert "is not empty: continue with --resume" in capsys.readouterr().err
    assert run(tmp_path / "parts", "--resume", "--seed", "1") == 2
    assert "was made with seed 0, not 1" in capsys.readouterr().err
    assert run(tmp_path / "parts", "--resume", "--crops", "0") == 2
    assert "was made with crops 0.8, not 0.0" in capsys.readouterr().err
    assert run(tmp_path / "parts", "--resume", "--batch-size", "2", "--accumulate", "1", "--limit", "2") == 2
    said = capsys.readouterr().err
    assert "was made with data [" in said
    assert "conversations a step" not in said  # two at once, or two times one, is the same step
    assert run(tmp_path / "parts", "--resume") == 0
    whole, parts = (load_file(tmp_path / name / "adapter_model.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    losses = [json.loads((tmp_path / name / "training.json").read_text())["losses"] for name in ("whole", "parts")]
    assert losses[0] == losses[1]


def test_checkpointing_changes_no_gradient(student: Student, examples: tuple[Example, ...]) -> None:
    """And the vision tower is passed forward alone."""
    found, towers, layers = [], [], []
    inner = student.model.get_base_model().model
    inner.visual.register_forward_hook(lambda *made: towers.append(made[2].pooler_output.requires_grad))
    inner.language_model.layers[0].mlp.register_forward_pre_hook(lambda *_: layers.append(len(found)))
    for checkpointed in (False, True):
        if checkpointed:
            keep_less(student)
        student.model.train()
        student.model.zero_grad()
        torch.manual_seed(0)
        loss(student, encoded(student, examples[:1])).backward()
        found.append({name: weight.grad.clone() for name, weight in student.weights.items()})
    assert all(torch.allclose(found[0][name], found[1][name], atol=1e-6) for name in found[0])
    assert towers == [False, False]
    assert layers == [0, 1, 1]


def test_errors_are_named(student: Student, examples: tuple[Example, ...], tmp_path: Path, checkpoint: Path) -> None:
    def no_memory(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")

    hook = student.model.register_forward_pre_hook(no_memory)
    with pytest.raises(CannotTrain, match=r"memory ran out.*--batch-size.*--max-pixels"):
        training(student, examples[:1], tmp_path).run(never, quiet)
    hook.remove()
    next(iter(student.weights.values())).data.fill_(float("nan"))
    with pytest.raises(CannotTrain, match=r"loss of step 1 is not a number \(v1\): lower --learning-rate"):
        training(student, examples[:1], tmp_path).run(never, quiet)
    found = locate(str(checkpoint), "test")
    with pytest.raises(CheckpointUnfit, match="there is no module qkv in the layers of its language model"):
        load(found, Adapter(targets=("qkv",)), PIXELS, "cpu")
    with pytest.raises(CannotTrain, match="enlarges images to 65536"):
        load(found, Adapter(), 60_000, "cpu")
    student.settings = replace_patch(student.settings)
    with pytest.raises(CannotTrain, match="the checkpoint's processor sees images of"):
        encoded(student, examples[:1])


def replace_patch(settings: ModelSettings) -> ModelSettings:
    """As if images were sent in another size than the processor takes."""
    return settings.model_copy(update={"patch": 20})


def test_a_gpu_that_is_not_there_is_told(checkpoint: Path) -> None:
    if torch.cuda.is_available():
        student = load(locate(str(checkpoint), "test"), Adapter(), PIXELS, "cuda")
        assert (student.model.dtype, student.device) == (torch.bfloat16, "cuda")
        return
    with pytest.raises(CannotTrain, match="torch finds no GPU here"):
        load(locate(str(checkpoint), "test"), Adapter(), PIXELS, "cuda")
