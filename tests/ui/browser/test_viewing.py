"""The viewer in the hand: a flash and no second one, the way to a box, tints, buttons, small pictures, text to copy."""

import pytest

from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import PHONE

pytestmark = pytest.mark.gate
SEVERAL = "How many bicycles did the ferries carry in 2024?"
"""Answered from more than one page, with lines of text and a figure."""
VIEWER = ".v-viewer:not([hidden])"
SHOWN = f"{VIEWER} .v-page:not([hidden])"
_IN_FRAME = """(number) => {
  const group = document.querySelector(`.v-viewer:not([hidden]) .v-page:not([hidden]) g[data-cite="${number}"]`);
  const box = group.querySelector('.v-line') ?? group.querySelector('.v-element');  // a figure has no lines
  const [line, frame] = [box, box.closest('.v-scroll')].map((node) => node.getBoundingClientRect());
  return frame.top <= line.top && line.top <= frame.bottom && line.top >= 0 && line.top <= innerHeight;
}"""
_TIMES = "(group) => [...group.querySelectorAll('rect')].map((rect) => getComputedStyle(rect).animationIterationCount)"


def test_a_click_flashes_its_box_once_and_brings_it_into_view(visit: Open) -> None:
    reader = visit(reduced_motion="no-preference", viewport={"width": 1280, "height": 700})
    reader.ask(SEVERAL)
    assert reader.page.locator("g.v-flash").count() == 0, "what was not asked for does not flash"
    for _ in range(5):
        reader.page.locator(f"{VIEWER} [data-zoom='1']").click()
    for chip in reader.chips:
        number = chip.inner_text()
        reader.page.locator(f"{SHOWN} .v-scroll").evaluate("(scroller) => scroller.scrollTo(0, scroller.scrollHeight)")
        chip.click()
        flashing = reader.page.locator("g.v-flash")
        assert flashing.evaluate_all("(all) => all.map((group) => group.dataset.cite)") == [number]
        assert set(flashing.evaluate(_TIMES)) == {"1"}
        reader.page.wait_for_function(_IN_FRAME, arg=number)


CARD = "#v-card"
_LINE_IN_CARD = """(card) => {
  const box = card.querySelector('.v-line') ?? card.querySelector('.v-element');
  const [line, frame] = [box, card.firstChild].map((node) => node.getBoundingClientRect());
  const across = frame.left - 1 <= line.left && line.right <= frame.right + 1;
  return across && frame.top <= line.top && line.top < frame.bottom;
}"""


def test_the_pointer_on_a_number_shows_its_place_on_a_card(visit: Open) -> None:
    reader = visit()
    reader.ask(SEVERAL)
    card = reader.page.locator(CARD)
    for chip in reader.chips:
        chip.hover()
        reader.page.wait_for_function("(chip) => chip.getAttribute('aria-describedby')", arg=chip.element_handle())
        name, _, page = str(chip.get_attribute("aria-label")).partition(": ")[2].partition(", ")
        said = card.inner_text()
        assert name in said
        assert f"{page} of" in said
        assert "Quoted" in said
        assert card.evaluate(_LINE_IN_CARD), "the card shows another place than the one that is cited"
    card.hover()  # the way onto the card does not close it
    reader.page.wait_for_timeout(600)
    assert card.is_visible()
    reader.page.mouse.move(640, 5)
    card.wait_for(state="hidden")


def test_the_focus_shows_the_card_and_escape_dismisses_it(visit: Open) -> None:
    reader = visit()
    reader.ask(SEVERAL)
    card = reader.page.locator(CARD)
    reader.page.locator("#v-current .v-turn-head").click()
    while reader.page.evaluate("document.activeElement !== document.querySelector('#v-current .v-cite')"):
        reader.page.keyboard.press("Tab")
    card.wait_for()
    reader.page.keyboard.press("Escape")
    assert card.is_hidden()
    assert reader.page.evaluate("document.activeElement.matches('.v-cite')"), "the focus stays where it was"
    reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Shift+Tab")
    assert card.is_visible()
    reader.page.keyboard.press("Enter")
    assert card.is_hidden(), "a number that was followed needs no card"


