"""Settings of a model, its tokens, and images as it is sent them."""

import io
from importlib import resources
from pathlib import Path

import numpy as np
import pymupdf
import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from rag import Profile, ProfileError, load_profile
from rag.errors import BadCredentials
from rag.llm.images import encode_image, fit_image, sent_size
from rag.llm.requests import key_of, text_tokens
from rag.llm.settings import ModelSettings

ADDRESS = "http://127.0.0.1:8000/v1"


def loaded(path: Path, model: str) -> Profile:
    (path / "mine.yaml").write_text(f"rag:\n  model: {model}\n")
    return load_profile(str(path / "mine.yaml"))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("{base_ur: x, name: tiny}", r"rag\.model\.base_ur: no such key, did you mean base_url\?"),
        (f"{{base_url: '{ADDRESS}', name: t, pach: 3}}", r"rag\.model\.pach: no such key, did you mean patch\?"),
        (f"{{base_url: '{ADDRESS}'}}", r"rag\.model\.name: Field required"),
        (f"{{base_url: '{ADDRESS}', name: t, boxes: yx}}", r"rag\.model\.boxes: .*'relative_1000_yx'"),
        (f"{{base_url: '{ADDRESS}', name: t, retries: -1}}", r"rag\.model\.retries: .*greater"),
        ("{base_url: 'localhost:8000', name: t}", r"rag\.model\.base_url: .*give one such as http"),
        ("{base_url: 'file:///etc/passwd', name: t}", r"rag\.model\.base_url: .*is not an address"),
        ("{base_url: 'http://host:99999/v1', name: t}", r"rag\.model\.base_url: .*is not an address"),
        ("tiny", r"rag\.model: "),
    ],
)
def test_what_does_not_fit_is_told_where(tmp_path: Path, model: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        loaded(tmp_path, model)


@pytest.mark.parametrize(
    "model",
    [
        "{base_url: 'http://me:hunter2@host/v1', name: t}", "{base_url: 'http://host/v1?key=hunter2', name: t}",
        f"{{base_url: '{ADDRESS}', name: t, api_key_env: sk-hunter2}}",
    ],
)  # fmt: skip
def test_a_secret_in_a_profile_is_refused_and_not_repeated(tmp_path: Path, model: str) -> None:
    with pytest.raises(ProfileError, match="api_key_env") as caught:
        loaded(tmp_path, model)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", [None, "", "  ", "schlüssel", "two\nlines"])
def test_a_key_that_cannot_be_one_names_its_variable(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    settings = ModelSettings(base_url=ADDRESS, name="tiny", api_key_env="TINY_KEY")
    monkeypatch.delenv("TINY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("TINY_KEY", value)
    with pytest.raises(BadCredentials, match="TINY_KEY") as caught:
        key_of(settings)
    assert not (value or "").strip() or value not in str(caught.value)


SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "documents"
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@pytest.fixture(scope="module")
def tokenizer() -> tiktoken.Encoding:
    """The ranks that LlamaIndex carries; each digit is a token, as it is for Qwen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(resources.files("llama_index.core") / "_static" / "tiktoken_cache"))
        ranks = tiktoken.get_encoding("cl100k_base")._mergeable_ranks
    return tiktoken.Encoding("digits", pat_str=QWEN_SPLIT, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize(
    "name", ["sallow-bay-annual-report.pdf", "tg40-tide-gauge-manual.pdf", "uhrenmuseum-faltblatt.pdf"]
)
def test_documents(tokenizer: tiktoken.Encoding, name: str) -> None:
    with pymupdf.open(SAMPLES / name) as document:
        text = " ".join(page.get_text() for page in document)
    assert 0.95 <= text_tokens(text) / len(tokenizer.encode(text)) <= 1.25


SIDES = st.integers(1, 20_000)


def settings(**more: int) -> ModelSettings:
    return ModelSettings(base_url="http://127.0.0.1/v1", name="tiny", **more)  # type: ignore[arg-type]


@example(1, 5379, 14, 262_144)  # whole patches make it narrower than what is padded
@given(SIDES, SIDES, st.sampled_from([14, 28, 32]), st.sampled_from([262_144, 1_048_576, 12_845_056]))
def test_the_size_sent_is_one_that_a_server_leaves_alone(width: int, height: int, patch: int, most: int) -> None:
    model = settings(patch=patch, max_pixels=most)
    w, h = sent_size(width, height, model)
    assert w % patch == 0
    assert h % patch == 0
    assert 65_536 <= w * h <= most
    assert max(w, h) <= 200 * min(w, h)
    assert sent_size(w, h, model) == (w, h)


def test_a_very_narrow_image_stands_on_white() -> None:
    line = Image.new("RGB", (4000, 8), "black")
    shown = fit_image(line, settings())
    assert shown.width <= 200 * shown.height
    column = np.asarray(shown.convert("L"))[:, shown.width // 2]
    assert column[0] < 60
    assert column[-1] == 255


def test_drawings_are_png_and_photographs_jpeg() -> None:
    data, kind = encode_image(Image.new("RGB", (1024, 1024), "white"))
    assert (kind, data[:4]) == ("image/png", b"\x89PNG")
    noise = np.random.default_rng(7).integers(0, 255, (1024, 1024, 3), np.uint8)
    data, kind = encode_image(Image.fromarray(noise))
    assert kind == "image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (1024, 1024)
