"""The chips by which documents are chosen: tags, years and kinds, in the light, in the dark and on a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from indexing import Metadata
from indexing.embed.minilm import MiniLM
from tests.support import documents, fakes
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import PHONE
from tests.ui.forked import Served
from tests.ui.real_collection import shelve
from tests.ui.served_page import serving

KNOWN = {
    "barn": Metadata("1901", "Otto Falk", tags=("buildings", "a tag <b>of</b> ours")),
    "mill": Metadata("1887-05", "Anna Holm", tags=("buildings",)),
    "hens": Metadata("2024-05-17", tags=('animals & "eggs"',), missing=True),
}
LINES = {
    "barn": "The barn was built in 1901 by Otto Falk.",
    "mill": "The mill was built in 1887 by Anna Holm.",
    "hens": "The hens were built a house in 2024.",
}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Served]:
    tmp_path = tmp_path_factory.mktemp("farm")
    collection = fakes.collection(tmp_path / "home", embedder, "farm")
    for name, line in LINES.items():
        document, _ = shelve(collection, documents.pdf(tmp_path / f"{name}.pdf", [line]))
        with collection.writer() as writer:
            writer.describe(document.id, KNOWN[name])
    (tmp_path / "served").mkdir()
    with serving(tmp_path / "served", tmp_path / "home") as page:
        yield page


@pytest.mark.parametrize(
    ("look", "options"),
    [("light", {}), pytest.param("dark", {"color_scheme": "dark"}, marks=pytest.mark.thorough), ("phone", PHONE)],
)
def test_chips_choose_the_documents_of_a_question(
    visit: Open, farm: Served, look: str, options: dict[str, object]
) -> None:
    reader = visit(farm.address, **options)
    page = reader.page
    page.get_by_text("In farm: 3 documents").wait_for()
    page.locator("#v-more > button").click()
    chips = page.locator("#v-chips label")
    chips.first.wait_for()
    assert chips.all_inner_texts() == [
        "buildings (2)", 'a tag <b>of</b> ours (1)', 'animals & "eggs" (1)', "2024 (1)", "1901 (1)", "1887 (1)"
    ]  # fmt: skip
    chips.nth(0).click()
    chips.nth(5).click()
    page.wait_for_timeout(400)
    page.screenshot(path=SHOTS / f"chips-{look}.png")
    reader.ask("When was it built?")
    said = page.locator("#v-current .v-how").inner_text()
    assert 'Asked of farm, where (tag="buildings") and (date="1887").' in said
    assert "1887" in page.locator("#v-current .v-sentence").first.inner_text()
    assert "1901" not in page.locator("#v-current").inner_text()
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    chips.nth(2).click()
    chips.nth(0).click()
    reader.ask("When was it built?")
    assert "no document of collection 'farm' matches the filter" in page.locator("#v-current").inner_text()
    assert not reader.problems


def test_what_is_missing_is_told_where_it_is_cited_and_listed(visit: Open, farm: Served) -> None:
    reader = visit(farm.address)
    reader.ask("What were the hens built?")
    assert "hens.pdf: its file is gone from its folder" in reader.page.locator("#v-current").inner_text()
    reader.page.get_by_role("tab", name="Collections").click()
    reader.page.locator(".v-holdings th button").first.click()
    listed = reader.page.locator(".v-documents")
    listed.wait_for()
    assert "its file is missing from its folder" in listed.inner_text()
    reader.page.screenshot(path=SHOTS / "missing.png")
