"""What stands in a collection, counted by kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from indexing import Element, ParsedPage
from indexing.embed.minilm import MiniLM
from tests.support import fakes


def page(doc_id: str, number: int, *elements: Element) -> ParsedPage:
    return replace(fakes.parsed(doc_id, number, ()), elements=elements)


def test_kinds_are_counted_over_all_pages_the_commonest_first(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder)
    assert made.kinds() == {}
    doc = fakes.document("a.pdf", [["x"], ["y"]])
    table, header, one, two = (
        fakes.element(text, doc.id, 1 + (text == "two"), n, kind)
        for n, (text, kind) in enumerate(
            [("Rye 5", "table"), ("Mill news", "header"), ("one", "text"), ("two", "text")], 1
        )
    )
    with made.writer() as writer:
        writer.add(page(doc.id, 1, table, header, one))
        writer.add(page(doc.id, 2, two))
        writer.finish(doc, Path("/nowhere"))
        writer.flush()
    assert list(made.kinds().items()) == [("text", 2), ("header", 1), ("table", 1)]
