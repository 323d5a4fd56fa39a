"""What pages are called and show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import BBox, Collection, Hints
from indexing.hints import AS_CAPTION, AS_TEXT, landmarks
from tests.support import fakes


def test_landmarks_are_names_numbers_and_shares_of_pictures_and_tables() -> None:
    marks = landmarks(
        [
            fakes.element("Figure 3: Seals on the bar", kind="caption"),
            fakes.element("(Table 2.1) follows", kind="text"),
            fakes.element("Appendix C", kind="heading"),
            fakes.element("As Figure 9 shows, nothing is certain.", kind="text"),
            fakes.element("Figure 4 in a group", kind="group"),
            fakes.element("Annual report 2023, page 17", kind="footer"),
            fakes.element("v1.5 12,000 123456", kind="header"),
            fakes.element("41 seals", kind="text"),
            replace(fakes.element("", kind="picture"), bbox=BBox(0, 0, 1, 1)),
            replace(fakes.element("a | b", kind="table"), bbox=BBox(0, 0, 0.5, 0.5)),
        ]
    )
    assert dict(marks.names) == {"figure 3": AS_CAPTION, "table 2.1": AS_TEXT, "appendix c": AS_CAPTION}
    assert marks.labels == (17, 2023)
    assert (marks.pictures, marks.tables) == (1.0, 0.5)


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


def test_a_page_number_of_nowhere_changes_nothing(book: Collection) -> None:
    plain, named = (
        book.search("Where do the seals rest?", hints=h) for h in (Hints(), Hints(pages=(99,), names=("figure 8",)))
    )
    assert [h.score for h in plain.hits] == [h.score for h in named.hits]
