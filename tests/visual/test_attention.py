"""Attention to the parts of a prompt: exact spans, and the shares that a brute-force computation finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch
import transformers
from PIL import Image

from evaluation import cli as command
from indexing import errors
from plugins.research.attention.model import Part, Watched, Watcher
from plugins.research.attention.shares import item_shares
from tests.evaluation import data_sets
from tests.support import documents

PIXELS = 40 * 32 * 32
LONG = "The mill at Harrow grinds nine sacks of barley every day. " * 6
PARTS = [
    Part("[1]", "label 0"), Part("\n"), Part("Nine sacks.", "item 0"), Part("\n\n"),
    Part("[2]", "label 1"), Part("\n"), Part(documents.picture(["The ferry leaves at noon."]), "item 1"), Part("\n\n"),
    Part("[3]", "label 2"), Part("\n"), Part(LONG.strip(), "item 2"), Part("\n\n"),
    Part("[4]", "label 3"), Part("\n"), Part(Image.new("RGB", (64, 200), "grey"), "item 3"), Part("\n\nHow many?"),
]  # fmt: skip


FAMILY = pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl_embedding"])


@pytest.fixture(scope="session")
def watcher(checkpoint: Callable[[str], Path]) -> Callable[[str], Watcher]:
    made: dict[str, Watcher] = {}

    def find(family: str) -> Watcher:
        if family not in made:
            made[family] = Watcher(str(checkpoint(family)), "cpu", PIXELS)
        return made[family]

    return find


def prompt(made: Watcher, parts: list[Part]) -> Any:
    """The prompt as the processor itself makes it."""
    content = [
        {"type": "text", "text": p.content} if isinstance(p.content, str) else {"type": "image", "image": p.content}
        for p in parts
    ]
    text = made.processor.apply_chat_template(
        [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
    )
    images = [part.content for part in parts if not isinstance(part.content, str)]
    return made.processor(text=[text], images=images or None, return_tensors="pt")


def all_weights(folder: Path, made: Watcher, batch: Any, answer: list[int]) -> np.ndarray:
    """Every layer's whole matrix over prompt and answer at once, (layers, heads, tokens, tokens)."""
    classes = {
        "qwen2_5_vl": transformers.Qwen2_5_VLForConditionalGeneration,
        "qwen3_vl": transformers.Qwen3VLForConditionalGeneration,
    }
    model = classes[made.model.config.model_type].from_pretrained(folder, attn_implementation="eager").eval()
    more = torch.tensor([answer])
    inputs = {k: v for k, v in batch.items() if k != "attention_mask"}
    inputs["input_ids"] = torch.cat([batch["input_ids"], more], dim=1)
    inputs["mm_token_type_ids"] = torch.cat([batch["mm_token_type_ids"], torch.zeros_like(more)], dim=1)
    with torch.inference_mode():
        return torch.cat(model(**inputs, output_attentions=True).attentions).numpy()


def ids_of(made: Watcher, seen: Watched) -> list[int]:
    return made.processor.tokenizer("".join(seen.pieces), add_special_tokens=False)["input_ids"]


@FAMILY
def test_shares_are_those_of_the_whole_matrices(
    family: str, watcher: Callable[[str], Watcher], checkpoint: Callable[[str], Path]
) -> None:
    made = watcher(family)
    said = "Nine sacks of barley [1], at noon [2]."
    seen = made.watch(PARTS, said, 64)
    batch = prompt(made, PARTS)
    weights = all_weights(checkpoint(family), made, batch, ids_of(made, seen))
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-5)
    rows = weights[:, :, seen.prompt_tokens :, :]
    names = list(seen.spans)
    expected = item_shares(rows, [seen.spans[name] for name in names])
    assert seen.shares.mean(axis=0) == pytest.approx(expected, abs=1e-5)
    assert seen.prompt == pytest.approx(rows[..., : seen.prompt_tokens].sum(axis=-1).mean(axis=1).T, abs=1e-5)
    assert "".join(seen.pieces) == said
    assert expected.std() > 0.01


