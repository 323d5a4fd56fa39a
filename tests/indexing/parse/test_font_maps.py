"""A page whose fonts stand for other characters than they draw is read off its pixels; others are left alone."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from indexing import IndexingSettings
from indexing.parse import doubtful_glyphs, is_disguised, layer_words, parse_page
from tests.support.disguises import (
    SHOWN,
    Disguise,
    a_word_by_to_unicode,
    disguised,
    encoding_differences,
    overprinted,
    to_nothing,
    to_unicode,
    to_unicode_of_an_embedded_font,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "way", [pytest.param(to_unicode, marks=pytest.mark.gate), to_unicode_of_an_embedded_font, encoding_differences]
)
def test_the_page_wins_over_its_font(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none")).elements
    assert SHOWN in " ".join(e.text for e in elements)
    assert {e.source for e in elements} == {"ocr"}


@pytest.mark.parametrize("way", [a_word_by_to_unicode, to_nothing])
def test_letters_that_mean_others_or_nothing_are_in_doubt(way: Disguise, tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", way)) as document:
        assert doubtful_glyphs(document[0])
        assert is_disguised(document[0], layer_words(document[0]))


def test_where_no_ocr_is_wanted_the_text_stays(tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", to_unicode)) as document:
        elements = parse_page(document[0], "d", IndexingSettings(visual="none", ocr="never")).elements
    assert {e.source for e in elements} == {"layer"}


def test_honest_fonts_are_not_in_doubt(tmp_path: Path) -> None:
    with pymupdf.open(disguised(tmp_path / "d.pdf", overprinted)) as document:
        assert doubtful_glyphs(document[0]) == []
        assert not is_disguised(document[0], layer_words(document[0]))
