"""Reading: one click from an example to its proof, keys, reload, two visitors, dark, a phone, files to take away."""

from __future__ import annotations

import re
import time

import pytest

from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WINDOW, PHONE

pytestmark = pytest.mark.gate
ON_TIME = "What delay still counts as an on-time ferry departure?"
CANCELLED = "How many departures were cancelled, and why?"
_WHOLE = """(node) => {
  const r = node.getBoundingClientRect();
  return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight;
}"""
_ON_SCREEN = "(node) => { const r = node.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; }"
_WITHIN = """(line) => {
  const [inner, frame] = [line, line.closest('.v-scroll')].map((node) => node.getBoundingClientRect());
  return inner.top >= Math.max(0, frame.top - 2) && inner.bottom <= Math.min(innerHeight, frame.bottom + 2);
}"""
"""A line that is cited is seen: in the frame of its page, and in the window."""


_TIP = """(mark) => {
  const [tip, frame] = [getComputedStyle(mark, '::after'), mark.closest('.v-sentence').getBoundingClientRect()];
  const [left, top] = [frame.left + parseFloat(tip.left), frame.top + parseFloat(tip.top) + parseFloat(tip.marginTop)];
  return { left, right: left + parseFloat(tip.width), top, under: mark.getBoundingClientRect().bottom };
}"""
"""Where what a mark says stands, in pixels of the window."""


def test_an_example_is_one_click_from_its_proof(visit: Open) -> None:
    reader = visit()
    reader.page.locator("#v-examples .v-example").first.click()
    reader.page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    reader.drawn()
    assert reader.chips
    assert reader.sheet.is_visible()
    assert reader.page.locator("#v-examples .v-example").first.is_hidden()


