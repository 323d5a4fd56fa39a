"""`vouch audit`: from a file to a table, reports and an exit code; Ctrl-C keeps what is done."""

from collections.abc import Generator
from pathlib import Path

import pytest

from plugins.audit.audit_command import follow
from plugins.audit.auditing import AuditEvent, ReferenceAudited, ReferencesFound
from tests.plugins.audit import audits
from ui.cli import parser as cli

CITED = """\
@article{mills, author={A. Holm}, title={The mills of the north and their wheels}, journal={Mills}, year={2019}}
@book{cider, author={B. Falk}, title={Cider in barrels of Sallow Bay}, publisher={Press}, year={2001}}
@article{ferry, author={C. Vasko}, title={Ferries that think about their passengers}, journal={Ferries}, year={2024}}
"""
KNOWN = """\
@article{a, author={A. Holm}, title={The mills of the north and their wheels}, journal={Mills}, year={2009}}
@book{b, author={B. Falk}, title={Cider in barrels of Sallow Bay}, publisher={Press}, year={2001}}
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bibliography that is cited, and one that is known; no collections."""
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    (tmp_path / "cited.bib").write_text(CITED)
    (tmp_path / "known.bib").write_text(KNOWN)
    return tmp_path


def test_each_entry_has_its_verdict_and_both_values(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", str(desk / "cited.bib"), "-b", str(desk / "known.bib")]) == 0
    out = capsys.readouterr().out
    assert "real, with errors" in out
    assert "the paper has 2019, the record 2009" in out
    assert "1 real, 1 real with errors, 1 unknown" in out


@pytest.mark.parametrize(("named", "code"), [("errors", 1), ("invented,unknown", 1), ("invented,missing", 0)])
def test_ci_fails_on_what_it_names(desk: Path, named: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["audit", str(desk / "cited.bib"), "-b", str(desk / "known.bib"), "--fail-on", named]
    assert cli.main(asked) == code
    assert "Cider" in capsys.readouterr().out


def test_reports_and_corrections_are_written(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = [desk / "seen.html", desk / "fixed.bib"]
    asked = ["audit", str(desk / "cited.bib"), "-b", str(desk / "known.bib")]
    assert cli.main([*asked, "--export", str(made[0]), "--export", str(made[1])]) == 0
    assert all(str(path.name) in capsys.readouterr().out.replace("\n", "") or path.is_file() for path in made)
    assert "2009" in made[1].read_text()
    assert "mills" in made[1].read_text()


def test_errors_say_what_to_do(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "empty.bib").write_text("% nothing\n")
    assert cli.main(["audit", str(desk / "empty.bib")]) == 2
    assert "no entries were found" in capsys.readouterr().err
    assert cli.main(["audit", str(desk / "cited.bib"), "--export", str(desk / "x.docx")]) == 2
    assert ".pdf" in capsys.readouterr().err
    assert cli.main(["audit", str(desk / "absent.pdf")]) == 2
    assert "absent.pdf" in capsys.readouterr().err


def stopped_after(number: int) -> Generator[AuditEvent]:
    """The events of an audit that somebody ends with Ctrl-C after some entries."""
    whole = audits.audit()
    yield ReferencesFound(tuple(one.reference for one in whole.references))
    for one in reversed(whole.references[:number]):
        yield ReferenceAudited(one)
    raise KeyboardInterrupt


def test_ctrl_c_keeps_what_is_done_in_the_order_of_the_paper() -> None:
    audit, stopped = follow(stopped_after(2), "mills.pdf", quiet=True)
    assert stopped
    assert [one.reference.number for one in audit.references] == [1, 2]
    assert audit.notes == ("Stopped after 2 of 4 entries: the others were not looked up.",)
