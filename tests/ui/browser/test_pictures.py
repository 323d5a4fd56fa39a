"""The README's pictures of the page, taken as a reader sees it: `make pictures` puts them into docs/."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_comparing import BRIDGE, compared

WIDE = {"viewport": {"width": 1360, "height": 860}, "device_scale_factor": 1.5, "color_scheme": "light"}


def saved(reader: Reader, name: str, **how: Any) -> None:
    """The page as it is, in 192 colours: a third of the bytes, and no difference seen."""
    shot = Image.open(io.BytesIO(reader.page.screenshot(animations="disabled", **how)))
    shot.convert("RGB").quantize(192).save(SHOTS / name, optimize=True)


def test_asking_is_shown(visit: Open) -> None:
    reader = visit(**WIDE)
    reader.ask("How many departures were cancelled, and why?")
    reader.chips[1].click()
    reader.drawn()
    reader.page.mouse.move(0, 0)
    saved(reader, "ask.png")
    assert reader.sheet.is_visible()


def test_comparing_is_shown(visit: Open) -> None:
    reader = visit(**(WIDE | {"viewport": {"width": 1280, "height": 1080}}))
    compared(reader, BRIDGE)
    column = reader.page.locator(".v-column", has_text="Image-RAG")
    column.locator(".v-sentence .v-cite").first.click()
    reader.drawn()
    reader.page.mouse.move(0, 0)
    reader.page.evaluate("scrollTo(0, 0)")
    saved(reader, "compare.png", scale="css")
    assert column.locator(".v-cite.v-on").count() == 1
