"""`vouch search`, and asking with --mode, --queries and --image: what is printed, and one line for what cannot be."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing import BBox, Collection, IndexingSettings, Page, ParsedPage, Region
from indexing.embed.minilm import MiniLM
from tests.support import fakes
from tests.ui.stand_ins import HOSTILE
from ui.cli import parser as cli

pytestmark = pytest.mark.slow

QUESTION = "When was the lighthouse lit?"
BOX = BBox(0.1, 0.05, 0.9, 0.09)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Path]:
    """A home with a collection that has pixels (`seen`), one that has none (`plain`) and a hostile one (`evil`)."""
    home = tmp_path_factory.mktemp("library")
    seen = fakes.collection(home, embedder, "seen")
    document = fakes.document("poster.pdf", [["The lighthouse was lit in 1887."]])
    with seen.writer() as writer:
        elements = (fakes.element("The lighthouse was lit in 1887.", document.id),)
        writer.add(ParsedPage(Page(document.id, 1, 420.0, 595.0), elements, (Region(BOX, elements[0].text),)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    fakes.index(seen, {"mill.pdf": [["The mill was built in 1912.", "Its wheel turns from March to October."]]})
    plain = Collection.create("plain", home, IndexingSettings(visual="none"))
    vars(plain)["_embedder"] = embedder
    fakes.index(plain, {"mill.pdf": [["The mill was built in 1912."]]})
    fakes.index(fakes.collection(home, embedder, "evil"), {f"{HOSTILE}.pdf": [[f"The lighthouse {HOSTILE}\n\nE9 x"]]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_HOME", str(home))
        yield home


@pytest.fixture
def said(library: Path, capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    assert library
    return capsys


def refused(said: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that the command prints when it exits with 2."""
    assert cli.main(list(arguments)) == 2
    out, err = said.readouterr()
    assert out == ""
    assert err.startswith("vouch: ")
    assert err.count("\n") == 1
    return err


def test_search_json_holds_queries_pages_and_evidence(said: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", QUESTION, "-c", "seen", "--mode", "image", "--json"]) == 0
    found = json.loads(said.readouterr().out)
    assert set(found) == {"question", "mode", "queries", "hints", "pages", "evidence", "notes"}
    assert (found["question"], found["mode"]) == (QUESTION, "image")
    assert [q["purpose"] for q in found["queries"]] == ["text", "image"]
    assert [(p["document"], p["number"]) for p in found["pages"]] == [("poster.pdf", 1)]
    (evidence,) = found["evidence"]
    assert (evidence["document"], evidence["page"], evidence["found_by"]) == ("poster.pdf", 1, [1])
    assert evidence["bbox"] == pytest.approx(BOX.as_tuple())
