"""Reading: one click from an example to its proof, keys, reload, two visitors, dark, a phone, files to take away."""

import pytest

from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import PHONE

pytestmark = pytest.mark.gate
ON_TIME = "What delay still counts as an on-time ferry departure?"
CANCELLED = "How many departures were cancelled, and why?"
_ON_SCREEN = "(node) => { const r = node.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; }"
_WITHIN = """(line) => {
  const [inner, frame] = [line, line.closest('.v-scroll')].map((node) => node.getBoundingClientRect());
  return inner.top >= Math.max(0, frame.top - 2) && inner.bottom <= Math.min(innerHeight, frame.bottom + 2);
}"""
"""A line that is cited is seen: in the frame of its page, and in the window."""


def test_every_sentence_wears_its_verdict_and_tells_why(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    assert not reader.page.locator(".v-others[open]").count()
    assert reader.chips
    for sentence in reader.page.locator("#v-current .v-sentence").all():
        mark = sentence.locator(".v-mark")
        assert "Quoted" in str(mark.get_attribute("aria-label"))
        mark.focus()
        shown = mark.evaluate("(m) => getComputedStyle(m, '::after').content")
        assert "word for word" in shown
        assert mark.evaluate("(m) => getComputedStyle(m, '::after').whiteSpace") == "normal", "it runs out of its box"


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


def test_keys_walk_the_citations_then_unfolded_places_and_lead_to_the_question(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    count = reader.page.locator(".v-viewer:not([hidden]) .v-count")
    fold, other = reader.page.locator("#v-current .v-others summary"), reader.page.locator(".v-sheet g.v-is-other")
    reader.page.locator(".v-viewer:not([hidden]) .v-label").click()
    reader.page.keyboard.press("n")
    assert count.inner_text() == "1 of 1"
    assert not other.is_visible()
    fold.press("Enter")
    other.wait_for()
    assert other.locator(".v-element").evaluate("(box) => getComputedStyle(box).fill") == "none"
    assert (first := count.inner_text()) == "1 of 2"
    for following, previous in (("n", "p"), ("j", "k")):
        reader.page.keyboard.press(following)
        assert count.inner_text().startswith("2 of ")
        reader.page.keyboard.press(previous)
        assert count.inner_text() == first
    reader.page.keyboard.press("n")
    fold.press("Enter")
    other.wait_for(state="hidden")
    assert count.inner_text() == "1 of 1"
    reader.page.keyboard.press("/")
    field = reader.page.locator("#v-question textarea")
    assert field.evaluate("(f) => f === document.activeElement")
    assert field.input_value() == CANCELLED


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


def test_the_table_of_claims_is_sorted_by_a_click_and_taken_away(visit: Open) -> None:
    reader = visit()
    reader.ask(CANCELLED)
    reader.page.get_by_text("Table of claims").click()
    column = reader.page.locator(".v-claims tbody td:nth-child(2)")
    before = column.all_inner_texts()
    assert len(before) > 1
    head = reader.page.get_by_role("columnheader", name="Sentence")
    for way in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == way
        assert column.all_inner_texts() == sorted(before, key=str.casefold, reverse=way == "descending")
    reader.page.locator(".v-claims .v-cite").last.click()
    assert reader.page.locator(".v-viewer:not([hidden]) g.v-on").count() == 1
    with reader.page.expect_download() as taken:
        reader.page.get_by_role("link", name="Download as CSV").click()
    text = taken.value.path().read_text(encoding="utf-8-sig")
    assert text.startswith("Number,Sentence,Verdict,")
    assert "sallow-bay-annual-report.pdf" in text


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