@FAMILY
def test_spans_are_the_tokens_of_the_parts_and_no_others(family: str, watcher: Callable[[str], Watcher]) -> None:
    made = watcher(family)
    seen = made.watch(PARTS, "Nine.", 8)
    batch = prompt(made, PARTS)
    ids = batch["input_ids"][0].tolist()
    tokenizer, pad = made.processor.tokenizer, made.processor.image_token_id
    named = {part.name: part.content for part in PARTS if part.name}
    grids = iter(batch["image_grid_thw"])
    for name, content in named.items():
        start, end = seen.spans[name]
        if isinstance(content, str):
            assert tokenizer.decode(ids[start:end]).strip() == content
        else:
            assert ids[start:end] == [pad] * (int(next(grids).prod()) // 4)
            assert pad not in (ids[start - 1], ids[end])
    assert len({seen.spans[name][1] - seen.spans[name][0] for name in ("item 1", "item 3")}) == 2
    assert seen.prompt_tokens == len(ids)


def test_unusable_prompts_are_named(
    watcher: Callable[[str], Watcher], checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    made = watcher("qwen3_vl_embedding")
    with pytest.raises(ValueError, match="tokens of prompt and 8 of answer exceed its limit of 8192"):
        made.watch([Part(LONG * 200)], "Nine.", 8)
    with pytest.raises(ValueError, match="no token"):
        made.watch([Part("Why?")], "", 8)
    with pytest.raises(ValueError, match="item 0 has no tokens"):
        made.watch([Part("", "item 0"), Part("Why?")], "Nine.", 8)
    for file in checkpoint("qwen3_vl_embedding").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text()) | {"model_type": "llava"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(
        errors.CheckpointUnfit, match=r"model_type is 'llava', and only Qwen2.5-VL \(qwen2_5_vl\), Qwen3-VL"
    ):
        Watcher(str(tmp_path))
    (tmp_path / "config.json").write_bytes((checkpoint("qwen3_vl_embedding") / "config.json").read_bytes())
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(errors.CheckpointUnfit, match="its AutoProcessor cannot be loaded"):
        Watcher(str(tmp_path), "cpu")
    with pytest.raises(errors.CheckpointMissing):
        Watcher("nowhere at all")


def test_the_command_writes_lines_and_a_report(
    checkpoint: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On MCiteBench in its published form; a second run with --resume asks nothing again."""
    data, out = (data_sets.mcitebench(tmp_path / "data", data_sets.mcite_row("c3", answer="")), tmp_path / "out")
    words = ["attention", "--data", str(data), "--checkpoint", str(checkpoint("qwen3_vl_embedding")), "--out", str(out)]
    words += ["--home", str(tmp_path / "home"), "--pixels", str(PIXELS), "--answers", "gold", "--device", "cpu"]
    assert command.main(words) == 0
    first, second, third = map(json.loads, (out / "attention.jsonl").read_text().splitlines())
    assert "not measured: c3: the analysis of attention: the answer has no tokens" in capsys.readouterr().err
    assert "error" in third
    assert first["answer"] == "Nine sacks."
    assert sorted((item["kind"], item["gold"]) for item in first["items"]) == [
        ("figure", False),
        ("text", False),
        ("text", True),
    ]
    assert [item["kind"] for item in second["items"] if item["gold"]] == ["figure"]
    assert first["naming"] is None
    for row in (first, second):
        total = np.sum(row["all"]["items"], axis=1) + np.sum(row["all"]["labels"], axis=1)
        assert (total < row["all"]["prompt"]).all()
        assert np.shape(row["all"]["items"]) == (2, 3)
    report = (out / "report.md").read_text()
    for said in ("gold items | ", "modality: figure", "text | ", "plots/layers.svg", "plots/modalities.svg", "c3"):
        assert said in report
    assert (out / "plots" / "layers.svg").stat().st_size > 1000
    assert command.main(words) == 2
    assert "--resume" in capsys.readouterr().err
    before = (out / "attention.jsonl").read_bytes()
    assert command.main([*words, "--resume"]) == 0
    assert (out / "attention.jsonl").read_bytes() == before
    assert (out / "report.md").read_text() == report
