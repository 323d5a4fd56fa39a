"""`vouch index`: which settings hold, what it reads, how it asks for a password, and how it is stopped."""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from indexing import Collection, list_collections
from tests.support import documents
from ui.cli import parser as cli

ROOT = Path(__file__).resolve().parents[3]
SCANNED = "The lighthouse was built in 1887."


@pytest.fixture
def profile(tmp_path: Path) -> list[str]:
    """The options of a profile that indexes fast, and does not recognise text in pictures."""
    path = tmp_path / "mine.yaml"
    path.write_text("indexing: {visual: none, workers: 1, ocr: never}")
    return ["--profile", str(path)]


def said(collection: str = "default") -> str:
    """All that the elements of a collection say."""
    made = Collection.open(collection)
    pages = [made.page_elements(d.id, n) for d in made.documents() for n in range(1, d.n_pages + 1)]
    return "\n".join(e.text for page in pages for e in page if e.kind != "group")


@pytest.mark.slow
def test_ocr_is_as_the_profile_says_unless_the_command_says_otherwise(
    home: Path, tmp_path: Path, profile: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    scan = str(documents.scanned(tmp_path / "scan.pdf", [SCANNED]))
    assert home
    assert cli.main(["index", scan, "-c", "never", *profile]) == 0
    assert cli.main(["index", scan, "-c", "auto", *profile, "--ocr", "auto"]) == 0
    assert "Note:" not in capsys.readouterr().out
    assert "lighthouse" not in said("never")
    assert "lighthouse" in said("auto")
    assert cli.main(["index", scan, "-c", "never", *profile, "--ocr", "auto"]) == 0
    assert "Note: documents that were there already stay as they were read: for ocr auto" in capsys.readouterr().out
    assert "lighthouse" not in said("never")


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--workers", "5000", "workers 5000: Input should be less than or equal to 64"),
        ("--token-pooling", "99", "token_pooling 99: Input should be less than or equal to 16"),
    ],
)
def test_what_no_profile_may_say_no_option_may(
    home: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, why: str
) -> None:
    assert cli.main(["index", "a.pdf", option, value]) == 2
    assert capsys.readouterr().err == f"vouch: {why}\n"
    assert not home.exists()


MILL, BLAZE = "The mill grinds rye.", "It burned down in 1911."
MAKERS: dict[str, Callable[[Path], object]] = {
    "book.epub": lambda path: documents.epub(path, ("The mill", MILL), ("The blaze", BLAZE)),
    "print.xps": lambda path: documents.xps(path, [MILL], [BLAZE]),
    "scan.tiff": lambda path: documents.tiff(path, [MILL], [BLAZE]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
def test_other_formats_than_pdf_are_read_and_drawn(
    home: Path, tmp_path: Path, profile: list[str], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    MAKERS[name](tmp_path / name)
    assert cli.main(["index", str(tmp_path / name), *profile, "--ocr", "auto", "--json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["status"], file["pages"], file["failures"]) == ("indexed", 2, [])
    with Collection.open("default", home) as made:  # ends the process that draws
        (document,) = made.documents()
        pages = [made.page_elements(document.id, number) for number in (1, 2)]
        mill, blaze = ([e for e in page if e.kind != "group"] for page in pages)
        drawn = made.draw_page(document.id, 2, 400)
    assert [MILL in e.text for e in mill].count(True) == 1
    (box,) = (e.bbox for e in blaze if BLAZE in e.text)
    corners = (box.x0 * drawn.width, box.y0 * drawn.height, box.x1 * drawn.width, box.y1 * drawn.height)
    darkest, palest = drawn.crop([round(v) for v in corners]).convert("L").getextrema()
    assert palest - darkest > 100


@pytest.mark.slow
@pytest.mark.parametrize("typed", [True, False])
def test_a_password_is_given_or_asked_for(
    home: Path,
    tmp_path: Path,
    profile: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: bool,
) -> None:
    """The prompt is Python's own, which only a terminal can answer: here somebody else does."""
    vault = str(documents.encrypted(tmp_path / "vault.pdf", "open sesame"))
    assert home
    assert cli.main(["index", vault, *profile]) == 2
    assert "vault.pdf: encrypted: " in capsys.readouterr().out
    assert cli.main(["index", vault, *profile, "--password", "sesame"]) == 2
    assert "the password is wrong" in capsys.readouterr().out
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "open sesame"

    monkeypatch.setattr(getpass, "getpass", answer)
    assert cli.main(["index", vault, *profile, "--password", "-" if typed else "open sesame"]) == 0
    assert asked == (["Password: "] if typed else [])
    assert "nine barrels" in said()


INDEX = """
import signal, sys
from ui import cli
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started us deaf to it
sys.exit(cli.main(["index", *sys.argv[1:]]))
"""


def seen(terminal: int, pattern: bytes = b"(?!)") -> bytes:
    """What a terminal is shown until it has shown the pattern, or nobody is there to show anything."""
    shown = b""
    with contextlib.suppress(OSError):
        while not re.search(pattern, shown):
            shown += os.read(terminal, 4096)
    return shown


@pytest.mark.slow
def test_ctrl_c_exits_with_130_and_the_report_says_so(home: Path, tmp_path: Path, profile: list[str]) -> None:
    short = documents.pdf(tmp_path / "a.pdf", [SCANNED])
    long = documents.pdf(tmp_path / "b.pdf", *[[f"Page {n} tells of the weather."] for n in range(200)])
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", INDEX, str(short), str(long), "--json", *profile]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True, start_new_session=True
    ) as run:
        os.close(theirs)  # or reading would wait for us
        begun = seen(ours, rb"\D([2-9]|[1-9]\d+)/201")
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to the workers too
        seen(ours)
        out, _ = run.communicate(timeout=60)
    os.close(ours)
    assert b"b.pdf" in begun
    assert run.returncode == 130
    report = json.loads(out)
    assert (report["exit_code"], report["cancelled"]) == (130, True)
    assert [d.name for d in Collection.open("default", home).documents()] == ["a.pdf"]


def test_a_mistyped_file_leaves_no_collection_behind(
    home: Path, profile: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert home
    assert cli.main(["index", str(tmp_path / "nosuch.pdf"), "-c", "typo", *profile]) == 2
    assert "nosuch.pdf" in capsys.readouterr().out
    assert list_collections() == ()


def test_a_cluster_that_is_none_leaves_no_collection_behind(home: Path, profile: list[str], tmp_path: Path) -> None:
    source = documents.pdf(tmp_path / "mill.pdf", ["The mill was built in 1742."])
    assert cli.main(["index", str(source), "-c", "far", "--on", "ray://head", *profile]) == 2
    assert list_collections(home) == ()


def test_a_collection_that_was_there_stays_even_if_nothing_is_read(
    home: Path, profile: list[str], tmp_path: Path
) -> None:
    assert home
    Collection.create("mine").close()
    assert cli.main(["index", str(tmp_path / "nosuch.pdf"), "-c", "mine", *profile]) != 0
    assert list_collections() == ("mine",)
