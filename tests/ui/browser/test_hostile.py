"""What documents, files and models bring along never runs: scripts, handlers, templates, links, in names, titles, text,
headings, reasons and answers; in none of the tabs.
"""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from indexing import Collection, build_index
from tests.support.scripts import refuses, says
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open, Write
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_comparing import compared
from tests.ui.browser.test_written import QUESTION, reply
from tests.ui.forked import Served
from tests.ui.served_page import serving

pytestmark = pytest.mark.gate
PAYLOADS = (
    "<script>window.pwned=1</script>", "<img src=x onerror=window.pwned=1>", "<svg onload=window.pwned=1>",
    '"><b onmouseover=window.pwned=1 autofocus onfocus=window.pwned=1>x', "' onclick='window.pwned=1",
    "[click](javascript:window.pwned=1)", "javascript:window.pwned=1",
    "${window.pwned=1}{{constructor.constructor('window.pwned=1')()}}",
    "</textarea></style></title><iframe srcdoc='<script>parent.pwned=1</script>'>",
)  # fmt: skip
_HANDLERS = """() => [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])
  .filter((a) => a.name.startsWith('on') || /^\\s*javascript:/i.test(a.value)).map((a) => `${a.name}=${a.value}`)"""


def hostile_home(home: Path, folder: Path) -> Path:
    """Make a collection `hostile` of documents, left in a folder, whose names, titles, headings and text are payloads.

    Return its home.
    """
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
    return home


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The page over these documents."""
    home = hostile_home(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("papers"))
    with serving(tmp_path_factory.mktemp("served"), home, collection="hostile") as served:
        yield served


def untouched(reader: Reader) -> None:
    """Nothing ran, and nothing stands there that would."""
    assert reader.page.evaluate("window.pwned") is None
    assert reader.page.evaluate(_HANDLERS) == []
    assert reader.page.locator("iframe").count() == 0


def test_nothing_of_a_document_ever_runs(visit: Open, hostile: Served) -> None:
    reader = visit(hostile.address)
    for question in ("How many cranes has the harbour?", f"Which harbour has cranes? {PAYLOADS[1]}"):
        reader.ask(question)
        for chip in reader.chips:
            chip.click()
            chip.hover()
        for mark in reader.page.locator("#v-current .v-mark").all():
            mark.hover()
        for summary in reader.page.locator("#v-current .v-found summary").all():
            summary.click()
    reader.page.locator("#v-more > button").click()
    documents = reader.page.locator("#v-documents input").first
    documents.click()
    reader.page.screenshot(path=SHOTS / "hostile.png", full_page=True)
    options = reader.page.get_by_role("option")
    options.first.wait_for()
    assert options.count() == len(PAYLOADS)
    options.nth(1).click()
    untouched(reader)
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
    assert "cranes" in page.locator("body").inner_text()
    assert page.evaluate("window.pwned") is None
    assert page.evaluate(_HANDLERS) == []


def test_nothing_runs_where_answers_are_compared(visit: Open, hostile: Served) -> None:
    reader = visit(hostile.address)
    compared(reader, f"How many cranes has the harbour? {PAYLOADS[1]}")
    for chip in reader.page.locator(".v-column .v-sentence .v-cite").all():
        chip.click()
        chip.hover()
    assert reader.page.locator(".v-column .v-sentence").count() >= 1
    untouched(reader)


def test_nothing_runs_where_documents_are_looked_at_and_removed(visit: Open, hostile: Served) -> None:
    reader = visit(hostile.address)
    page = reader.page
    page.get_by_role("tab", name="Collections").click()
    rows = page.locator(".v-documents [data-act=look]")
    rows.first.wait_for()
    assert rows.count() == len(PAYLOADS)
    for number in range(len(PAYLOADS)):
        name = rows.nth(number).inner_text()
        rows.nth(number).click()
        page.locator(".v-browser-name", has_text=name).wait_for()
        for piece in page.locator("button.v-piece:visible").all():  # groups are hidden until they are asked for
            piece.click()
        untouched(reader)
    page.locator(".v-documents tr", has_text=PAYLOADS[1]).locator("[data-act=remove]").click()
    page.locator(".v-confirm", has_text=PAYLOADS[1]).wait_for()
    untouched(reader)
    page.get_by_role("button", name="Keep").click()


def test_nothing_of_a_file_that_is_refused_runs(visit: Open, hostile: Served, tmp_path: Path) -> None:
    broken = tmp_path / f"{PAYLOADS[0].replace('/', chr(0x2215))}.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    archive = tmp_path / f"{PAYLOADS[1]}.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for payload in PAYLOADS:
            made.writestr(f"../{payload}", "x")
    reader = visit(hostile.address)
    page = reader.page
    page.get_by_role("tab", name="Collections").click()
    page.locator("#v-into input, #v-into textarea").fill(PAYLOADS[1])
    page.get_by_text("They go to").wait_for()
    assert re.fullmatch(r"They go to [\w.-]+\.", page.locator("#v-aim").inner_text())
    page.locator("#v-files input[type=file]").set_input_files([str(archive), str(broken)])
    page.locator(".v-file").nth(1).wait_for()
    page.wait_for_function("!document.querySelector('.v-queue [data-act=stop-all]')")
    page.screenshot(path=SHOTS / "hostile queue.png", full_page=True)
    text = page.locator(".v-queue").inner_text()
    assert "window.pwned=1" in text
    untouched(reader)


def test_a_hostile_answer_is_read_not_run(visit: Open, write: Write) -> None:
    halves = PAYLOADS[:5], PAYLOADS[5:]
    _, served = write(*(says(reply(*(f"The sign says {payload}" for payload in half))) for half in halves))
    reader = visit(served.address)
    for half in halves:
        reader.ask(QUESTION)
        said = reader.page.locator("#v-current .v-answer").inner_text()
        assert [payload for payload in half if payload not in said] == []
        untouched(reader)


def test_nothing_of_a_refusal_runs(visit: Open, write: Write) -> None:
    _, served = write(refuses(400, " ".join(PAYLOADS[:3])))
    reader = visit(served.address)
    reader.page.locator("#v-question textarea").fill(QUESTION)
    reader.page.locator("#v-question .submit-button").click()
    error = reader.page.locator("#v-current .v-error")
    error.wait_for()
    assert PAYLOADS[0] in error.inner_text()
    untouched(reader)
