"""The Check tab: statements come as drafts, get verdicts, are chosen by them, lead to their places."""

from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WINDOW
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_access import serious

TEXT = """# The ferries in review

We carried 3.17 million passengers, 5.7 per cent more than in 2023. The TG-40 measures the level of the sea without
touching it.

- Penguins <script>alert(1)</script> steer every second boat.
"""


def opened(reader: Reader) -> Reader:
    """The tab, open."""
    reader.page.get_by_role("tab", name="Check").click()
    reader.page.wait_for_selector("#v-check-text textarea")
    return reader


def check(reader: Reader, text: str) -> None:
    """Check a pasted text to its end."""
    reader.page.locator("#v-check-text textarea").fill(text)
    reader.page.locator("#v-check-go").click()
    reader.page.wait_for_selector("#v-check-current [data-run]:not([aria-busy])")


def kinds(reader: Reader) -> list[str]:
    """The verdicts of the statements that can be seen."""
    seen = reader.page.locator("#v-check-current .v-statement:visible")
    return [str(one.get_attribute("data-kind")) for one in seen.all()]


def test_statements_get_verdicts_lead_to_their_places_and_are_chosen_by_a_count(visit: Open) -> None:
    reader = opened(visit())
    check(reader, TEXT)
    assert len(kinds(reader)) == 4
    assert kinds(reader)[0] == "remark"
    assert "confirmed" in kinds(reader)
    assert kinds(reader)[-1] != "confirmed"
    chip = reader.page.locator("#v-check-current .v-cite.v-role-proves").last
    chip.click()
    reader.drawn()
    assert reader.rects(int(chip.inner_text()))["v-line"]
    reader.page.screenshot(path=SHOTS / "check.png")
    whole = kinds(reader)
    only = reader.page.locator('#v-check-current [data-only="confirmed"]')
    only.press("Enter")
    assert set(kinds(reader)) == {"confirmed"}
    assert only.get_attribute("aria-pressed") == "true"
    only.click()
    assert kinds(reader) == whole


@EVERY_WINDOW
def test_anybody_can_use_it(visit: Open, look: str, size: dict[str, object]) -> None:
    reader = opened(visit(color_scheme=look, **size))
    assert serious(reader) == []
    check(reader, TEXT)
    assert serious(reader) == []
    wide = reader.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide, "the page is wider than the window"
    reader.page.screenshot(path=SHOTS / f"check-{look}-{'phone' if size else 'wide'}.png", full_page=True)
