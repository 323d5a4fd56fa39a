"""`vouch check`: what a collection proves of a text that somebody else wrote."""

import io
import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from indexing.embed.minilm import MiniLM
from plugins.audit.manuscripts import MOST_BYTES
from rag import Checked, Event, Pipeline
from tests.support import documents, fakes
from tests.support.word_files import word_report
from ui.cli import parser as cli

LIT, WRONG = (f"The lighthouse of Holm was first lit in {year} by its keeper." for year in (1887, 1899))


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Path]:
    """A home with a collection `lights`."""
    home = tmp_path_factory.mktemp("library")
    fakes.index(fakes.collection(home, embedder, "lights"), {"light.pdf": [[LIT, "Its keeper was Ada Holm."]]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_HOME", str(home))
        yield home


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report with a heading, a true, a false and an open statement."""
    path = tmp_path / "report.md"
    path.write_text(f"# Lights\n\n{LIT} {WRONG}\n\n- Penguins \x1b[31mwon the olympiad.\n", encoding="utf-8")
    return path


def test_each_statement_has_its_mark_and_its_source(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(report), "--collection", "lights"]) == 0
    out = capsys.readouterr().out
    assert f"{LIT} [1] \u2713" in out
    assert "[1] light.pdf, page 1" in out
    wrong = next(line for line in out.splitlines() if line.startswith(WRONG))
    assert "\u2713" not in wrong
    assert "[1]" not in wrong
    assert "Lights -" in out
    assert "1 not confirmed" in out
    assert "\x1b[31m" not in out


def test_json_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"In 1887. {LIT}".encode())))
    assert cli.main(["check", "-", "--question", "When was the lighthouse lit?", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["question"] == "When was the lighthouse lit?"
    assert [s["verdict"] for s in told["sentences"]] == ["confirmed", "confirmed"]
    assert told["sentences"][1]["citations"][0]["boxes"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "odd.txt: cannot be read (No such file or directory)"), (b"\xff\xfe\x00", "neither UTF-8 text nor"),
        (b"\n \n", "makes no statement that could be checked"), (b"", "is empty, so there is nothing to check"),
        (b"a" * (MOST_BYTES["text"] + 1), "has more than 5 MB"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_told_in_a_line(
    tmp_path: Path, data: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.txt"
    if data is not None:
        path.write_bytes(data)
    assert cli.main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.gate
@pytest.mark.slow
def test_an_annotated_copy_of_a_pdf_and_its_places(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = documents.pdf(tmp_path / "paper.pdf", [LIT, WRONG])
    target = tmp_path / "checked.pdf"
    assert cli.main(["check", str(source), "--annotated", str(target), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["form"] == "pages"
    assert told["annotated"] == str(target)
    first = told["sentences"][0]
    assert (first["verdict"], first["place"]["places"][0]["page"]) == ("confirmed", 1)
    assert first["place"]["places"][0]["boxes"]
    with pymupdf.open(target) as document:
        assert len(list(document[0].annots())) == 2
    assert cli.main(["check", str(source), "--annotated", str(source)]) == 2
    assert "never changed" in capsys.readouterr().err
    assert cli.main(["check", str(report), "--annotated", str(tmp_path / "r.html")]) == 2
    assert "write this text by --export" in capsys.readouterr().err


def test_a_word_file_and_a_page_come_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    word = word_report(tmp_path / "report.docx").read_bytes()
    for data, form in ((word, "docx"), (f"<html><body><p>{LIT}</p></body></html>".encode(), "html")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        target = tmp_path / f"checked.{form}"
        option = "--annotated" if form == "docx" else "--export"
        assert cli.main(["check", "-", option, str(target), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["form"] == form
        assert target.is_file()


def test_ctrl_c_leaves_what_was_checked_and_says_so(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = Pipeline.stream_check

    def stopped(self: Pipeline, *given: Any, **options: Any) -> Generator[Event]:
        for event in whole(self, *given, **options):
            yield event
            if isinstance(event, Checked) and event.index == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(Pipeline, "stream_check", stopped)
    target = tmp_path / "part.html"
    assert cli.main(["check", str(report), "--export", str(target)]) == 130
    shown = capsys.readouterr()
    assert "Stopped after 2 of 4 statements." in shown.out
    assert "stopped: the results so far are above" in shown.err
    assert (LIT in target.read_text(), "Penguins" in target.read_text()) == (True, False)
