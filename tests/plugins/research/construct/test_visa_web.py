"""VISA data out of web pages: a passage on the first screen, one beyond it, and what is no passage."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from evaluation.tasks.registry import TASKS
from indexing import Collection, IndexingSettings, build_index
from plugins.formats.web import chromium_of
from plugins.research.construct import visa
from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.tools import missing

MILL = "The mill at Harrow grinds nine sacks of barley every day, and its keeper is called Agnes Tull since the war."
VAULT = "The vault under the town hall holds forty barrels of cider, which were bought in the year 1844 from Merrow."
ROWS = "".join(f"<tr><td>Quarter {n} of the year<td>{n} wagons of hay" for n in range(1, 5))
PAGES = {
    "mill.html": f"<!doctype html><title>Mill</title><p>{MILL}</p>",
    "vault.html": f"<!doctype html><title>Vault</title><h1>Vault</h1><div style='height:1500px'></div><p>{VAULT}</p>",
    "hay.html": f"<!doctype html><title>Hay</title><table><tr><th>Quarter<th>Hay{ROWS}</table>",
}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Three web pages, indexed from files."""
    if not chromium_of(IndexingSettings()) or find_spec("playwright") is None:
        missing("needs Chromium and Playwright: apt-get install chromium; pip install -e '.[web]'")
    folder = tmp_path_factory.mktemp("web")
    for name, page in PAGES.items():
        (folder / name).write_text(page, encoding="utf-8")
    made = Collection.create("town", folder / "home", IndexingSettings(workers=1, visual="none"))
    report = build_index(made, [folder / name for name in PAGES])
    assert [file.status for file in report.files] == ["indexed"] * 3
    return made


def asks(asked: Asked) -> Script:
    """A model that asks for a number in what it is shown."""
    number = next(word for word in ("nine", "forty", "4") if word in asked.text)
    return says({"question": f"How many of {number} are there?", "answer": number})


@pytest.mark.slow
def test_visa_data_is_made_of_web_pages(town: Collection, tmp_path: Path, serve: Callable[..., ScriptedServer]) -> None:
    model = ServedModel(ModelSettings(base_url=serve(asks).url, name="writer"))
    made = visa.construct(town, model, tmp_path, visa.Recipe(count=3, candidates=2, without_answer=0.0, cropped=0.0))
    assert {(row["short_answer"], row["kind"]) for row in made.rows} == {
        ("nine", "passage"), ("forty", "beyond first page"), ("4", "non-passage")}  # fmt: skip
    gold = TASKS["visa"].load(tmp_path, None, tmp_path, None)
    assert (gold.problems, len(gold.questions)) == ((), 3)
    for row in made.rows:
        doc_id, number = row["source"]["document"], row["source"]["page"]
        element = next(e for e in town.page_elements(doc_id, number) if e.id == row["source"]["element"])
        drawn = town.draw_page(doc_id, number, 1000)
        assert row["bbox"] == pytest.approx(element.bbox.to_page(*drawn.size), abs=1)
