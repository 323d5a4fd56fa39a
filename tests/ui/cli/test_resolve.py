"""`vouch resolve`: what it prints, and the exit code that tells a script what became of the place."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import AnchorLost, anchor_of
from tests.support import documents, fakes
from tests.ui.real_collection import LINES, cite, shelve
from ui.cli.resolve import resolve


def shelf(home: Path, embedder: MiniLM, collection: str, name: str, *lines: str) -> tuple[Collection, str]:
    """A collection with one PDF of these lines, and the anchor of its last line."""
    made = fakes.collection(home, embedder, collection)
    path = documents.pdf(home / name, lines)
    document, elements = shelve(made, path)
    page = made.page(document.id, 1)
    return made, str(anchor_of(cite(document, elements[-1]), document, page))


def args(anchor: str, collection: str | None = None, *, as_json: bool = False) -> Namespace:
    return Namespace(anchor=anchor, collection=collection, json=as_json)


def test_the_place_is_printed(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    _, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    assert resolve(args(anchor, "town")) == 0
    said = capsys.readouterr().out
    assert "mill.pdf, page 1: the same words in the same file." in said
    assert LINES[1] in said
    assert "collection town" in said


def test_every_collection_is_looked_through(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    _, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    shelf(home, embedder, "aaa", "bus.pdf", "A bus.")
    (home / "broken").mkdir()
    (home / "broken" / "collection.json").write_text("not json")
    assert resolve(args(anchor, as_json=True)) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["state"], found["collection"], found["document"]) == ("found", "town", "mill.pdf")
    assert found["citation"]["quote"] == LINES[1]
    assert told.err.count("\n") == 1
    assert "broken" in told.err


def test_a_changed_document_exits_with_1(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    town, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    town.remove("mill.pdf")
    fakes.index(town, {"mill.pdf": [["Ten barrels of cider lie in its cellar."]]})
    assert resolve(args(anchor)) == 1
    said = capsys.readouterr().out
    assert "mill.pdf has changed" in said
    assert "box" not in said


def test_a_document_that_is_nowhere_is_an_error(home: Path, embedder: MiniLM) -> None:
    town, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    town.remove("mill.pdf")
    with pytest.raises(AnchorLost, match=r"mill\.pdf .* was not found in any of 1 collections"):
        resolve(args(anchor))
    with pytest.raises(AnchorLost, match="'town'"):
        resolve(args(anchor, "town"))
