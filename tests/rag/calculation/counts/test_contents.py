"""Chapters and appendices are counted by headings, else by the lines of the contents; what begins anew is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, Document, Element
from indexing.embed.minilm import MiniLM
from rag.calculation import element_count
from tests.support import fakes

CONTENTS = (
    "Contents",
    "About this report ........ vi",
    "Chapter 1. The quay ........ 1",
    "2. Ropes and knots 17",
    "3. Harbours ....... 43",
    "Appendix A: Tides ....... 50",
    "Appendix B: Charts ....... 55",
)


def made_of(tmp_path: Path, embedder: MiniLM, *pages: Sequence[str], kind: str = "text") -> tuple[Collection, Document]:
    made = fakes.collection(tmp_path, embedder)
    document = fakes.document("boats.pdf", pages)
    heads = {"Contents"} if kind == "text" else {text for texts in pages for text in texts}

    def read(element: Element) -> Element:
        return replace(element, kind="heading") if element.text in heads else element

    parsed = [fakes.parsed(document.id, number, texts) for number, texts in enumerate(pages, 1)]
    fakes.keep(made, document, *(replace(page, elements=tuple(map(read, page.elements))) for page in parsed))
    return made, document


def count(question: str, made: tuple[Collection, Document]) -> tuple[int, str, list[int]] | None:
    found = element_count(question, made[0], [made[1]])
    return (found.number, found.working, [c.page for c in found.citations]) if found else None


def test_chapters_and_appendices_of_the_contents(tmp_path: Path, embedder: MiniLM) -> None:
    made = made_of(tmp_path, embedder, ["Boats"], CONTENTS, ["The quay was built of stone."])
    chapters = count("How many chapters are in this report?", made)
    assert chapters == (3, "counted lines of its contents: 1 to 3", [2, 2, 2])
    assert count("How many appendices does it have?", made) == (2, "counted lines of its contents: A to B", [2, 2])


def test_appendices_by_their_headings_each_once(tmp_path: Path, embedder: MiniLM) -> None:
    made = made_of(tmp_path, embedder, ["Appendix A Tides"], ["Appendix B", "Appendix B"], ["Knots"], kind="heading")
    assert count("How many appendices appear in the document?", made) == (2, "counted headings: A to B", [1, 2])


def test_appendices_of_which_one_is_left_out_are_not_counted(tmp_path: Path, embedder: MiniLM) -> None:
    made = made_of(tmp_path, embedder, ["Appendix A Tides"], ["Appendix C"], kind="heading")
    assert count("How many appendices appear in the document?", made) is None


@pytest.mark.parametrize(
    "lines",
    [
        (*CONTENTS[:4], "4. Crews ........ 60"),
        (*CONTENTS[:5], "1. Another book ...... 60", "2. Its knots ....... 70"),
        ("1. The quay ........ 1", "2. Ropes and knots 17"),
        ("Contents", "1. The quay ........ 1"),
        ("Contents", "2. The quay ........ 1", "3. Ropes .... 2"),
        ("Contents", "1. Turn the key", "2. Pull the rope"),
    ],
    ids=["one is left out", "two books", "no contents", "a single one", "not from the first", "no pages"],
)
def test_what_is_not_sure_is_not_counted(tmp_path: Path, embedder: MiniLM, lines: Sequence[str]) -> None:
    assert count("How many chapters does it have?", made_of(tmp_path, embedder, lines)) is None


def test_pages_that_are_named_alone_are_counted(tmp_path: Path, embedder: MiniLM) -> None:
    made = made_of(tmp_path, embedder, ["Appendix A"], ["x"])
    for question in (
        "How many chapters are on page 2?",
        "How many pages are on page 2?",
        "How many documents on page 2?",
        "How many figures are on page 3?",
        "How many figures are on pages 1-3?",
    ):
        assert count(question, made) is None
