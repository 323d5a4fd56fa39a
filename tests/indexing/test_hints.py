"""What pages are called and show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import Collection, Hints
from tests.support import fakes


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, embedder: object) -> Collection:
    """Ten pages that say the same, but for what they are called."""
    made = fakes.collection(tmp_path_factory.mktemp("book"), embedder, "book")  # type: ignore[arg-type]
    doc = fakes.document("book.pdf", [["same"]] * 10)
    with made.writer() as writer:
        for number in range(1, 11):
            shown = [fakes.element("The seals rest on the bar.", doc.id, number, 1)]
            if number == 7:
                shown.append(fakes.element("Figure 2: The bar", doc.id, number, 2, "caption"))
            shown.append(fakes.element(f"Book of seals {number + 20}", doc.id, number, 3, "footer"))
            writer.add(fakes.ParsedPage(fakes.Page(doc.id, number, 420, 595), tuple(shown)))
        writer.finish(replace(doc, n_pages=10), fakes.Path("/nowhere"))
        writer.flush()
    return made


@pytest.mark.parametrize(
    ("hints", "first"),
    [
        (Hints(pages=(4,)), 4),
        (Hints(pages=(25,)), 5),
        (Hints(pages=(-1,)), 10),
        (Hints(names=("figure 2",)), 7),
        (Hints(front=True), 1),
    ],
)
def test_what_the_question_names_comes_first(book: Collection, hints: Hints, first: int) -> None:
    found = book.search("Where do the seals rest?", hints=hints)
    assert found.pages[0].number == found.hits[0].element.page == first
    assert len({p.number for p in found.pages}) == len(found.pages) == 10
    scores = [p.score for p in found.pages]
    assert scores == sorted(scores, reverse=True)
