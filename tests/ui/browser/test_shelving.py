"""A newcomer's documents in a browser: what a cold server shows, what is brought, and where its elements stand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexing import Metadata
from indexing.embed.minilm import MiniLM
from samples import DOCUMENTS
from tests.support import documents, fakes
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.reader import Reader
from tests.ui.forked import Served
from tests.ui.real_collection import LINES, shelve
from tests.ui.served_page import serving

Shelve = Callable[..., Reader]
_DRAWN = "(() => { const i = document.querySelector('.v-browser img'); return i.complete && i.naturalWidth; })()"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page over a home of its own, empty at first."""
    home = tmp_path_factory.mktemp("home")
    (home / "papers").mkdir()
    documents.pdf(home / "papers" / "barn.pdf", ["The barn was built in 1901 by Otto Falk."])
    profile, folders = home / "mine.yaml", f"ui: {{folders: ['{home / 'papers'}']}}\n"
    profile.write_text(f"indexing: {{workers: 2}}\nrag: {{min_confidence: 0}}\n{folders}")
    with serving(tmp_path_factory.mktemp("shelf"), home / "home", profile=str(profile)) as page:
        yield page


@pytest.fixture
def open_shelf(visit: Open, shelf: Served) -> Shelve:
    def opened(**options: object) -> Reader:
        reader = visit(shelf.address, **options)
        reader.page.get_by_role("tab", name="Collections").click()
        reader.page.wait_for_selector("#v-into")
        return reader

    return opened


def bring(reader: Reader, collection: str, *files: Path) -> None:
    """Drop files for a collection."""
    reader.page.locator("#v-into input, #v-into textarea").fill(collection)
    reader.page.locator("#v-files input[type=file]").set_input_files([str(f) for f in files])
    for file in files:
        reader.page.locator(".v-file", has_text=file.name).first.wait_for()


def settled(reader: Reader) -> dict[str, str]:
    """The state of every file when all are read."""
    reader.page.wait_for_function(
        "document.querySelector('.v-queue') && !document.querySelector('.v-queue [data-act=stop-all]')", timeout=120_000
    )
    names = reader.page.locator(".v-file .v-name").all_inner_texts()
    return dict(zip(names, reader.page.locator(".v-file-state").all_inner_texts(), strict=True))


def note(reader: Reader, name: str) -> str:
    return str(reader.page.locator(".v-file", has_text=name).locator(".v-file-note").inner_text())


def test_a_newcomer_brings_files_and_asks(open_shelf: Shelve, tmp_path: Path) -> None:
    reader = open_shelf()
    assert "There are no collections yet" in reader.page.locator("#v-holdings").inner_text()
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    scan = documents.scanned(tmp_path / "scan.pdf", ["The lighthouse keeper was Otto Falk, from 1912."])
    bring(reader, "first", documents.pdf(tmp_path / "mill.pdf", LINES), scan, broken)
    reader.page.wait_for_selector(".v-file progress", timeout=60_000)
    reader.page.screenshot(path=SHOTS / "collections reading.png")
    assert settled(reader) == {"mill.pdf": "read", "scan.pdf": "read", "broken.pdf": "not read"}
    assert note(reader, "mill.pdf").startswith("1 page, ")
    assert "damaged" in note(reader, "broken.pdf")
    reader.page.wait_for_selector(".v-holdings [data-act=open][data-id=first]")
    assert reader.page.locator(".v-holdings tbody td").first.inner_text() == "2"
    reader.page.get_by_role("tab", name="Ask").click()
    reader.ask("When was the mill built by Anna Holm?")
    assert "1887" in reader.page.locator("#v-current .v-sentence").first.inner_text()
    reader.ask("Who was the lighthouse keeper from 1912?")
    assert "Falk" in reader.page.locator("#v-current .v-answer").inner_text()


