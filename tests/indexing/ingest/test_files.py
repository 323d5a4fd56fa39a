"""Addresses are told from paths and fetched by plugins only; the language of a document is guessed where it is sure."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import IndexingSettings, is_address, language_of
from indexing.ingest.files import fetched_file
from vouch import hooks


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


def test_addresses_are_no_paths() -> None:
    assert is_address("HTTPS://a.example/")
    assert is_address("http://a.example")
    assert not any(map(is_address, ("a.html", "/https://a", Path("https://a"), "ftp://a", "file:///etc/passwd")))


def test_without_a_plugin_that_fetches_an_address_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vouch.hooks.installed", lambda: hooks.Installed((), ()))
    found = fetched_file("https://mills.example.org/north.html", IndexingSettings(), tmp_path)
    assert type(found.error).__name__ == "NotFetched"
    assert "no plugin that fetches web pages is installed and chosen" in str(found.error)
    assert "save the page as a PDF and index that" in str(found.error)
    assert list(tmp_path.iterdir()) == []
