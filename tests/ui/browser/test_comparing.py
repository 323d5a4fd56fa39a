"""Comparing: answers side by side, one numbering, one pane of evidence, differences underlined, a file of figures."""

import re

from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WIDTH
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_access import serious

BRIDGE = "What would the bridge repairs cost in total?"


def compared(reader: Reader, question: str) -> None:
    """Compare, and wait for all answers and the page."""
    page = reader.page
    page.get_by_role("tab", name="Compare").click()
    page.locator("#v-compare-question textarea").fill(question)
    page.locator("#v-compare-question .submit-button").click()
    page.wait_for_selector(".v-compared")
    reader.drawn()


def test_three_modes_answer_side_by_side_and_lead_to_their_pages(visit: Open) -> None:
    reader = visit()
    compared(reader, BRIDGE)
    heads = reader.page.locator(".v-column-head").all_inner_texts()
    assert heads == ["Text", "Images", "Both"]
    tops = {column.bounding_box()["y"] for column in reader.page.locator(".v-column").all()}  # type: ignore[index]
    assert len(tops) == 1
    for strip in reader.page.locator(".v-strip").all_inner_texts():
        assert re.search(r"Time\s+\d+\.\d\d s", strip)
        assert "Cited" in strip
    for column in reader.page.locator(".v-column").all():
        chips = column.locator(".v-sentence .v-cite").all()
        if not chips:
            continue
        chips[-1].click()
        reader.drawn()
        number = int(chips[-1].inner_text())
        assert chips[-1].evaluate("(c) => c.classList.contains('v-on')")
        assert reader.rects(number)["v-element"]
        assert column.locator(".v-sentence.v-marked").count() >= 1
    assert "Found by all 3" in reader.page.locator(".v-compared").inner_text()


@EVERY_WIDTH
def test_it_fits_and_is_open_to_everybody(visit: Open, scheme: str, width: int) -> None:
    reader = visit(color_scheme=scheme, viewport={"width": width, "height": 900})
    compared(reader, BRIDGE)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == width
    reader.page.screenshot(path=SHOTS / f"compare {scheme} {width}.png", full_page=True)
    assert serious(reader) == []