def test_a_tap_goes_to_the_page_without_a_card(visit: Open) -> None:
    reader = visit(**PHONE)
    reader.ask(SEVERAL)
    reader.chips[1].tap()
    reader.page.wait_for_function(_IN_FRAME, arg=reader.chips[1].inner_text())
    reader.page.wait_for_timeout(600)
    assert not reader.page.locator(CARD).is_visible()


def test_sentences_are_reviewed_by_keyboard_and_a_box_is_moved(visit: Open) -> None:
    reader = visit()
    reader.ask(SEVERAL)
    keys, said = reader.page.keyboard, reader.page.locator(".v-review output")
    reader.page.get_by_role("button", name="Review", exact=True).click()
    number = len(reader.chips)
    assert said.inner_text() == f"Sentence 1 of {number}; 0 of {number} reviewed"
    keys.press("m")
    moved = reader.page.locator(f"{SHOWN} .v-moved")
    before = moved.bounding_box()
    for key in ("ArrowDown", "ArrowDown", "Shift+ArrowRight"):
        keys.press(key)
    after = moved.bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] > before["y"]
    assert after["width"] > before["width"]
    keys.press("Enter")
    assert said.inner_text() == f"Sentence 2 of {number}; 1 of {number} reviewed"
    keys.press("x")
    for _ in range(number - 2):
        keys.press("a")
    assert said.inner_text().startswith(f"All {number} reviewed.")
    keys.press("Escape")
    assert said.is_hidden()
    reader.page.wait_for_timeout(500)  # the judgements are on their way
    reader.reload()
    judged = reader.page.locator("#v-current [data-judge][aria-pressed='true']")
    judged.first.wait_for()
    texts = [text.strip() for text in judged.all_text_contents()]  # those of folded places too
    assert texts == ["wrong place", "wrong", *["right"] * (number - 2)]
    reader.page.get_by_role("button", name="Review", exact=True).click()
    again = moved.bounding_box()
    assert again is not None
    assert [again[side] for side in ("width", "height")] == pytest.approx([after["width"], after["height"]], abs=1)


def test_what_was_not_reviewed_of_all_conversations_is_reviewed_by_keyboard(visit: Open) -> None:
    reader = visit()
    keys, said = reader.page.keyboard, reader.page.locator(".v-review output")
    review = reader.page.locator("#v-review-all")
    reader.page.locator("#v-drawer > button").click()
    review.click()
    reader.page.get_by_text("Nothing to review yet.").wait_for()
    reader.ask(SEVERAL)
    number = len(reader.chips)
    reader.page.locator("#v-new").click()
    reader.page.wait_for_selector("#v-current .v-message")
    reader.ask("How many departures were cancelled?")
    number += len(reader.chips)
    review.click()
    said.wait_for()
    assert said.inner_text() == f"Sentence 1 of {number}; 0 of {number} reviewed"
    assert reader.page.locator(f"{SHOWN} g.v-on").count() == 1, "the page of the first sentence, with its box"
    keys.press("x")
    keys.press("u")
    assert said.inner_text() == f"Sentence 1 of {number}; 0 of {number} reviewed"
    with reader.page.expect_response(lambda answer: "queue/join" in answer.url):
        keys.press("a")
    keys.press("Escape")
    reader.page.locator("#v-current .v-turn-tools").wait_for()
    assert said.is_hidden()
    review.click()
    said.wait_for()
    assert said.inner_text() == f"Sentence 1 of {number - 1}; 1 of {number} reviewed"
    for _ in range(number - 1):
        keys.press("a")
    assert said.inner_text().startswith(f"All {number} reviewed.")
    keys.press("Escape")
    reader.page.wait_for_timeout(500)  # the judgements are on their way
