"""The command line: help, bad arguments, and one whole way through it."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from evaluation.cli import options as eval_options
from indexing import DocumentMissing
from rag.settings import shipped_profiles
from ui.cli import parser as cli
from ui.cli.command_list import every_command
from ui.cli.parser import build_parser

ROOT = Path(__file__).resolve().parents[3]
TEXT = (
    "The lighthouse at Cape Verity was built in 1887 by Anna Holm.",
    "Its lamp is visible from 31 kilometres on a clear night.",
    "The keeper's house became a small museum in 1974.",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with one PDF, indexed into the collection `lights`."""
    folder = tmp_path_factory.mktemp("library")
    write_pdf(folder / "lighthouse.pdf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_HOME", str(folder / "home"))
        assert cli.main(["index", str(folder / "lighthouse.pdf"), "--collection", "lights", "--workers", "1"]) == 0
        yield folder


def write_pdf(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=420, height=595)
    page.insert_text((50, 70), "Lighthouses of the north", fontsize=18)
    for i, line in enumerate(TEXT):
        page.insert_text((50, 120 + 60 * i), line, fontsize=11)
    document.save(path)
    document.close()


def test_help_is_quick_and_teaches() -> None:
    took = []
    for _ in range(3):
        start = time.perf_counter()
        run = subprocess.run([sys.executable, "-m", "ui.cli", "--help"], cwd=ROOT, capture_output=True, check=False)
        took.append(time.perf_counter() - start)
        assert run.returncode == 0
        assert b"vouch ask" in run.stdout
    crowded = os.getloadavg()[0] > 2 * (os.cpu_count() or 1)  # then a process may wait that long to begin
    assert min(took) < (1.5 if crowded else 0.3)


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "  "], ["search", "  "], ["index"], ["index", "a", "--ocr", "maybe"],
        ["index", "a", "--workers", "-1"], ["remove", "-c", "x"], ["remove", "-c", "x", "a", "--all"],
        ["serve", "--port", "70000"], ["ask", "why?", "--top-k=0"], ["search", "why?", "--queries=x"], ["nonsense"],
    ],
)  # fmt: skip
def test_bad_arguments_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_no_command_prints_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    assert "examples:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [["ask", "why?"], ["search", "why?"], ["list"], ["stats"], ["compact"], ["remove", "x"]]
)
def test_a_missing_collection_is_one_line(home: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    assert cli.main([*command, "--collection", "nowhere"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("vouch: ")
    assert said.err.count("\n") == 1
    assert "nowhere" in said.err
    assert not (home / "nowhere").exists()


def test_an_error_with_hostile_text_is_safe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ui.cli import commands

    def fail(_: object) -> int:
        raise DocumentMissing("no document \x1b[2J\u202ex")

    monkeypatch.setattr(commands, "stats", fail)
    assert cli.main(["stats"]) == 2
    assert capsys.readouterr().err == "vouch: no document x\n"


def test_ctrl_c_exits_with_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from ui.cli import commands

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "stats", interrupted)
    assert cli.main(["stats"]) == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.gate
@pytest.mark.slow
def test_ask_prints_and_draws_the_source(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert library
    question = "Who built the lighthouse at Cape Verity?"
    assert cli.main(["ask", question, "-c", "lights", "--overlay", str(tmp_path / "pages")]) == 0
    out = capsys.readouterr().out
    assert "Anna Holm. [1]" in out
    assert "[1] lighthouse.pdf, page 1, paragraph" in out
    (path,) = (tmp_path / "pages").iterdir()
    assert path.name == "1-lighthouse.pdf-p1.png"
    assert str(path) in out
    with Image.open(path) as image:
        x, y = round(200 / 420 * image.width), round(117 / 595 * image.height)  # within the first line
        colours = image.crop((x, y - 20, x + 60, y + 10)).getcolors(10_000) or []
        assert any(g > r for _, (r, g, _) in colours)  # the accent's tint


@pytest.mark.gate
@pytest.mark.slow
def test_index_then_remove_and_delete(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_pdf(tmp_path / "good.pdf")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 cut off")
    arguments = ["index", str(tmp_path / "good.pdf"), str(tmp_path / "bad.pdf"), "--workers", "1", "--json"]
    assert cli.main(arguments) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["exit_code"] == 1
    assert {f["name"]: f["status"] for f in report["files"]} == {"good.pdf": "indexed", "bad.pdf": "failed"}
    assert cli.main(arguments[:-1]) == 1
    said = capsys.readouterr()
    assert "skipped" in said.out
    assert "bad.pdf" in said.out
    assert cli.main(["remove", "good.pdf", "gone.pdf", "-c", "default"]) == 2
    said = capsys.readouterr()
    assert said.out == "Removed good.pdf (1 page).\n"
    assert "gone.pdf" in said.err
    assert cli.main(["compact"]) == 0
    capsys.readouterr()
    assert cli.main(["list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ["default"]
    assert cli.main(["list", "-c", "default", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert cli.main(["stats", "-c", "default", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 0
    assert cli.main(["remove", "--all", "-c", "default"]) == 0
    assert not (home / "default").exists()


def commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and all of its sub-commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from commands(below)


ALL = {parser.prog: parser for parser in (*commands(build_parser()), *commands(eval_options()))}


def examples(parser: argparse.ArgumentParser) -> list[list[str]]:
    """The words of each line of the help that begins with `vouch`, without the remark behind it."""
    lines = re.findall(r"^  (vouch .*)$", parser.epilog or "", re.MULTILINE)
    return [shlex.split(re.split(r" {2,}| \| ", line)[0]) for line in lines]


@pytest.mark.parametrize("command", [prog for prog, parser in ALL.items() if parser.epilog])
def test_every_example_can_be_typed(command: str) -> None:
    found = examples(ALL[command])
    assert found
    for _, *words in found:
        assert eval_options().parse_args(words[1:]) if words[0] == "eval" else build_parser().parse_args(words)


@pytest.mark.parametrize("command", [f"vouch {c.name}" for c in every_command() if c.name != "eval"])
def test_every_command_has_examples(command: str) -> None:
    found = examples(ALL[command])
    assert found
    assert {words[1] for words in found} == {command.split()[1]}


@pytest.mark.parametrize("command", ALL)
def test_every_profile_that_a_help_names_is_there_or_a_file_of_ones_own(command: str) -> None:
    named = re.findall(r"--(?:profile|judge|identify)[ =](\S+)", ALL[command].format_help().partition("examples:")[2])
    assert [name for name in named if not name.endswith(".yaml") and name not in shipped_profiles()] == []
