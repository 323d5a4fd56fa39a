"""The Audit tab: a paper comes in, its entries get verdicts, each is boxed on its page beside both values."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plugins.audit.auditing.sources import RecordIndex, index_path
from plugins.audit.references import references_of
from tests.support import documents
from tests.ui.browser.chromium import SHOTS
from tests.ui.browser.conftest import Open
from tests.ui.browser.looks import EVERY_WINDOW
from tests.ui.browser.reader import Reader
from tests.ui.browser.test_access import serious
from tests.ui.forked import Served
from tests.ui.served_page import serving

NAMES = ("Holm", "Falk", "Vasko", "Oren", "Lind", "Marsh")
WORKS = ("mills of the north", "cider in barrels", "ferries of the bay", "letters from a pier", "swifts in towers")
Audit = Callable[..., Reader]


def entries(number: int) -> list[tuple[str, str, int]]:
    """(author, title, year) of so many works that nobody wrote."""
    return [
        (f"A. {NAMES[n % 6]}", f"On the {WORKS[n % 5]} and their {n + 3} quiet keepers", 1960 + n)
        for n in range(number)
    ]


def paper(path: Path, number: int) -> Path:
    """A paper of two pages of text, and a bibliography of so many entries after them."""
    lines = [f"[{n}] {a}. {t}. Journal of Quiet Things, {year}." for n, (a, t, year) in enumerate(entries(number), 1)]
    pages = [["References", *lines[:20]], *(lines[at : at + 21] for at in range(20, len(lines), 21))]
    return documents.pdf(path, ["Keepers have been counted before [1], and after [2]."], *pages, size=(595, 842))


@pytest.fixture(scope="module")
def reading_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A page that knows the first thirty works, one of them by another year."""
    home = tmp_path_factory.mktemp("home") / "home"
    records = tmp_path_factory.mktemp("records") / "known.bib"
    records.write_text(
        "\n".join(
            f"@article{{k{n}, author={{{a}}}, title={{{t}}}, journal={{Journal of Quiet Things}}, "
            f"year={{{year - 9 if n == 1 else year}}}}}"
            for n, (a, t, year) in enumerate(entries(30))
        )
    )
    index = RecordIndex(index_path(home, "quiet"), make=True)
    index.add([records])
    index.close()
    with serving(tmp_path_factory.mktemp("room"), home) as served:
        yield served


@pytest.fixture
def audit(visit: Open, reading_room: Served) -> Audit:
    """`audit(path)` brings a paper, and waits for its verdicts."""

    def brought(path: Path | None = None, **options: object) -> Reader:
        reader = visit(reading_room.address, **options)
        reader.page.get_by_role("tab", name="Audit").click()
        reader.page.wait_for_selector("#v-audit-text textarea")
        if path is not None:
            reader.page.locator("#v-audit-file input[type=file]").set_input_files(str(path))
            reader.page.wait_for_selector("#v-audit-current [data-run]:not([aria-busy])")
        return reader

    return brought


def seen(reader: Reader) -> list[str]:
    """The verdicts of the entries that can be seen."""
    return [str(one.get_attribute("data-kind")) for one in reader.page.locator(".v-entry:visible").all()]


def test_sixty_entries_get_verdicts_and_are_boxed_on_their_pages(audit: Audit, tmp_path: Path) -> None:
    keepers = paper(tmp_path / "keepers.pdf", 60)
    read = references_of(keepers).references
    assert len(read) >= 55
    reader = audit(keepers)
    assert len(seen(reader)) == len(read)
    assert seen(reader)[1] == "is-errors"
    assert set(seen(reader)[30:]) == {"is-unknown"}
    head = reader.page.locator('.v-entry-head[data-entry="2"]')
    head.press("Enter")
    reader.drawn()
    assert head.get_attribute("aria-expanded") == "true"
    more = reader.page.locator(".v-entry-more:visible").inner_text()
    assert "1961" in more
    assert "1952" in more
    assert "quiet" in more
    assert "page 2 of 4" in reader.page.locator(".v-viewer:not([hidden]) .v-title:visible").inner_text()
    assert reader.rects(2)["v-line"]
    reader.page.locator(f'.v-entry-head[data-entry="{len(read)}"]').click()
    reader.drawn()
    assert "page 4 of 4" in reader.page.locator(".v-viewer:not([hidden]) .v-title:visible").inner_text()
    reader.page.screenshot(path=SHOTS / "audit.png")
    reader.page.locator('[data-only="is-errors"]').click()
    assert seen(reader) == ["is-errors"]
    reader.page.locator('#v-audit-current [data-only=""]').click()
    assert len(seen(reader)) == len(read)


@EVERY_WINDOW
def test_anybody_can_use_it(audit: Audit, tmp_path: Path, look: str, size: dict[str, object]) -> None:
    reader = audit(color_scheme=look, **size)
    assert serious(reader) == []
    reader = audit(paper(tmp_path / "keepers.pdf", 6), color_scheme=look, **size)
    reader.page.locator('.v-entry-head[data-entry="2"]').click()
    reader.drawn()
    assert serious(reader) == []
    assert not reader.page.evaluate("document.documentElement.scrollWidth > innerWidth")
    reader.page.screenshot(path=SHOTS / f"audit-{look}-{'phone' if size else 'wide'}.png")
