"""A document that is locked at rest is opened on the page by its password, which is kept nowhere in the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import BBox, Collection, IndexingSettings, build_index
from tests.support import documents
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.reader import Reader
from tests.ui.forked import Served
from tests.ui.served_page import serving

SECRET = "open sesame"
QUESTION = "What does the vault under the mill hold?"
SCREENS = (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390))
_SHOWN = """() => [...document.querySelectorAll('.v-browser img, .v-page:not([hidden]) .v-sheet > img, .v-thumb img')]
  .every((img) => img.complete && img.naturalWidth)"""
_WORDS_WITHIN = """(note, place) => {
  const words = document.createRange();
  words.selectNodeContents(note);
  const [inner, outer] = [words, note.closest(place)].map((one) => one.getBoundingClientRect());
  return inner.height > 20 && inner.top >= outer.top && inner.bottom <= outer.bottom
    && inner.left >= outer.left && inner.right <= outer.right;
}"""
_HOLD = """(secret) => document.documentElement.outerHTML.includes(secret)
  || [...document.querySelectorAll('input, textarea')].some((field) => field.value.includes(secret))
  || Object.values({...localStorage, ...sessionStorage}).some((kept) => kept.includes(secret))"""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a document that was indexed by its password, in a run that has ended."""
    home, settings = tmp_path_factory.mktemp("vault"), IndexingSettings(workers=1)
    locked = documents.encrypted(tmp_path_factory.mktemp("papers") / "vault.pdf", SECRET)
    with Collection.create("papers", home, settings) as made:
        assert build_index(made, [locked], settings=settings, password=SECRET).exit_code == 0
    return home


@pytest.fixture
def locked(vault: Path, tmp_path: Path) -> Iterator[Served]:
    """The page over it, which does not know the password."""
    with serving(tmp_path, vault, collection="papers") as page:
        yield page


def unlock(reader: Reader, secret: str, says: str) -> None:
    """Give a password, and wait for what is said of it."""
    reader.page.get_by_label("Password, if locked").fill(secret)
    reader.page.get_by_role("button", name="Unlock").click()
    reader.page.locator("#v-said", has_text=says).wait_for()
    assert not reader.page.evaluate(_HOLD, secret)


def looked_at(reader: Reader, scheme: str, width: int) -> None:
    """The page says under both tabs that it is locked, where it can be read, and nothing sticks out."""
    reader.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # it is one of two words
    for tab, place in (("Ask", ".v-page:not([hidden]) .v-scroll"), ("Collections", ".v-browser .v-sheet")):
        reader.page.set_viewport_size({"width": 1280, "height": 900})  # a narrow page has the last tabs in a menu
        reader.page.get_by_role("tab", name=tab).click()
        reader.page.set_viewport_size({"width": width, "height": 900})
        note = reader.page.locator(f"{place} .v-gone")
        for look in ("crop", "page") if tab == "Ask" else ("page",):
            if tab == "Ask":
                reader.page.locator(f".v-looks [data-look={look}]").click()
            note.scroll_into_view_if_needed()
            assert "vault.pdf is locked" in note.inner_text()
            assert note.evaluate(_WORDS_WITHIN, place), f"not all of it is to be seen: {tab}, {look}"
            reader.page.screenshot(path=SHOTS / f"locked {tab} {look} {scheme} {width}.png", full_page=True)
        assert reader.page.evaluate("document.documentElement.scrollWidth") == width
    field, button = (reader.page.locator(f"#v-password {part}").bounding_box() for part in ("input", ".submit-button"))
    assert field is not None
    assert button is not None
    assert field["width"] >= 120
    assert abs(field["y"] + field["height"] / 2 - button["y"] - button["height"] / 2) < 5, "they stand in a line"


def test_a_locked_document_is_opened_by_its_password_and_its_box_is_shown(visit: Open, locked: Served) -> None:
    reader = visit(locked.address)
    reader.ask(QUESTION, drawn=False)
    reader.page.locator("#v-evidence .v-gone").wait_for()
    reader.page.get_by_role("tab", name="Collections").click()
    reader.page.locator(".v-documents [data-act=look]").click()
    reader.page.locator(".v-browser .v-gone").wait_for()
    for scheme, width in SCREENS:
        looked_at(reader, scheme, width)
    unlock(reader, "a wrong one", "That password opens none of the locked documents of papers.")
    assert reader.page.locator(".v-browser .v-gone").is_visible()
    unlock(reader, SECRET, "Unlocked until Vouch is stopped: vault.pdf.")
    reader.page.locator(".v-browser .v-gone").wait_for(state="detached")
    reader.page.get_by_role("tab", name="Ask").click()
    reader.page.locator("#v-evidence .v-gone").wait_for(state="detached")
    reader.page.wait_for_function(_SHOWN)
    reader.page.locator(".v-looks [data-look=page]").click()
    reader.drawn()
    around = BBox.union([box for boxes in reader.rects(1).values() for box in boxes])
    seen = reader.tinted(1)
    assert seen is not None
    assert seen.iou(around) > 0.8
    reader.problems[:] = [said for said in reader.problems if "423" not in said]  # the browser tells of each refusal
