"""MAUVE by the package that defines it, of texts and by features of a tiny GPT-2 made on the spot."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")
pytest.importorskip("mauve", reason="no mauve-text here: pip install 'vouch[mauve]' brings it")

import torch
import transformers

from evaluation.harness import fluency
from evaluation.harness.mauve_process import mauve
from tests.visual.tiny import calm, tokenizer_of

HUMAN = [f"The mill at Harrow grinds {n} sacks of barley every day." for n in range(40)]
LIKE = [f"The mill at Harrow grinds {n} sacks of barley every day." for n in range(40, 80)]
UNLIKE = [f"{n}{n} ?! {n} lit lit lit" for n in range(40)]
PAIRS = list(zip(LIKE, HUMAN, strict=True))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("features")
    tokenizer = tokenizer_of(["<|endoftext|>"], eos_token="<|endoftext|>")
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_positions=64, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    calm(transformers.GPT2LMHeadModel(config)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_features_are_the_states_of_last_tokens_by_the_package_too(gpt2: str) -> None:
    from mauve.utils import featurize_tokens_from_model

    ours = fluency.features([*HUMAN[:3], LIKE[0] * 20], gpt2, "cpu")
    tokenizer = transformers.AutoTokenizer.from_pretrained(gpt2)
    model = transformers.AutoModel.from_pretrained(gpt2).eval()
    tokens = [tokenizer.encode(text, return_tensors="pt", truncation=True, max_length=64) for text in HUMAN[:3]]
    theirs = featurize_tokens_from_model(model, tokens, 1)
    assert ours.shape == (4, 16)
    assert ours[:3] == pytest.approx(theirs.numpy(), abs=1e-5)
    assert torch.isfinite(torch.from_numpy(ours)).all()


@pytest.mark.thorough
def test_answers_like_the_gold_ones_score_higher(gpt2: str) -> None:
    like = fluency.fluency(PAIRS, gpt2, device="cpu")
    unlike = fluency.fluency(list(zip(UNLIKE, HUMAN, strict=True)), gpt2, device="cpu")
    assert (like.n, like.reason, unlike.n) == (40, "", 40)
    assert like.value is not None
    assert unlike.value is not None
    assert 0 < unlike.value < 0.1 < like.value <= 1
    assert fluency.fluency(PAIRS, gpt2, like, device="cpu") is like


def test_mauve_of_features_by_hand() -> None:
    """Two far clusters, so two buckets: half and half of the gold texts, a quarter and three of the answers.

    Against each mixture R of P and Q stands the point (exp -5 KL(Q, R), exp -5 KL(P, R)); MAUVE is the area under them.
    """
    noise = np.random.default_rng(0).normal(0, 0.01, (40, 4))
    places = np.eye(4)[[0] * 10 + [1] * 10 + [0] * 5 + [1] * 15]
    rows = (noise + places).astype(np.float32)
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    mixtures = [w * p + (1 - w) * q for w in np.linspace(1e-6, 1 - 1e-6, 25)]
    xs, ys = ([np.exp(-5 * float(np.sum(a * np.log(a / r)))) for r in mixtures] for a in (q, p))
    points = sorted(zip([0.0, *xs, 1.0], [1.0, *ys, 0.0], strict=True), key=lambda point: (point[0], -point[1]))
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))
    assert 0.5 < area < 0.95
    assert mauve(rows[:20], rows[20:]) == pytest.approx(area, abs=0.01)


def test_what_the_package_cannot_do_is_said() -> None:
    with pytest.raises(ValueError, match=r"mauve-text failed: .*empty"):
        mauve(np.zeros((0, 4), np.float32), np.zeros((2, 4), np.float32))


def test_what_cannot_be_used_leaves_it_blank_with_the_reason(gpt2: str, tmp_path: Path) -> None:
    assert "neither an existing folder" in fluency.fluency(PAIRS, str(tmp_path / "gone")).reason
    assert fluency.fluency([("Nine.", "Nine.")], gpt2).reason.startswith("1 answers are too few")
    (tmp_path / "config.json").write_text("{}")
    found = fluency.fluency(PAIRS, str(tmp_path))
    assert found.value is None
    assert "no weights as safetensors" in found.reason
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((Path(gpt2) / name).read_bytes())
    assert "its AutoTokenizer cannot be loaded" in fluency.fluency(PAIRS, str(tmp_path)).reason
