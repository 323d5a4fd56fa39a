"""Estimated tokens against a real byte-pair tokenizer, split as Qwen splits: seldom below, and not far above."""

from importlib import resources
from pathlib import Path

import pymupdf
import pytest
import tiktoken

from rag.llm.requests import text_tokens

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
