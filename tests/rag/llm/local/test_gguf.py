"""The header of a GGUF file: what is read of it, and that whatever is wrong with a file is told by its name."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ModelFileUnusable
from rag.llm.local import read_header
from tests.support.gguf_files import gguf


def test_a_header_is_read(tmp_path: Path) -> None:
    header = read_header(gguf(tmp_path / "m.gguf"))
    assert (header.architecture, header.context_tokens) == ("llama", 8192)
    assert header.cache == 30 * 3 * 64 * 2 * 2  # layers, heads, their width, keys and values, bytes
    assert header.size == (tmp_path / "m.gguf").stat().st_size


def test_heads_may_differ_by_layer_and_have_widths_of_their_own(tmp_path: Path) -> None:
    keys = {"attention__head_count_kv": [1, 0, 2], "attention__key_length": 256, "attention__value_length": 128}
    assert read_header(gguf(tmp_path / "m.gguf", "gemma3", **keys)).cache == 3 * (256 + 128) * 2


@pytest.mark.parametrize("cut", [2, 5, 30, 200])
def test_a_file_that_is_cut_off_is_told(tmp_path: Path, cut: int) -> None:
    path = gguf(tmp_path / "m.gguf")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ModelFileUnusable, match=r"m\.gguf (is damaged or cut off: download it again|is not a GGUF)"):
        read_header(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.gguf", b"", "is damaged or cut off"),
        ("m.gguf", b"PK\x03\x04" * 20, r"is not a GGUF file: give a model file that ends in \.gguf"),
        ("m.gguf", b"GGUF" + struct.pack("<IQQ", 3, 1, 1 << 60) + b"\0" * 80, "is damaged"),
        ("m.gguf", b"GGUF" + struct.pack("<IQQ", 99, 0, 0), "is damaged"),
        ("other.gguf", b"", r"there is no file .*m\.gguf: check the path in rag\.model"),
    ],
)
def test_whatever_is_no_model_is_told(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelFileUnusable, match=said):
        read_header(tmp_path / "m.gguf")


@given(st.binary(max_size=400))
def test_bytes_of_anybody_end_in_a_header_or_in_our_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<I", 3) + data)
    try:
        assert read_header(path).size == len(data) + 8
    except ModelFileUnusable as error:
        assert "damaged" in str(error)  # noqa: PT017 - both ends are right