def test_nobody_sees_anothers_files_and_a_reload_keeps_mine(open_shelf: Shelve, tmp_path: Path) -> None:
    mine, yours = open_shelf(), open_shelf()
    bring(mine, "shared", documents.pdf(tmp_path / "shared.pdf", LINES))
    settled(mine)
    for reader in (mine, yours):
        reader.reload()
        reader.page.get_by_role("tab", name="Collections").click()
        reader.page.wait_for_selector(".v-holdings [data-id=shared]")
    assert mine.page.locator(".v-file").count() == 1
    assert yours.page.locator(".v-file").count() == 0


def look(reader: Reader, name: str, number: int = 1) -> None:
    """Open a page of a document of the samples."""
    page = reader.page
    page.get_by_role("tab", name="Collections").click()
    page.locator(".v-documents [data-act=look]", has_text=name).click()
    page.wait_for_selector(".v-browser")
    if number > 1:
        page.locator(".v-browser input[type=number]").fill(str(number))
        page.locator(".v-browser input[type=number]").press("Enter")
        page.wait_for_selector(f".v-browser img[src*='/{number}.webp']")
    page.wait_for_function(_DRAWN)


def test_every_element_of_a_page_has_a_box_where_it_stands(visit: Open) -> None:
    reader = visit()
    look(reader, "sallow-bay-annual-report.pdf", 7)
    assert (DOCUMENTS / "sallow-bay-annual-report.pdf").exists()
    table = reader.page.locator("rect.v-kind-table")
    sheet, box = reader.page.locator(".v-browser .v-sheet").bounding_box(), table.bounding_box()
    assert sheet is not None
    assert box is not None
    shares = [float(str(table.get_attribute(side))) for side in ("x", "y", "width", "height")]
    shown = [(box["x"] - sheet["x"]) / sheet["width"], (box["y"] - sheet["y"]) / sheet["height"],
             box["width"] / sheet["width"], box["height"] / sheet["height"]]  # fmt: skip
    assert shown == pytest.approx(shares, abs=0.01)
    count = reader.page.locator("rect.v-piece-box").count()
    assert count == reader.page.locator("button.v-piece").count() > 5


KNOWN = {
    "barn": Metadata("1901", "Otto Falk", tags=("buildings", "a tag <b>of</b> ours")),
    "mill": Metadata("1887-05", "Anna Holm", tags=("buildings",)),
    "hens": Metadata("2024-05-17", tags=('animals & "eggs"',), missing=True),
}
LINES_OF_CHOOSING_DOCUMENTS = {
    "barn": "The barn was built in 1901 by Otto Falk.",
    "mill": "The mill was built in 1887 by Anna Holm.",
    "hens": "The hens were built a house in 2024.",
}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Served]:
    tmp_path = tmp_path_factory.mktemp("farm")
    collection = fakes.collection(tmp_path / "home", embedder, "farm")
    for name, line in LINES_OF_CHOOSING_DOCUMENTS.items():
        document, _ = shelve(collection, documents.pdf(tmp_path / f"{name}.pdf", [line]))
        with collection.writer() as writer:
            writer.describe(document.id, KNOWN[name])
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        yield page


BARN = ("The barn was built in 1901 by Otto Falk.", "It is the home of owls in summer and of the cows in winter.")


@pytest.fixture
def cold(tmp_path: Path, embedder: MiniLM) -> Iterator[Served]:
    """A server that has just been started, over two collections."""
    for name, lines in (("apples", LINES), ("barns", BARN)):
        shelve(fakes.collection(tmp_path / "home", embedder, name), documents.pdf(tmp_path / f"{name}.pdf", lines))
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        yield page


def test_a_question_about_the_samples_is_asked_with_a_click(visit: Open) -> None:
    reader = visit()
    reader.page.get_by_role("button", name="How many departures were cancelled?").click()
    reader.page.wait_for_selector("#v-current .v-turn:not([aria-busy])")
    assert "1,236" in reader.page.locator("#v-current .v-sentence").first.inner_text()
    assert reader.page.locator(".v-examples").is_hidden()


def test_an_empty_home_leads_to_the_first_documents(visit: Open, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        reader = visit(page.address)
        reader.page.get_by_role("button", name="Add documents").click()
        reader.page.locator("#v-files").wait_for()
        assert reader.page.get_by_role("tab", name="Collections").get_attribute("aria-selected") == "true"
