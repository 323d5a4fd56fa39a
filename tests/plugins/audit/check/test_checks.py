"""Checks in the page: drafts, verdicts, Stop that keeps what is done, exports that are their visitor's alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from plugins.audit.check.checks import BroughtText, CheckRun, Checks, read_brought
from plugins.audit.check.page import PENDING, follow_check, objection, run_html
from rag.events import Checked, Drafted
from tests.support import fakes
from tests.ui.asking_over import asking_over
from tests.ui.markup import read
from ui.errors import UploadError
from ui.show import Moment
from ui.web.uploads import Uploads

LIT = "The lighthouse of Holm was first lit in 1887 by its keeper."
TEXT = f"# Lights\n\n{LIT}\n\n- Penguins <script>alert(1)</script> won the olympiad of Holm.\n"


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Checks:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "lights"), {"light.pdf": [[LIT, "Its keeper was Ada Holm."]]})
    return Checks(asking_over(home))


def ended(checks: Checks, visitor: str = "me") -> CheckRun:
    """A check of TEXT to its end."""
    run = checks.start(visitor, "lights", BroughtText.from_pasted(TEXT), "", ())
    list(run.turn.follow())
    return run


def test_statements_get_their_verdicts_and_the_places_that_prove_them(checks: Checks) -> None:
    run = checks.start("me", "lights", BroughtText.from_pasted(TEXT), "", ())
    last = list(follow_check(checks, run))[-1]
    assert not last.busy
    shown = read(last.current)
    assert shown.values("data-kind") == ["remark", "confirmed", "unconfirmed"]
    assert "script" not in shown.tags
    assert {"", "confirmed", "unconfirmed", "remark"} == set(shown.values("data-only"))
    assert last.evidence is not None
    assert "light.pdf" in read(last.evidence).text


def test_statements_are_drafts_before_they_are_checked(checks: Checks) -> None:
    run = ended(checks)
    checked = run.turn.now.checked[1]
    moment = Moment().after(Drafted(0, "One.", ())).after(Drafted(1, LIT, ())).after(Checked(1, checked))
    shown = read(run_html(run, moment))
    assert shown.values("data-kind") == [PENDING, "confirmed"]
    assert "1 of 2" in shown.text


def test_stop_keeps_what_is_done_and_says_how_far_it_came(checks: Checks) -> None:
    run = ended(checks)
    moment = Moment(state="stopped", drafted={0: "a", 1: LIT, 2: "c"}, checked={1: run.turn.now.checked[1]})
    assert "Stopped after 1 of 3 statements." in read(run_html(run, moment)).text
    answer = run.answer(moment)
    assert [sentence.text for sentence in answer.sentences] == [LIT]
    assert answer.notes == ("Stopped after 1 of 3 statements.",)


def test_a_check_is_its_visitors_alone(checks: Checks) -> None:
    run = ended(checks)
    made = checks.asking.downloads.export("me", run.id, "html")
    assert made is not None
    assert b"lighthouse of Holm" in made[1]
    assert checks.asking.downloads.export("you", run.id, "html") is None
    assert checks.asking.downloads.export("me", run.id, "docx") is None


def test_a_check_of_nothing_is_not_begun(checks: Checks) -> None:
    assert objection("lights", BroughtText.from_pasted("  ")) is not None
    assert objection("lights", None) is not None
    assert objection(None, BroughtText.from_pasted(TEXT)) is not None
    assert objection("lights", BroughtText.from_pasted(TEXT)) is None
    assert checks.last("nobody") is None


@pytest.fixture
def uploads(checks: Checks, tmp_path: Path) -> Iterator[Uploads]:
    made = Uploads(checks.asking.open_collections, tmp_path / "arrived")
    yield made
    made.close()


def arrive(tmp_path: Path, name: str, content: bytes) -> dict[str, str]:
    """An upload as the server puts it."""
    folder = tmp_path / "arrived" / ("a" * 64)
    folder.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return {"path": str(folder / name), "orig_name": name}


def test_a_file_is_read_and_gone(checks: Checks, uploads: Uploads, tmp_path: Path) -> None:
    sent = arrive(tmp_path, "report.md", TEXT.encode())
    brought = read_brought(checks.asking.open_collections, uploads, sent)
    assert brought.name == "report.md"
    assert brought.words > 10
    assert not Path(sent["path"]).exists()
    run = checks.start("me", "lights", brought, "", ())
    list(run.turn.follow())
    assert [s.verdict for s in run.turn.now.sentences] == ["remark", "confirmed", "unconfirmed"]


def test_no_other_file_of_the_server_is_read(checks: Checks, uploads: Uploads, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is swordfish.")
    with pytest.raises(UploadError, match="not a file that was just uploaded"):
        read_brought(checks.asking.open_collections, uploads, {"path": str(secret), "orig_name": "secret.txt"})
    with pytest.raises(UploadError, match="one file"):
        read_brought(checks.asking.open_collections, uploads, [])
    assert secret.is_file()