def test_every_sentence_wears_its_verdict_and_tells_why(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    for sentence in reader.page.locator("#v-current .v-sentence").all():
        mark = sentence.locator(".v-mark")
        assert "Quoted" in str(mark.get_attribute("aria-label"))
        mark.focus()
        shown = mark.evaluate("(m) => getComputedStyle(m, '::after').content")
        assert "word for word" in shown
        assert mark.evaluate("(m) => getComputedStyle(m, '::after').whiteSpace") == "normal", "it runs out of its box"


@EVERY_WINDOW
def test_what_a_mark_says_is_seen_whole_and_lets_the_pointer_through(
    visit: Open, look: str, size: dict[str, object]
) -> None:
    reader = visit(color_scheme=look, **size)
    reader.ask(CANCELLED)
    marks = reader.page.locator("#v-current .v-mark")
    assert marks.count() >= 2
    for mark in marks.all():
        mark.hover()
        tip = mark.evaluate(_TIP)
        assert tip["left"] >= 0
        assert tip["right"] <= reader.page.viewport_size["width"]
        assert 0 <= tip["top"] - tip["under"] <= 12, "it stands under its mark"
    reader.page.screenshot(path=SHOTS / f"mark {look}.png")


def test_citations_survive_a_reload(visit: Open) -> None:
    reader = visit()
    reader.ask(ON_TIME)
    reader.ask(CANCELLED)
    said = reader.page.locator("#v-current").inner_text()
    reader.reload()
    reader.page.wait_for_selector("#v-current .v-turn")
    assert reader.page.locator("#v-current").inner_text() == said
    reader.drawn()
    assert reader.rects(int(reader.chips[0].inner_text()))["v-line"]
    earlier = reader.page.locator("#v-past .v-earlier")
    assert earlier.count() == 1
    earlier.locator("summary").first.click()
    chip = earlier.locator(".v-sentence .v-cite").first
    chip.click()
    reader.drawn()
    key = earlier.get_attribute("data-turn")
    assert reader.page.locator(".v-pane .v-viewer:not([hidden])").get_attribute("data-answer") == key
    assert reader.sheet.is_visible()


def test_whoever_comes_by_a_link_from_another_site_finds_the_history(visit: Open) -> None:
    reader = visit()
    reader.ask(ON_TIME)
    elsewhere = reader.context.new_page()
    link = f'<a href="{reader.address}">Vouch</a>'
    elsewhere.route("http://intranet.example/", lambda route: route.fulfill(content_type="text/html", body=link))
    elsewhere.goto("http://intranet.example/")
    elsewhere.get_by_role("link").click()
    elsewhere.wait_for_selector("#v-current .v-turn, #v-current .v-message")
    assert elsewhere.locator("#v-current .v-turn").count() == 1


def test_keys_walk_the_citations_and_lead_to_the_question(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    count = reader.page.locator(".v-viewer:not([hidden]) .v-count")
    reader.page.locator(".v-viewer:not([hidden]) .v-label").click()
    first = count.inner_text()
    assert first.startswith("1 of ")
    reader.page.keyboard.press("j")
    second = count.inner_text()
    reader.page.keyboard.press("k")
    assert count.inner_text() == first
    assert second.startswith("2 of ")
    reader.page.keyboard.press("/")
    field = reader.page.locator("#v-question textarea")
    assert field.evaluate("(f) => f === document.activeElement")
    assert field.input_value() == CANCELLED


def test_all_can_be_done_by_keyboard(visit: Open) -> None:
    reader = visit()
    reader.page.keyboard.press("/")
    reader.page.keyboard.type(ON_TIME)
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    reader.drawn()
    reader.chips[0].focus()
    reader.page.keyboard.press("Enter")
    assert reader.page.locator("g.v-on").count() == 1


@pytest.mark.parametrize("form", ["HTML, one file", "PDF with highlights"])
def test_an_answer_can_be_taken_away(visit: Open, form: str) -> None:
    reader = visit()
    reader.ask(ON_TIME)
    reader.page.locator("#v-current .v-menu:not(.v-share) summary").click()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("link", name=form).click()
    assert download.value.path().stat().st_size > 300


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_of_the_system_are_taken_and_can_be_changed(visit: Open, scheme: str) -> None:
    reader = visit(color_scheme=scheme)
    reader.ask(CANCELLED)
    reader.page.screenshot(path=SHOTS / f"ask {scheme}.png")
    paper = "getComputedStyle(document.body).backgroundColor"
    before = reader.page.evaluate(paper)
    assert (sum(map(int, before.strip("rgb()").split(","))) > 380) == (scheme == "light")
    reader.page.get_by_role("button", name="Light or dark").click()
    changed = reader.page.evaluate(paper)
    assert changed != before
    reader.reload()
    reader.arrived()
    reader.page.wait_for_function(f"{paper} === '{changed}'")


def test_a_phone_shows_all_of_it_and_nothing_beside(visit: Open) -> None:
    reader = visit(**PHONE)
    reader.page.screenshot(path=SHOTS / "phone empty.png")
    reader.ask(CANCELLED)
    reader.page.screenshot(path=SHOTS / "phone answer.png")
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    reader.chips[0].tap()
    reader.drawn()
    reader.page.screenshot(path=SHOTS / "phone page.png")
    box = reader.sheet.locator("xpath=..").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 391
    assert box["y"] < 844, "the page was not brought into view"


def test_a_phone_begins_with_a_crop_that_can_be_read_and_leads_back(visit: Open) -> None:
    reader = visit(**PHONE)
    reader.ask(CANCELLED)
    assert reader.page.locator(".v-viewer:not([hidden])").get_attribute("data-look") == "crop"
    chip = reader.chips[0]
    chip.tap()
    reader.drawn()
    line = reader.page.locator(f'.v-page:not([hidden]) g[data-cite="{chip.inner_text()}"] .v-line').first
    reader.page.wait_for_function(_WITHIN, arg=line.element_handle(), timeout=5000)
    place = line.bounding_box()
    assert place is not None
    assert place["height"] >= 14, "too small to read"
    reader.page.screenshot(path=SHOTS / "phone crop.png")
    assert not chip.evaluate(_ON_SCREEN)
    reader.page.get_by_role("button", name="Back to the sentence").tap()
    reader.page.wait_for_function(_ON_SCREEN, arg=chip.element_handle(), timeout=5000)
    assert reader.page.get_by_role("button", name="Back to the sentence").is_hidden()


def test_the_time_that_is_shown_is_the_time_that_was_felt(visit: Open) -> None:
    reader = visit()
    started = time.perf_counter()
    reader.ask(CANCELLED, drawn=False)
    waited = time.perf_counter() - started
    took = reader.page.locator("#v-current .v-took").inner_text()
    found = re.fullmatch(r"(\d+\.\d) s from asking to reading, (\d+\.\d\d) s to search and answer", took)
    assert found is not None, took
    assert float(found[2]) - 0.1 <= float(found[1]) <= waited + 0.1


def test_the_export_menu_opens_where_it_is_seen(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    summary = reader.page.locator("#v-current .v-menu:not(.v-share) summary")
    low = summary.evaluate("(s) => s.getBoundingClientRect().bottom + scrollY + 10")
    reader.page.set_viewport_size({"width": 1280, "height": int(low)})  # the menu would open below the window
    summary.click()
    menu = reader.page.locator("#v-current .v-menu:not(.v-share) ul")
    reader.page.wait_for_function(_WHOLE, arg=menu.element_handle(), timeout=5000)
    assert menu.bounding_box()["y"] < summary.bounding_box()["y"]  # type: ignore[index]
    summary.click()
    reader.page.set_viewport_size({"width": 1280, "height": int(low) + 300})
    summary.click()
    reader.page.wait_for_function(_WHOLE, arg=menu.element_handle(), timeout=5000)
    assert menu.bounding_box()["y"] > summary.bounding_box()["y"]  # type: ignore[index]


def test_an_empty_question_is_answered_kindly(visit: Open) -> None:
    reader = visit()
    reader.page.locator("#v-question .submit-button").click()
    reader.page.get_by_text("The question is empty.").wait_for()


def test_a_page_of_text_has_a_heat_map(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    viewer = reader.page.locator(".v-viewer:not([hidden])")
    heat = viewer.get_by_role("button", name="Heat")
    assert heat.get_attribute("aria-disabled") == "false"
    heat.click()
    viewer.locator(".v-page:not([hidden]) .v-heat").wait_for()
    assert viewer.get_attribute("data-look") == "heat"


def test_heat_shows_where_a_scan_looks_like_the_question(visit: Open) -> None:
    reader = visit()
    reader.ask("How many persons may be on the footbridge in Mill Lane at one time?")
    reader.page.locator(".v-viewer:not([hidden])").get_by_role("button", name="Heat").click()
    heat = reader.page.locator(".v-viewer:not([hidden]) .v-page:not([hidden]) .v-heat")
    heat.wait_for()
    reader.page.wait_for_function("() => [...document.querySelectorAll('.v-heat')].every((i) => i.naturalWidth)")
    reader.page.screenshot(path=SHOTS / "heat.png")
    reader.page.get_by_role("button", name="Page", exact=True).click()
    assert heat.is_hidden()


def test_a_page_that_cannot_be_had_says_so_and_is_asked_for_again(visit: Open) -> None:
    reader = visit()
    reader.page.route("**/vouch/page/**", lambda route: route.fulfill(status=200, body="no image"))
    reader.ask(ON_TIME, drawn=False)
    reader.page.get_by_text("This page can no longer be shown").wait_for()
    reader.page.unroute("**/vouch/page/**")
    reader.chips[0].click()
    reader.drawn()
    assert reader.sheet.locator(".v-gone").count() == 0
