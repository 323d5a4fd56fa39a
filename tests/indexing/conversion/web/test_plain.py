"""Without Chromium a page is laid out plainly, and the report says so."""

from __future__ import annotations

from pathlib import Path

from indexing.conversion.web import web_rendition
from indexing.settings import IndexingSettings


def test_without_chromium_a_page_is_laid_out_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "mill.html"
    path.write_text("<!doctype html><html lang=en><title>Mill</title><h1>The mill</h1><p>It grinds.</p>")
    made = web_rendition(path, IndexingSettings(chromium="/nowhere/chromium"))
    assert made.pdf.startswith(b"%PDF")
    assert (made.title, made.metadata.language) == ("Mill", "en")
    assert any("without Chromium" in note and "install" in note for note in made.notes)
    said = [element.text for page in made.pages or () for element in page.elements]
    assert said == ["The mill", "It grinds."]
