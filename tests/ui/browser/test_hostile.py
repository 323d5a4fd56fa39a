"""What documents bring along never runs: scripts, handlers, templates, links, in names, titles, text and headings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from indexing import Collection, build_index
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.served_page import Served, serving

PAYLOADS = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<svg onload=window.pwned=1>",
    '"><b onmouseover=window.pwned=1 autofocus onfocus=window.pwned=1>x',
    "' onclick='window.pwned=1",
    "[click](javascript:window.pwned=1)",
    "javascript:window.pwned=1",
    "${window.pwned=1}{{constructor.constructor('window.pwned=1')()}}",
    "</textarea></style></title><iframe srcdoc='<script>parent.pwned=1</script>'>",
)
_HANDLERS = """() => [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])
  .filter((a) => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value)).map((a) => `${a.name}=${a.value}`)"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Documents whose names, titles, headings and text are payloads."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("papers")
    for number, payload in enumerate(PAYLOADS, 1):
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((72, 90), payload, fontsize=20)
            page.insert_textbox((72, 120, 520, 300), f"The harbour has {number} cranes. {payload}", fontsize=11)
            document.set_metadata({"title": payload, "author": payload, "subject": payload})
            document.save(folder / f"{number} {payload.replace('/', chr(0x2215))}.pdf")
    made = Collection.create("hostile", home)
    assert build_index(made, [folder], workers=1).exit_code == 0
    made.close()
    with serving(tmp_path_factory.mktemp("served"), home, collection="hostile") as served:
        yield served


def test_nothing_of_a_document_ever_runs(visit: Open, hostile: Served) -> None:
    reader = visit(hostile.address)
    for question in ("How many cranes has the harbour?", f"Which harbour has cranes? {PAYLOADS[1]}"):
        reader.ask(question)
        for chip in reader.chips:
            chip.click()
            chip.hover()
        for mark in reader.page.locator("#v-current .v-mark").all():
            mark.hover()
        reader.page.locator("#v-current .v-found summary").click()
    reader.page.locator("#v-more > button").click()
    documents = reader.page.locator("#v-documents input").first
    documents.click()
    reader.page.screenshot(path=SHOTS / "hostile.png", full_page=True)
    options = reader.page.get_by_role("option")
    options.first.wait_for()
    assert options.count() == len(PAYLOADS)
    options.nth(1).click()
    assert reader.page.evaluate("window.pwned") is None
    assert reader.page.evaluate(_HANDLERS) == []
    assert reader.page.locator("iframe").count() == 0
    text = reader.page.locator("#v-current").inner_text()
    assert any(payload.split("=")[0] in text for payload in PAYLOADS)


def test_an_exported_page_runs_nothing_either(visit: Open, hostile: Served, tmp_path: Path) -> None:
    reader = visit(hostile.address)
    reader.ask("How many cranes has the harbour?")
    turn = reader.page.locator("#v-current .v-turn").get_attribute("data-turn")
    body = reader.context.request.get(f"{hostile.address}/vouch/export/{turn}/html").body()
    (tmp_path / "answer.html").write_bytes(body)
    page = reader.context.new_page()
    page.goto((tmp_path / "answer.html").as_uri())
    assert page.evaluate("window.pwned") is None
    assert page.evaluate(_HANDLERS) == []
