"""A path that is none says the next step; the language of a document is guessed where it is sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import FileMissing, IndexingSettings, language_of
from indexing.ingest import find_files


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The board met in May and decided to build another barn beside the mill.", "en"),
        ("Der Vorstand hat im Mai beschlossen, neben der M\u00fchle eine weitere Scheune zu bauen.", "de"),
        ("Le conseil a d\u00e9cid\u00e9 en mai de construire une autre grange \u00e0 c\u00f4t\u00e9 du moulin.", "fr"),
        ("El consejo decidi\u00f3 en mayo construir otro granero junto al molino.", "es"),
        ("Zarząd postanowił w maju zbudować kolejną stodołę obok młyna.", "pl"),
        ("Mai 2024", ""),
        ("12,300 14 % 2024 | 11,200 13 % 2023 " * 20, ""),
        ("", ""),
    ],
)
def test_a_language_is_told_where_it_is_sure(text: str, code: str) -> None:
    assert language_of(text) == code


def test_the_beginning_of_a_long_text_is_enough() -> None:
    english = "The board met in May and decided to build another barn beside the mill. "
    assert language_of(english + " " * 3000 + "Der Vorstand hat im Mai beschlossen. " * 100_000) == "en"


def test_an_address_is_no_file_and_the_next_step_is_said() -> None:
    (found,) = find_files([Path("https://mills.example.org/north.html")], IndexingSettings())
    assert isinstance(found.error, FileMissing)
    assert "save the web page as a PDF and index that" in str(found.error)
