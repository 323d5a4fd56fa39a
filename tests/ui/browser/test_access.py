"""axe-core finds nothing serious, light or dark, wide or narrow, before and after an answer."""

import pytest

from tests.support.tools import missing
from tests.ui.browser.chromium import AXE
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WIDTH
from tests.ui.browser.reader import Reader

pytestmark = pytest.mark.gate
CANCELLED = "How many departures were cancelled, and why?"
_RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter((v) => ['serious', 'critical'].includes(v.impact))
  .map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`)"""


def serious(reader: Reader) -> list[str]:
    """What axe-core finds wrong with the page as it is now."""
    if not AXE.is_file():
        missing(f"needs axe-core: make browser ({AXE} is not there)")
    reader.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = reader.page.evaluate(_RUN)
    return found


@EVERY_WIDTH
def test_asking_is_open_to_everybody(visit: Open, scheme: str, width: int) -> None:
    reader = visit(color_scheme=scheme, viewport={"width": width, "height": 900})
    assert serious(reader) == []
    reader.ask(CANCELLED)
    reader.page.get_by_text("How this was found").first.click()
    reader.page.locator("#v-more > button").click()
    reader.page.locator("#v-drawer > button").click()
    reader.page.locator(".v-talk summary").click()
    reader.page.locator("#v-current .v-judge").first.click()
    assert serious(reader) == []
    reader.page.locator("#v-review-all").click()
    reader.page.locator(".v-review").wait_for()
    assert serious(reader) == []


@pytest.mark.parametrize("tab", ["Compare", "Collections"])
def test_the_other_tabs_are_too(visit: Open, tab: str) -> None:
    reader = visit()
    reader.page.get_by_role("tab", name=tab).click()
    assert serious(reader) == []
