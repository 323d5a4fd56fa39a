"""Pages and boxes as the page shows them."""

import io
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from PIL import Image

from indexing import BBox
from rag import Answer, Citation, Sentence
from tests.ui.markup import ANY_TEXT, harmless, read
from tests.ui.stand_ins import answer, citation
from ui.show import shown_citations
from ui.web.viewer import (
    BADGE_SHARE,
    LIGHT_WIDTH,
    MOST_BYTES,
    OTHER,
    CitedPage,
    address,
    empty_viewer_html,
    viewer_html,
    webp,
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


def test_a_place_that_the_answer_does_not_cite_is_no_citation() -> None:
    mixed = view(cited(citation(1), citation(2)))
    html = viewer_html([replace(mixed, kinds={2: OTHER}), replace(mixed, page=4, kinds={1: OTHER, 2: OTHER})])
    assert all(said in html for said in ("1 citation<", "Citation 1", "Other place 2"))
    assert "Citation 2" not in html
    assert html.count('class="v-thumb"') == html.count('class="v-thumb v-is-other"') == 1


def test_a_number_is_as_high_on_the_screen_as_where_room_was_found_for_it() -> None:
    rule = (files("ui.web") / "static" / "viewer.css").read_text(encoding="utf-8").split(".v-sheet .v-badge {")[1]
    assert f"height: max({100 * BADGE_SHARE:g}cqw," in rule


def test_heat_is_offered_where_the_pixels_of_a_page_were_looked_at() -> None:
    cold = view(cited(citation()))
    assert read(viewer_html([cold])).values("data-heat") == []
    assert read(viewer_html([cold, replace(cold, looked_at=True)])).values("data-heat") == ["yes"]


def noise(width: int, height: int) -> Image.Image:
    """A picture that compresses as badly as any photograph of a page."""
    return Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8), "RGB")


@pytest.mark.slow
def test_even_the_worst_page_is_light_at_the_default_zoom() -> None:
    data = webp(noise(LIGHT_WIDTH, 2715))
    assert len(data) <= MOST_BYTES
    assert Image.open(io.BytesIO(data)).size == (LIGHT_WIDTH, 2715)


@pytest.mark.parametrize("name", ["../x", "a b", 'a"b', "a#b?c=d", "<svg>"])
def test_an_address_holds_nothing_but_itself(name: str) -> None:
    made = address(name, name, 3)
    assert made.startswith("vouch/page/")
    assert made.count("/") == 4
    assert not set(made) & set(' "<>?#')
