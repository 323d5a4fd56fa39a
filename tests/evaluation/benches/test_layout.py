"""The cache of the element oracle: pages are parsed anew when anything that parses them has changed."""

from __future__ import annotations

from evaluation.benches.layout import parsing_sources


def test_what_parses_pages_is_known() -> None:
    names = {source.stem for source in parsing_sources()}
    assert names >= {
        "layout",
        "ocr_layer",
        "hidden_text",
        "ocr",
        "pictures",
        "settings",
        "tables",
        "text",
        "types",
    }
    assert not names & {"groups", "store", "search", "pipeline"}
