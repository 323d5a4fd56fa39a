"""Rerankers and verifiers by name: imported, used, calibrated on pairs, and left out again."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from plugins.models.calibration import LEAST, at_threshold, threshold_of
from plugins.models.catalogue import catalogue
from plugins.models.errors import ModelsError
from plugins.models.hub import choose_files
from plugins.models.library import installed_models, models_folder, write_manifest
from plugins.models.verifier import probabilities
from rag import load_profile
from rag.settings import VerifierSettings
from tests.support.cross_encoder_files import make_pair
from ui.cli import main

WORDS = [f"word{n}" for n in range(2 * LEAST + 10)]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A cross-encoder that was imported, and is a verifier."""
    made = make_pair(tmp_path / "small", [*WORDS, "The ferry leaves at nine."])
    assert main(["models", "import", str(made.folder), "--role", "verifier"]) == 0
    return models_folder() / "small"


def pairs_file(path: Path, rows: Sequence[object]) -> str:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


def test_a_reranker_is_tried_used_and_left_out_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_pair(tmp_path / "order", WORDS).folder
    assert main(["models", "import", str(folder)]) == 0
    assert installed_models()[0].role == "reranker"
    assert main(["models", "use", "order"]) == 0
    assert "order: orders 50 passages in" in capsys.readouterr().out
    assert load_profile().rag.reranker == str(models_folder() / "order")
    assert main(["models", "remove", "order"]) == 2
    assert main(["models", "use", "--without", "reranker"]) == 0
    assert load_profile().rag.reranker == ""


def test_a_verifier_is_used_with_the_threshold_of_its_calibration(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "use", "small"]) == 0
    assert "vouch models calibrate small --pairs FILE" in capsys.readouterr().out
    assert load_profile().rag.verifier == VerifierSettings(checkpoint=str(small))
    found = probabilities([(word, "word0") for word in WORDS], VerifierSettings(checkpoint=str(small)))
    ranked = sorted(zip(found, WORDS, strict=True), reverse=True)
    supported = {word for _, word in ranked[: len(WORDS) // 2]}
    rows = [{"text": word, "claim": "word0", "supported": word in supported} for word in WORDS]
    assert main(["models", "calibrate", "small", "--pairs", pairs_file(tmp_path / "pairs.jsonl", rows)]) == 0
    shown = capsys.readouterr().out
    assert f"{len(WORDS)} pairs, of which {len(supported)} are supported" in shown
    assert "100% of the confirmed claims are right, 100% of the supported ones are confirmed" in shown
    verifier = load_profile().rag.verifier
    assert verifier is not None
    assert ranked[len(supported)][0] < verifier.threshold < ranked[len(supported) - 1][0]
    assert installed_models()[0].settings == {"threshold": verifier.threshold}
    assert main(["models", "use", "--without", "verifier"]) == 0
    assert load_profile().rag.verifier is None


GOOD = [{"text": "a", "claim": "b", "supported": n % 2 == 0} for n in range(2 * LEAST)]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (GOOD[:10], f"give at least {LEAST} of each"),
        ([*GOOD, {"text": "a", "claim": "b", "supported": "yes"}], f"line {2 * LEAST + 1}: supported:"),
        ([*GOOD, {"claim": "b", "supported": True}], "text: Field required"),
        (GOOD, "no threshold confirms claims with a precision of 95%; the best is 50%"),
    ],
)
def test_pairs_that_say_nothing_change_nothing(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[object], says: str
) -> None:
    before = (small / "manifest.json").read_text()
    assert main(["models", "calibrate", "small", "--pairs", pairs_file(tmp_path / "pairs.jsonl", rows)]) == 2
    assert says in capsys.readouterr().err
    assert (small / "manifest.json").read_text() == before


def test_only_a_verifier_is_calibrated(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del small
    (manifest,) = installed_models()
    write_manifest(manifest.model_copy(update={"role": "reranker"}))
    assert main(["models", "calibrate", "small", "--pairs", pairs_file(tmp_path / "pairs.jsonl", GOOD)]) == 2
    assert "has no threshold" in capsys.readouterr().err
    assert main(["models", "calibrate", "gone", "--pairs", str(tmp_path / "gone")]) == 2


def test_the_threshold_confirms_the_most_that_the_precision_allows() -> None:
    found = [0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.1]
    truths = [True, True, False, True, True, False, True]
    strict = threshold_of(found, truths, 1.0)
    assert (strict.threshold, strict.precision, strict.recall) == pytest.approx((0.75, 1.0, 0.4))
    loose = threshold_of(found, truths, 0.8)
    assert (loose.threshold, loose.precision, loose.recall) == pytest.approx((0.55, 0.8, 0.8))
    assert at_threshold(0.55, found, truths) == loose
    with pytest.raises(ModelsError, match="the best is 50%"):
        threshold_of([0.5, 0.5], [True, False], 0.9)


def test_of_a_reranker_its_layers_are_fetched_and_its_weights_once() -> None:
    names = [
        "onnx/model.onnx", "onnx/model_O3.onnx", "model.safetensors", "2_Dense/model.safetensors", "2_Dense/x.bin",
        "2_Dense/config.json", "3_LayerNorm/model.safetensors", "modules.json", "tokenizer.json", "README.md",
    ]  # fmt: skip
    (entry,) = [entry for entry in catalogue() if entry.name == "ettin-reranker-17m"]
    assert set(names) - choose_files(entry, names) == {
        "onnx/model_O3.onnx", "model.safetensors", "2_Dense/x.bin", "README.md",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("factcg-deberta-large", "OPTIONS:\n- Yes\n- No\nI think the answer is "),
        ("lettucedetect-base", "{text}\noutput:{claim}"),
    ],
)
def test_the_template_of_the_catalogue_is_one(tmp_path: Path, name: str, end: str) -> None:
    (entry,) = [entry for entry in catalogue() if entry.name == name]
    assert VerifierSettings.model_validate({"checkpoint": str(tmp_path), **entry.settings}).template.endswith(end)


@pytest.mark.parametrize(
    ("architecture", "role"), [("Qwen3ForCausalLM", "reranker"), ("ModernBertForTokenClassification", "verifier")]
)
def test_the_role_of_a_checkpoint_follows_from_its_architecture(tmp_path: Path, architecture: str, role: str) -> None:
    folder = tmp_path / "some"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model_quantized.onnx").write_bytes(b"x")
    (folder / "config.json").write_text(json.dumps({"architectures": [architecture], "model_type": "some"}))
    assert main(["models", "import", str(folder)]) == 0
    found = [(manifest.role, sorted(manifest.files)) for manifest in installed_models()]
    assert found == [(role, ["config.json", "onnx/model_quantized.onnx"])]
