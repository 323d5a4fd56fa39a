"""The cache of the element oracle: pages are parsed anew when anything that parses them has changed."""

from __future__ import annotations

from evaluation.bench_layout import parsing_sources


def test_what_parses_pages_is_followed_from_import_to_import() -> None:
    names = {source.stem for source in parsing_sources()}
    assert names >= {"layout", "drawing", "shadow", "hidden", "ocr", "pictures", "settings", "tables", "text", "types"}
    assert not names & {"groups", "store", "search", "pipeline"}
