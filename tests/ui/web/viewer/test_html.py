"""The viewer's HTML: boxes in page fractions, numbers that find their way, nothing of a document as markup."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

from hypothesis import given

from indexing import BBox
from rag import Answer, Citation, Sentence
from tests.support import fakes
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation
from ui.show import shown_citations
from ui.web.viewer.pages import (
    BADGE_SHARE,
    CitedPage,
    address,
    empty_viewer_html,
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
