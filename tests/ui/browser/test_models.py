"""The Models tab: from "Vouch quotes" to a written answer, without a restart, and who may do it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.rag.llm.discovery.test_inquiry import honest
from tests.support import documents, fakes
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.writers import said
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WINDOW
from tests.ui.browser.test_access import serious
from tests.ui.forked import Served
from tests.ui.real_collection import LINES, shelve
from tests.ui.served_page import serving

WRITTEN = "The orchard was planted long ago."


def writes(request: Asked) -> Script:
    if "ferry" in request.text:
        return says("At eleven.")
    if "hello" in request.text or "What is this?" in request.text:
        return honest(request)
    return says(said((WRITTEN, ["E1"])))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(writes) as started:
        yield started


@pytest.fixture
def page_server(tmp_path: Path, embedder: MiniLM) -> Iterator[Served]:
    """A page of its own over one document, without a model."""
    shelve(fakes.collection(tmp_path / "home", embedder, "apples"), documents.pdf(tmp_path / "apples.pdf", LINES))
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        yield page


@EVERY_WINDOW
def test_an_address_is_tried_on_the_page_and_writes_the_next_answer(
    visit: Open, server: ScriptedServer, look: str, size: dict[str, object]
) -> None:
    reader = visit(color_scheme=look, **size)
    page = reader.page
    page.get_by_text("No language model is connected, so Vouch quotes").first.wait_for()
    page.get_by_role("button", name="Choose a model that writes").click()
    page.locator("#v-model-name label").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "estimated" in page.locator("#v-model-name label").first.inner_text()
    assert serious(reader) == []
    page.locator("#v-model-address input, #v-model-address textarea").fill(server.url)
    page.screenshot(path=SHOTS / f"models-{look}.png", full_page=True)
    assert server.asked == [], "nothing is contacted before it is asked for"
    page.locator("#v-model-connect").click()
    page.locator("#v-model-progress [data-choice=done]").wait_for()
    assert "scripted at" in page.locator("#v-model-progress .v-lead").inner_text()
    page.screenshot(path=SHOTS / f"models-used-{look}.png", full_page=True)
    assert page.get_by_role("link", name="Ask a question").get_attribute("href") == "", "the page is loaded anew"
    page.get_by_role("tab", name="Compare").click()
    page.locator("#v-compare-options").wait_for()
    page.screenshot(path=SHOTS / f"models-compared-{look}.png", full_page=True)
    page.locator("#v-compare-options").get_by_label("Ways to answer").check()
    page.locator("#v-compare-question textarea").fill("What was planted?")
    page.locator("#v-compare-question .submit-button").click()
    page.locator(".v-column", has_text=WRITTEN).first.wait_for()
    page.reload()
    page.locator("#v-method").wait_for()
    page.locator("#v-question textarea").fill("What was planted?")
    page.locator("#v-question .submit-button").click()
    page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    assert WRITTEN in page.locator("#v-current .v-turn").inner_text()
