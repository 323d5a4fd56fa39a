"""Beginning: a choice that stays, the first pages of one's own documents, and nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import documents, fakes
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.forked import Served
from tests.ui.real_collection import LINES, shelve
from tests.ui.served_page import serving

BARN = ("The barn was built in 1901 by Otto Falk.", "It is the home of owls in summer and of the cows in winter.")
_LOADED = "() => [...document.querySelectorAll('.v-first-pages img')].every((image) => image.naturalWidth)"


@pytest.fixture
def cold(tmp_path: Path, embedder: MiniLM) -> Iterator[Served]:
    """A server that has just been started, over two collections."""
    for name, lines in (("apples", LINES), ("barns", BARN)):
        shelve(fakes.collection(tmp_path / "home", embedder, name), documents.pdf(tmp_path / f"{name}.pdf", lines))
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        yield page


def test_what_is_chosen_first_on_a_cold_server_stays(visit: Open, cold: Served) -> None:
    reader = visit(cold.address)
    box = reader.page.locator("#v-collection input")
    assert box.input_value() == "apples"
    box.click()
    reader.page.get_by_role("option", name="barns").click()
    reader.page.get_by_text("In barns: 1 document, 1 page").wait_for()
    reader.page.wait_for_timeout(2500)  # the answers to what the browser asked when it came
    assert box.input_value() == "barns"
    assert reader.page.get_by_text("In barns: 1 document, 1 page").is_visible()
    reader.page.screenshot(path=SHOTS / "beginning.png")
    reader.page.locator("#v-question textarea").fill("When was the barn built?")
    reader.page.locator("#v-question .submit-button").click()
    reader.page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    assert "1901" in reader.page.locator("#v-current .v-sentence").first.inner_text()
    assert "Asked of barns" in reader.page.locator("#v-current .v-how").inner_text()
    assert reader.page.locator("#v-contents").is_hidden()


def test_a_question_about_the_samples_is_asked_with_a_click(visit: Open) -> None:
    reader = visit()
    reader.page.get_by_role("button", name="How many departures were cancelled?").click()
    reader.page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    assert "1,236" in reader.page.locator("#v-current .v-sentence").first.inner_text()
    assert reader.page.locator(".v-examples").is_hidden()


def test_before_a_question_the_documents_fill_the_place_of_the_page(visit: Open) -> None:
    reader = visit(viewport={"width": 1440, "height": 900})
    pages = reader.page.locator(".v-first-pages li")
    pages.first.wait_for()
    assert pages.count() == 7
    reader.page.wait_for_function(_LOADED)
    assert reader.page.locator("#v-evidence").is_hidden()
    filled = reader.page.locator("#v-contents").bounding_box()
    assert filled is not None
    assert filled["width"] * filled["height"] > 0.2 * 1440 * 900


def test_an_empty_home_leads_to_the_first_documents(visit: Open, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        reader = visit(page.address)
        reader.page.get_by_role("button", name="Add documents").click()
        reader.page.locator("#v-files").wait_for()
        assert reader.page.get_by_role("tab", name="Collections").get_attribute("aria-selected") == "true"
