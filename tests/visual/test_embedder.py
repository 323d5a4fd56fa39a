"""Training MiniLM's last layers, on a tiny BERT of random weights; and what is exported is what the model then has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch
from transformers import BertConfig, BertModel

from indexing.embed import minilm
from plugins.research.errors import CannotTrain
from plugins.research.fit.contrast import TrainingQuestion, TrainingText
from plugins.research.fit.embedder import main
from plugins.research.fit.embedder.network import LastLayers, load
from plugins.research.fit.embedder.requirements import STATE
from plugins.research.fit.embedder.training import EmbedderCourse, EmbedderTraining
from tests.plugins.research.fit import towns
from tests.visual.tokens import SPECIAL, tokenizer

HIDDEN, NARROW = 32, 8
WORDS = ("when", "was", "the", "bridge", "opened", "boats", "town", "of", "stone", "mayor")


def config(**of: Any) -> BertConfig:
    return BertConfig(**{"hidden_size": HIDDEN, "num_hidden_layers": 3, "num_attention_heads": 2,
                         "intermediate_size": 64, "max_position_embeddings": 256} | of)  # fmt: skip


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with three layers and a tokenizer of letters and a few words."""
    folder = tmp_path_factory.mktemp("bert")
    letters = [chr(c) for c in range(33, 127)]
    words = [*letters, *(f"##{c}" for c in letters), *WORDS]
    torch.manual_seed(0)
    BertModel(config(vocab_size=len(SPECIAL) + len(words))).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes(tokenizer(*words))
    return folder


@pytest.fixture(scope="module")
def axes() -> np.ndarray:
    """Axes that fit the tiny BERT."""
    return np.linalg.qr(np.random.default_rng(0).normal(size=(HIDDEN, NARROW)))[0].astype(np.float32)


def model_of(weights: Path, axes: np.ndarray) -> LastLayers:
    return LastLayers(load(weights), 2, axes)


