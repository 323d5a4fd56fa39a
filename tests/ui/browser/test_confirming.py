"""`vouch confirm` in a browser: decisions by mouse and keys, kept over a reload, with the box on its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.ui.forked import Served
from tests.ui.pairs import serving_pairs, write

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_BOX = """(rect) => {
  const page = rect.closest('.v-pair-page').querySelector('img').getBoundingClientRect();
  const r = rect.getBoundingClientRect();
  return [(r.left - page.left) / page.width, (r.top - page.top) / page.height,
          (r.right - page.left) / page.width, (r.bottom - page.top) / page.height];
}"""


@pytest.fixture
def pairs(tmp_path: Path) -> Iterator[Served]:
    """A page over three pairs."""
    folder = tmp_path / "data"
    folder.mkdir()
    with serving_pairs(write(folder, 3), tmp_path / "log.txt") as served:
        yield served


def opened(browser: Browser, served: Served, **options: object) -> tuple[Page, list[str]]:
    """Open the page as a new visitor; the list gets what it complains of, and requests that leave it."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    page, problems = context.new_page(), list[str]()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    ours = (served.address, "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(ours) else problems.append(asked.url))
    page.goto(served.address)
    page.wait_for_selector(".v-pair")
    return page, problems


def decided(served: Served) -> dict[str, list[str]]:
    """Return the decisions as they are on the disk: each with its part."""
    told = json.loads((served.uploads / "decisions.json").read_text())
    return {key: list(made.values()) for key, made in told.items()}


def at(page: Page, number: int) -> None:
    page.wait_for_selector(f'.v-pair[data-pair="p{number}"]')


def test_a_person_confirms_corrects_and_drops(chromium: Browser, pairs: Served) -> None:
    page, problems = opened(chromium, pairs)
    assert "0 of 3 decided" in page.locator(".v-pair-left").inner_text()
    page.get_by_role("button", name="Confirm").click()
    at(page, 2)
    assert decided(pairs) == {"p1": ["confirmed", "a"]}
    page.locator(".v-choice").nth(2).click()
    assert page.locator(".v-pair-sheet:visible").get_attribute("data-sheet") == "2"
    page.get_by_role("button", name="Correct").click()
    at(page, 3)
    page.reload()
    page.wait_for_selector(".v-pair")
    at(page, 3)
    assert "2 of 3 decided" in page.locator(".v-pair-left").inner_text()
    page.get_by_role("button", name="Drop the question").click()
    at(page, 1)
    assert decided(pairs) == {"p1": ["confirmed", "a"], "p2": ["corrected", "c"], "p3": ["dropped", ""]}
    assert "Confirmed" in page.locator(".v-pair-said").inner_text()
    assert problems == []


def test_the_box_of_the_part_is_where_it_stands_on_its_page(chromium: Browser, pairs: Served) -> None:
    page, _ = opened(chromium, pairs)
    box = page.locator('.v-part[data-on="yes"]').evaluate(_BOX)
    assert box == pytest.approx([0.15, 0.1, 0.85, 0.3], abs=0.005)
    page.locator(".v-part").nth(1).click()
    assert page.locator('.v-part[data-on="yes"]').evaluate(_BOX) == pytest.approx([0.15, 0.4, 0.85, 0.6], abs=0.005)
    assert page.get_by_role("button", name="Correct").is_visible()


def test_other_sites_files_and_uploads_are_refused(pairs: Served) -> None:
    """The border and the guard of `vouch serve` stand around this page, too."""
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert httpx.get(pairs.address, headers=foreign).status_code == 403
    assert httpx.get(pairs.address, headers={"Host": "evil.example"}).status_code == 403
    assert httpx.get(f"{pairs.address}/gradio_api/file={pairs.uploads}/pairs.jsonl").status_code == 403
    found = httpx.get(pairs.address)
    assert "default-src 'self'" in found.headers["content-security-policy"]
