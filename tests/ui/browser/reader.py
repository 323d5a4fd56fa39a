"""A person in front of the page: asks, clicks, looks. What it returns is what stands on the screen."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from indexing import BBox

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Locator

_RECTS = """(group) => {
  const sheet = group.closest('.v-sheet').getBoundingClientRect();
  return [...group.querySelectorAll('rect')].map((rect) => {
    const r = rect.getBoundingClientRect();
    return [rect.classList[0], (r.left - sheet.left) / sheet.width, (r.top - sheet.top) / sheet.height,
            (r.right - sheet.left) / sheet.width, (r.bottom - sheet.top) / sheet.height];
  });
}"""
_DRAWN = """() => [...document.querySelectorAll('.v-viewer:not([hidden]) .v-page:not([hidden]) .v-sheet > img')].every(
  (img) => img.complete && img.naturalWidth)"""


_CUT_OFF = ("console: AbortError: signal is aborted", "console: Unexpected error Connection errored out.")
PATIENCE = 90_000
"""Milliseconds: the first question loads models, and a machine may be busy."""


def _complaint(message: ConsoleMessage) -> str:
    """Return an error of the console, with the address of what did not load."""
    place = message.location.get("url", "") if "Failed to load resource" in message.text else ""
    return f"console: {message.text} {place}".rstrip()


class Reader:
    """One visitor; `problems` are the errors of the page's scripts and the requests that failed or left the machine."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        """Opens the page and waits until it can be used."""
        self.context = context
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.address = address
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        self.page.on("console", lambda m: self.problems.append(_complaint(m)) if m.type == "error" else None)
        self.page.on("request", lambda request: self._check(request.url))
        self.page.goto(address)
        self.arrived()

    def _check(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.problems.append(f"request: {url}")

    def arrived(self) -> None:
        """Wait until the page has been filled."""
        self.page.wait_for_selector("#v-current .v-message, #v-current .v-turn")

    def reload(self) -> None:
        """Reload the page. That requests under way are cut off by this, Gradio says in the console, and is no fault."""
        before = len(self.problems)
        self.page.reload()
        self.problems[before:] = [said for said in self.problems[before:] if not said.startswith(_CUT_OFF)]

    def ask(self, question: str, *, drawn: bool = True) -> None:
        """Ask, and wait for the whole answer and, unless told otherwise, for the image of its page."""
        from playwright.sync_api import TimeoutError as Late

        before = self.page.locator("#v-current .v-turn").get_attribute("data-turn") if self.turns else ""
        self.page.locator("#v-question textarea").fill(question)
        self.page.locator("#v-question .submit-button").click()
        try:
            self.page.wait_for_selector(f'#v-current .v-turn:not([aria-busy]):not([data-turn="{before}"])')
        except Late as late:
            said = self.page.locator("#v-current").inner_html()[:2000]
            raise AssertionError(
                f"no answer to {question!r}; the page has {said!r}; problems: {self.problems}"
            ) from late
        if drawn:
            self.drawn()

    @property
    def turns(self) -> int:
        """Turns on the page."""
        return self.page.locator(".v-turn").count()

    def drawn(self) -> None:
        """Wait until the page that is shown has its image."""
        self.page.wait_for_function(_DRAWN)

    @property
    def chips(self) -> list[Locator]:
        """The numbers in the sentences of the current answer; other places are unfolded."""
        self.page.evaluate("document.querySelectorAll('.v-others').forEach((one) => { one.open = true; })")
        return self.page.locator("#v-current .v-sentence .v-cite").all()

    @property
    def sheet(self) -> Locator:
        """The page that is shown, with its boxes."""
        return self.page.locator(".v-viewer:not([hidden]) .v-page:not([hidden]) .v-sheet")

    def rects(self, number: int) -> dict[str, list[BBox]]:
        """The rectangles of a citation by class, in fractions of the page, as they lie on the screen."""
        found: dict[str, list[BBox]] = {}
        group = self.page.locator(f'.v-viewer:not([hidden]) .v-page:not([hidden]) g[data-cite="{number}"]')
        for name, *sides in group.evaluate(_RECTS):
            box = BBox.from_page(*sides, 1.0, 1.0)
            assert box is not None, f"a box of no size, or off the page: {sides}"
            found.setdefault(name, []).append(box)
        return found

    def tinted(self, number: int) -> BBox | None:
        """The part of the shown page whose pixels the boxes of a citation change, in fractions of the page."""
        style = self.page.add_style_tag(
            content=".v-sheet g, .v-badge { visibility: hidden !important } "
            f'.v-sheet g[data-cite="{number}"].seen {{ visibility: visible !important }}'
        )
        group = self.page.locator(f'.v-viewer:not([hidden]) .v-page:not([hidden]) g[data-cite="{number}"]')
        plain = self._pixels()
        group.evaluate("(g) => g.classList.add('seen')")
        boxed = self._pixels()
        group.evaluate("(g) => g.classList.remove('seen')")
        style.evaluate("(s) => s.remove()")
        rows, columns = np.nonzero(np.abs(boxed - plain).max(axis=2) > 3)
        if not len(rows):
            return None
        height, width = plain.shape[:2]
        return BBox(columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height)

    def _pixels(self) -> Any:
        image = Image.open(io.BytesIO(self.sheet.screenshot(animations="disabled")))
        return np.asarray(image.convert("RGB"), np.int16)
