"""An address is told from a path, and where no plugin fetches web pages the message says what to do instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import IndexingSettings, is_address
from indexing.ingest.files import fetched_file
from vouch import hooks


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
