"""The README's pictures, of an answer and of the page as a reader sees it: `make pictures` puts them into docs/."""

import io
from pathlib import Path
from typing import Any

from PIL import Image

from indexing import Collection
from rag import Pipeline
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_comparing import BRIDGE, compared
from ui.show.overlay import overlay_pages

WIDE = {"viewport": {"width": 1360, "height": 860}, "device_scale_factor": 1.5, "color_scheme": "light"}


CANCELLED = "How many departures were cancelled, and why?"
"""What `make demo` asks."""


def saved(image: Image.Image, name: str) -> None:
    """In 192 colours: a third of the bytes, and no difference seen."""
    image.convert("RGB").quantize(192).save(SHOTS / name, optimize=True)


def shot(reader: Reader, name: str, **how: Any) -> None:
    """The page as it is."""
    saved(Image.open(io.BytesIO(reader.page.screenshot(animations="disabled", **how))), name)


def test_an_answer_is_shown_on_its_page(library: Path) -> None:
    """The overlay of the demo without the paper's margins."""
    with Collection.open("samples", library) as samples:
        ((_, _, page),) = overlay_pages(Pipeline(samples).answer(CANCELLED), samples)
    width, height = page.size
    cut = page.crop((round(0.085 * width), round(0.03 * height), round(0.915 * width), round(0.83 * height)))
    SHOTS.mkdir(parents=True, exist_ok=True)
    saved(cut.resize((800, round(800 * cut.height / cut.width)), Image.Resampling.LANCZOS), "answer.png")


def test_asking_is_shown(visit: Open) -> None:
    reader = visit(**WIDE)
    reader.ask(CANCELLED)
    reader.page.locator("#v-current .v-cite").first.click()
    reader.drawn()
    reader.page.mouse.move(0, 0)
    shot(reader, "ask.png")
    assert reader.sheet.is_visible()


def test_comparing_is_shown(visit: Open) -> None:
    reader = visit(**(WIDE | {"viewport": {"width": 1280, "height": 1080}}))
    compared(reader, BRIDGE)
    column = reader.page.locator(".v-column", has=reader.page.get_by_role("heading", name="Images", exact=True))
    column.locator(".v-sentence .v-cite").first.click()
    reader.drawn()
    reader.page.mouse.move(0, 0)
    reader.page.evaluate("scrollTo(0, 0)")
    shot(reader, "compare.png", scale="css")
    assert column.locator(".v-cite.v-on").count() == 1
