"""The viewer's HTML: boxes in page fractions, numbers that find their way, nothing of a document as markup."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from hypothesis import given

from indexing import BBox
from indexing.embed.minilm import MiniLM
from rag import Answer, Citation, Sentence
from tests.support import fakes
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation
from ui.show import shown_citations
from ui.web.viewer.pages import (
    BADGE_SHARE,
    WIDTHS,
    CitedPage,
    address,
    empty_viewer_html,
    page_views,
    sketch_page,
    viewer_html,
)


def view(found: Answer, document: str = "report.pdf", page: int = 3) -> CitedPage:
    items = shown_citations(found)
    texts = {n: c.quote for n, c in items}
    badges = {n: (0.1, 0.2) for n, _ in items}
    return CitedPage("id", document, page, 9, address("c", "id", page), 400, 500, items, badges, texts)


def cited(*citations: Citation) -> Answer:
    return answer(Sentence("A.", citations, "confirmed"))


@given(ANY_TEXT, ANY_TEXT)
def test_no_document_text_becomes_markup(name: str, quote: str) -> None:
    harmless(viewer_html([view(cited(citation(document=name, quote=quote)), name)], question=quote))
    harmless(empty_viewer_html("<p>no</p>", name))


def test_boxes_are_page_fractions() -> None:
    html = viewer_html([view(cited(citation(bbox=BBox(0.1, 0.2, 0.5, 0.3), boxes=())))])
    assert 'viewBox="0 0 1 1" preserveAspectRatio="none"' in html
    assert 'x="0.10000" y="0.20000" width="0.40000" height="0.10000"' in html
    assert 'style="left:10.0000%;top:20.0000%"' in html


def test_an_element_cited_twice_is_tinted_once() -> None:
    html = viewer_html([view(cited(citation(1), citation(2)))])
    assert [c for c in read(html).values("class") if c and "v-element" in c] == ["v-element", "v-element v-again"]


def test_the_browser_chooses_among_all_widths_but_the_thumbnails() -> None:
    (srcset,) = read(viewer_html([view(cited(citation()))])).values("srcset")
    assert [part.split()[1] for part in (srcset or "").split(", ")] == [f"{w}w" for w in WIDTHS[1:]]


def test_the_text_of_each_citation_can_be_copied() -> None:
    reader = read(viewer_html([view(cited(citation(quote="Margins fell.\nby <5%"), citation(2)))]))
    assert reader.values("data-words") == ["1", "2"]
    assert "Margins fell.by <5%" in reader.text


def test_pages_of_an_answer_are_found_in_the_collection(tmp_path_factory: object, embedder: MiniLM) -> None:
    home = tmp_path_factory.mktemp("views")  # type: ignore[attr-defined]
    collection = fakes.collection(home, embedder, "mills")
    (document,) = fakes.index(collection, {"mill.pdf": [["The mill was built in 1887."], ["Its roof leaks."]]})
    element = collection.page_elements(document.id, 2)[0]
    found = cited(
        Citation("E1", element.id, document.id, document.name, 2, "text", element.bbox, (), "roof"),
        Citation("E2", "gone", "0" * 16, "gone.pdf", 1, "text", element.bbox, (), "x"),
        Citation("E3", "beyond", document.id, document.name, 3, "text", element.bbox, (), "x"),
    )
    (only,) = page_views(collection, found)
    assert (only.page, only.n_pages, only.texts) == (2, 2, {1: "Its roof leaks."})
    assert (only.width, only.height) == (420.0, 595.0)


def test_a_number_stands_beside_the_words_not_on_them() -> None:
    element = fakes.element("Its roof leaks in three places since the storm.", ordinal=4)
    sheet = sketch_page([element], 595 / 420)
    inked = sheet.crop(tuple(round(v) for v in element.bbox.to_page(*sheet.size)))
    assert inked.getextrema() == (0, 255)
    assert sheet.crop((0, sheet.height // 2, sheet.width, sheet.height)).getextrema() == (255, 255)


def test_a_number_is_as_high_on_the_screen_as_where_room_was_found_for_it() -> None:
    rule = (files("ui.web") / "static" / "viewer.css").read_text(encoding="utf-8").split(".v-sheet .v-badge {")[1]
    assert f"height: max({100 * BADGE_SHARE:g}cqw," in rule


def test_heat_is_offered_where_the_pixels_of_a_page_were_looked_at() -> None:
    cold = view(cited(citation()))
    assert read(viewer_html([cold])).values("data-heat") == []
    assert read(viewer_html([cold, replace(cold, looked_at=True)])).values("data-heat") == ["yes"]
