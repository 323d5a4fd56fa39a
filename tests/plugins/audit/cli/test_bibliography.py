"""`vouch bibliography`: files are read into an index, named, promised, and deleted; Ctrl-C keeps what is done."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from plugins.audit.auditing.sources import RecordIndex, index_path
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.audits import entry
from ui.cli.parser import main

ROOT = Path(__file__).resolve().parents[4]
MILLS = "@article{b, title={Water Mills of the Northern Valleys}, author={Brandt, Ilse}, year={2019}}\n"
FROST = "TY  - JOUR\nTI  - Frost and the Potato\nAU  - Kerr, Anna\nPY  - 2020\nER  - \n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    path = tmp_path / "thesis.bib"
    path.write_text(MILLS)
    return path


def lines(path: Path, count: int, first: int = 0) -> Path:
    """A file of CSL-JSON, a record a line."""
    with gzip.open(path, "wt") as file:
        for number in range(first, first + count):
            file.write(json.dumps({"title": f"A Report on Harbour {number}", "DOI": f"10.5555/{number}"}) + "\n")
    return path


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, tuple[int, str]]:
    capsys.readouterr()
    assert main(["bibliography", "list", "--json"]) == 0
    return {each["name"]: (each["records"], each["promises"]) for each in json.loads(capsys.readouterr().out)}


def test_a_file_becomes_a_bibliography_of_its_name(
    home: Path, thesis: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bibliography", "add", str(thesis)]) == 0
    assert capsys.readouterr().out == "thesis: 1 new record, 1 in all. It promises nothing.\n"
    index = RecordIndex(index_path(home, "thesis"))
    assert index.look_up(entry(BibliographicFields("Water Mills of the Northern Valleys"))).outcome == "found"
    assert index_path(home, "thesis").stat().st_mode & 0o077 == 0


def test_several_files_become_one_and_the_same_ones_again_nothing(
    thesis: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.ris").write_text(FROST)
    command = ["bibliography", "add", str(thesis), str(tmp_path / "b.ris"), "--name", "group"]
    assert main(command) == 0
    assert main(command) == 0
    assert "group: 0 new records, 2 in all" in capsys.readouterr().out
    assert listed(capsys) == {"group": (2, "nothing")}


def test_all_files_of_a_folder_are_read_and_no_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crossref"
    (folder / "2024").mkdir(parents=True)
    lines(folder / "0.json.gz", 3)
    lines(folder / "2024" / "1.jsonl.gz", 4, first=3)
    lines(folder / "2024" / "part_000.gz", 2, first=7)
    (folder / "README.txt").write_text("a dump")
    assert main(["bibliography", "add", str(folder), "--complete"]) == 0
    assert listed(capsys) == {"crossref": (9, "every work of its field")}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("no.bib", None, "does not exist: check the path"),
        ("notes.txt", b"words", r"its extension is not that of a bibliography: give .bib"),
        ("broken.json.gz", b"\x1f\x8b\x08not really", "cannot be read to the end"),
        ("blank.json", b'{"items": []}', "no records were found"),
    ],
)
def test_a_file_that_is_none_is_told_and_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["bibliography", "add", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
    assert listed(capsys) == {}


def test_names_that_none_can_have_and_none_has(thesis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bibliography", "add", str(thesis), "--name", "../thesis"]) == 2
    assert main(["bibliography", "add", str(thesis)]) == 0
    assert main(["bibliography", "remove", "tesis"]) == 2
    err = capsys.readouterr().err
    assert "'../thesis' cannot name a bibliography" in err
    assert "no bibliography 'tesis' (there are: thesis), did you mean thesis?" in err


def test_one_is_removed_with_all_its_files(home: Path, thesis: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bibliography", "add", str(thesis)]) == 0
    assert main(["bibliography", "remove", "thesis"]) == 0
    assert "Removed the bibliography thesis." in capsys.readouterr().out
    assert list((home / ".bibliographies").iterdir()) == []
    assert thesis.is_file()


def test_they_are_listed_and_a_damaged_one_among_them(
    home: Path, thesis: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bibliography", "list"]) == 0
    assert "There are no bibliographies yet: vouch bibliography add FILE makes one." in capsys.readouterr().out
    assert main(["bibliography", "add", str(thesis)]) == 0
    (home / ".bibliographies" / "bad.sqlite").write_bytes(b"no database" * 500)
    capsys.readouterr()
    assert main(["bibliography", "list"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["Bibliography", "Records", "Size", "Promises"]
    assert out[1].split()[:2] == ["bad", "damaged"]
    assert out[2].split()[:2] == ["thesis", "1"]


def test_ctrl_c_keeps_what_is_done_and_says_that_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = RecordIndex.add

    def stopped(index: RecordIndex, files: Sequence[Path], tell: Callable[[str, int, int], None]) -> int:
        def interrupted(*progress: Any) -> None:
            tell(*progress)
            raise KeyboardInterrupt

        return whole(index, files, interrupted)

    monkeypatch.setattr(RecordIndex, "add", stopped)
    assert main(["bibliography", "add", str(lines(tmp_path / "ports.jsonl.gz", 6000))]) == 130
    assert "Run the same command again to continue." in capsys.readouterr().err
    assert listed(capsys)["ports"][0] == 5000
