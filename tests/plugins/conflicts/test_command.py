"""`vouch conflicts`: its lines, its JSON, its page, and how it ends."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from indexing import Collection, DocumentMissing
from plugins.conflicts import command
from rag import NoModel
from tests.plugins.conflicts.conftest import REPORT, SLIDES
from tests.support import documents, fakes
from tests.support.commands import Commands
from tests.ui.markup import read
from ui.errors import ExportError

if TYPE_CHECKING:
    from configs import CommandParser

EITHER = ("report-2023.pdf says 41%, slides.pdf 39%", "slides.pdf says 39%, report-2023.pdf 41%")


def parsed(*words: str) -> argparse.Namespace:
    parser: CommandParser = argparse.ArgumentParser()  # type: ignore[assignment]  # it has all that is used here
    command.add_options(parser)
    return parser.parse_args(words)


@pytest.fixture(autouse=True)
def here(town: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Collection, "open", lambda *_, **__: town)


def test_lines_name_the_values_and_quote_the_places(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(parsed("-c", "town")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "town: 1 disagreement"
    assert lines[2].removeprefix("1. ") in EITHER
    assert {f"   41%  report-2023.pdf, page 1: {REPORT}", f"   39%  slides.pdf, page 1: {SLIDES}"} == set(lines[3:])


def test_json_has_the_places_with_their_boxes(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(parsed("-c", "town", "--format", "json")) == 0
    ((text, sides),) = [(one["text"], one["sides"]) for one in json.loads(capsys.readouterr().out)]
    assert text in EITHER
    assert {side["value"] for side in sides} == {"41%", "39%"}
    assert all(len(place["boxes"]) == 1 and place["page"] == 1 for side in sides for place in side["places"])


def test_only_the_named_documents_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run(parsed("-c", "town", "--documents", "slides.pdf", "notes.pdf")) == 0
    assert capsys.readouterr().out == "town: no disagreement was found.\n"
    with pytest.raises(DocumentMissing, match=r"no document 'slide.pdf'"):
        command.run(parsed("-c", "town", "--documents", "slide.pdf"))


def test_a_file_that_is_not_ours_is_not_written_over(tmp_path: Path) -> None:
    own, other = tmp_path / "own.html", tmp_path / "other.html"
    other.write_text("mine")
    with pytest.raises(ExportError, match="not an export of Vouch"):
        command.run(parsed("-c", "town", "--format", "html", "--out", str(other)))
    for _ in range(2):
        assert command.run(parsed("-c", "town", "--format", "html", "--out", str(own))) == 0
    assert other.read_text() == "mine"
    assert any(text in read(own.read_text()).text for text in EITHER)


def test_text_of_documents_stays_text(
    town: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = "<img src=x onerror=alert(1)> \x1b[31m{{ 7*7 }} \u202e"
    monkeypatch.undo()
    own = fakes.collection(tmp_path / "home", vars(town)["_embedder"], "hostile")
    fakes.index(
        own, {f"{hostile}{'ab'[n > 24]}.pdf": [[f"The {hostile} ferry Aurora has {n} cabins."]] for n in (24, 42)}
    )
    monkeypatch.setattr(Collection, "open", lambda *_, **__: own)
    for form in ("text", "json"):
        command.run(parsed("--format", form))
        out = capsys.readouterr().out
        assert "24" in out
        assert not {"\x1b", "\u202e"} & set(out)
    command.run(parsed("--format", "html", "--out", str(tmp_path / "x.html")))
    page = read((tmp_path / "x.html").read_text())
    assert re.search(r"The <img src=x onerror=alert\(1\)> .{0,4}\{\{ 7\*7 \}\}\s+ferry Aurora has 24 cabins", page.text)
    assert page.tags.isdisjoint({"img", "script"})
    assert page.values("onerror") == []


def test_ctrl_c_lists_what_was_read(
    town: Collection, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopped(list[Any]):
        """The elements of a document at which somebody presses Ctrl-C."""

        def __iter__(self) -> Any:
            raise KeyboardInterrupt

    own, last = town.elements_on, town.document("notes.pdf").id

    def elements_on(pages: Sequence[tuple[str, int]]) -> Any:
        return Stopped() if pages[0][0] == last else own(pages)

    monkeypatch.setattr(town, "elements_on", elements_on)
    assert command.run(parsed("--documents", "slides.pdf", "report-2023.pdf", "notes.pdf")) == command.STOPPED
    out, err = capsys.readouterr()
    assert out.startswith("town: 1 disagreement")
    assert "stopped: what was read until then was compared" in err


def test_confirming_needs_a_model() -> None:
    with pytest.raises(NoModel, match="settings name none"):
        command.run(parsed("-c", "town", "--confirm"))


@pytest.mark.slow
@pytest.mark.gate
def test_the_command_and_an_answer_in_processes_of_their_own(tmp_path: Path) -> None:
    for name, line in (("report-2023", REPORT), ("slides", SLIDES)):
        documents.pdf(tmp_path / f"{name}.pdf", [line])
    vouch = Commands({"VOUCH_HOME": str(tmp_path / "home")})
    vouch("index", str(tmp_path / "report-2023.pdf"), str(tmp_path / "slides.pdf"), "--pixels", "images")
    vouch("conflicts", "--format", "html", "--out", str(tmp_path / "out.html"))
    page = (tmp_path / "out.html").read_text()
    assert page.count('src="data:image/png;base64,iVBOR') == 2
    answer = json.loads(vouch("ask", "What share of household waste was recycled in 2023?", "--json"))
    (remark,) = [s for s in answer["sentences"] if s["heading"]]
    assert remark["text"].removesuffix(".") in EITHER
    assert [c["role"] for c in remark["citations"]] == ["proves", "proves"]