def made(seed: int = 0, groups: int = 6, each: int = 3) -> tuple[list[TrainingQuestion], list[TrainingText]]:
    """Texts, and a question to each: the states of its first tokens, with some noise."""
    draw = np.random.default_rng(seed)
    texts, asked = [], []
    for n in range(groups * each):
        states = draw.normal(size=(draw.integers(6, 12), HIDDEN))
        near = states[:5] + draw.normal(size=(5, HIDDEN)) * 0.5
        texts.append(TrainingText(states.astype(np.float16), str(n // each)))
        thirds = np.full(3, 1 / 3, np.float32)
        asked.append(TrainingQuestion(near.astype(np.float16), thirds, n, str(n // each), "made"))
    return asked, texts


def test_it_learns_and_goes_on_exactly(weights: Path, axes: np.ndarray, tmp_path: Path) -> None:
    asked, texts = made()
    course = EmbedderCourse(steps=12, rate=1e-3, batch=6)
    losses: list[float] = []
    at_once = EmbedderTraining(model_of(weights, axes), asked, texts, course, tmp_path / "once")
    at_once.run(lambda _, loss: losses.append(loss))
    assert np.mean(losses[-3:]) < np.mean(losses[:3])

    first = EmbedderTraining(model_of(weights, axes), asked, texts, course, tmp_path / "twice")

    def stop(step: int, _: float) -> None:
        if step == 5:
            first.save()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first.run(stop)
    second = EmbedderTraining(model_of(weights, axes), asked, texts, course, tmp_path / "twice")
    assert second.restore()
    assert second.done == 5
    second.run(lambda *_: None)
    expected = at_once.model.state_dict()
    assert all(torch.equal(weight, expected[name]) for name, weight in second.model.state_dict().items())

    other = EmbedderTraining(model_of(weights, axes), asked, texts, EmbedderCourse(steps=13), tmp_path / "twice")
    with pytest.raises(CannotTrain, match="other options"):
        other.restore()
    (tmp_path / "twice" / STATE).write_bytes(b"half of a file")
    with pytest.raises(CannotTrain, match="cannot be read"):
        second.restore()


def test_the_command_trains(
    weights: Path, axes: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, start = towns.write(tmp_path), tmp_path / "axes.npy"
    np.save(start, axes)
    common = ("--data", str(data), "--weights", str(weights), "--threads", "1", "--out", str(tmp_path / "out"))
    main(["train", *common, "--axes", str(start), "--steps", "2"])
    told = capsys.readouterr().out
    assert "mean" in told
    main(["report", *common, "--mix", "0", "1"])
    assert capsys.readouterr().out == told
    with pytest.raises(SystemExit) as end:
        main(["report", *common[:-1], str(tmp_path / "elsewhere")])
    assert end.value.code == 2
    assert "train first" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["export", *common, "--to", str(tmp_path / "files")])
    assert end.value.code == 2  # of another size than MiniLM
    assert "another size" in capsys.readouterr().err
    for wrong in (("--axes", str(tmp_path / "qa.jsonl.gz")), ("--axes", str(start), "--layers", "9")):
        with pytest.raises(SystemExit) as end:
            main(["train", *common, *wrong])
        assert end.value.code == 2
    told = capsys.readouterr().err
    assert "projection writes them" in told
    assert "train fewer" in told


def shipped_layers(graph: Any, axes: np.ndarray) -> LastLayers:
    """The last two layers of MiniLM's file, read from its eight bits."""
    from onnx import numpy_helper

    tensors = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    made = {name: node for node in graph.node for name in node.output}
    model = LastLayers(
        BertModel(config(hidden_size=384, num_hidden_layers=2, num_attention_heads=12, intermediate_size=1536,
                         vocab_size=8, attn_implementation="sdpa")).eval(),
        2, axes,
    )  # fmt: skip
    with torch.no_grad():
        for k, layer in enumerate(model.layers):
            for name, parameter in layer.named_parameters():
                inside = f"inner.encoder.layer.{4 + k}.{name}"
                if inside not in tensors:
                    bias = inside.removesuffix("weight") + "bias"
                    add = next(node for node in graph.node if bias in node.input)
                    at = made[next(i for i in add.input if i in made)].input[1]
                    found = (tensors[f"{at}_q"].astype(np.float32) * tensors[f"{at}_scale"]).T
                else:
                    found = tensors[inside]
                parameter.copy_(torch.from_numpy(found.copy()))
    return model


def test_what_is_exported_stands_in_the_file_and_is_computed(tmp_path: Path) -> None:
    import onnx
    import onnxruntime

    from plugins.research.fit.embedder.export import export, replacements

    file = minilm.model_file()
    graph = onnx.load_from_string(file)
    model = shipped_layers(graph.graph, np.eye(384, 128, dtype=np.float32))
    same = dict(replacements(file, model))
    assert sum(map(len, same.values())) > 3_500_000
    for at, new in same.items():
        old = file[at : at + len(new)]
        if old != new:  # a scale may be rounded otherwise, by one in its last place
            assert np.allclose(np.frombuffer(old, "<f4"), np.frombuffer(new, "<f4"), rtol=1e-6)

    with torch.no_grad():
        for parameter in model.layers.parameters():
            parameter.mul_(1.1)
    (layers, _), (kept, _) = export(file, model, tmp_path)
    assert np.load(kept).shape == (384, 128)
    patched = onnx.load_from_string(minilm.with_layers(file, layers.read_bytes()))
    patched.graph.output.append(onnx.helper.make_tensor_value_info("layer_norm_8", 1, None))
    session = onnxruntime.InferenceSession(patched.SerializeToString())
    ids = np.array([[101, 1996, 3902, 2003, 2214, 102]])
    above, under = session.run(None, {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0})
    with torch.inference_mode():
        expected = model.states(torch.from_numpy(under), torch.ones(1, 6, dtype=torch.long)).numpy()
    unit = above / np.linalg.norm(above, axis=-1, keepdims=True)
    assert (unit * expected).sum(axis=-1).min() > 0.999
