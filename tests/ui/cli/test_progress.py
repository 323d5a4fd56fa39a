"""What a terminal or a log shows while documents are read, and while an answer is written."""

import contextlib
import io
import os
import pty
import re
import sys
from collections.abc import Generator
from io import StringIO

import pytest
from rich.console import Console

from indexing import Hints, Progress
from rag import Answer, Queries, Query, Sentence
from rag.events import Answered, Checked, Drafted, Event, Extracted, Planned, Searched
from rag.usage import Usage
from tests.ui.stand_ins import citation, evidence
from ui.cli.progress import follow_answer, moment_lines, shown_progress, status_line
from ui.show.moment import Moment


def moment(done: int, total: int, seconds: float, file: str = "a.pdf", reused: int = 0) -> Progress:
    return Progress(file, 0, 2, done, total, seconds, reused=reused)


def test_a_log_has_a_line_a_file_and_one_every_half_minute() -> None:
    stream = StringIO()
    with shown_progress(stream) as show:
        for second in range(0, 100, 10):
            show(moment(second // 10, 100, second + 1))
        show(moment(10, 100, 101, "b.pdf"))
    lines = stream.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["a.pdf"] * 4 + ["b.pdf"]
    assert lines[1] == "a.pdf: file 1 of 2, 3 pages done, 5.8 pages/min, 17 min left"


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, moments: list[Progress], quiet: bool) -> str:
    """What a terminal of 100 columns is sent while these moments pass."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream, shown_progress(stream, quiet) as show:
        for at in moments:
            show(at)
    sent = b""
    with contextlib.suppress(OSError):  # nobody is there to send more
        while True:
            sent += os.read(ours, 4096)
    os.close(ours)
    return sent.decode()


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_has_a_bar_which_goes_when_all_is_done(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    sent = on_a_terminal(monkeypatch, [moment(0, 0, 1), moment(30, 60, 10, "[bold]\x1b[2J" + "long " * 9)], quiet)
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", sent).replace("\r", "\n").split("\n")
    (line,) = {each.strip() for each in last if "30/60" in each}
    assert re.fullmatch(r"\[bold\].*long.* [\u2501\u2578\u257a]+ 30/60 pages  3\.0/s 10 s left", line)
    assert len(line) <= 100
    assert "\x1b[2J" not in sent
    assert sent.rstrip().endswith("\x1b[2K")  # the line is wiped: the report follows in its place


QUERIES = Queries((Query("Why?"),), (Query("Why?"),), Hints())
FELL = Sentence("Margins fell.", (citation(),), "confirmed")
ROSE = Sentence("Costs rose.", (), "unconfirmed", "nothing of this is in the text")
ANSWER = Answer(
    "Why?", "text", (FELL, ROSE), (evidence(),), 0.84, {"total": 2.5}, "hash",
    method="vanilla", usage=Usage(3412, 210, 8, 2, 1.5), notes=("E7 did not fit",),
)  # fmt: skip


def events(ended: list[bool] | None = None) -> Generator[Event]:
    """What a pipeline tells of ANSWER."""
    try:
        yield Planned(QUERIES)
        yield Searched((evidence(),), ())
        yield Extracted(1, 1)
        yield Drafted(0, FELL.text, ("E1",))
        yield Checked(0, FELL)
        yield Drafted(1, ROSE.text, ("E1",))
        yield Checked(1, ROSE)
        yield Answered(ANSWER)
    finally:
        if ended is not None:
            ended.append(True)


def shown(moment: Moment, encoding: str = "utf-8") -> list[str]:
    return [line.plain for line in moment_lines(moment, encoding)]


def test_on_a_terminal_the_drafts_give_way_to_the_answer() -> None:
    out, ended = io.StringIO(), list[bool]()
    console = Console(file=out, force_terminal=True, width=80, highlight=False, markup=False, emoji=False)
    assert follow_answer(events(ended), console) is ANSWER
    assert "Margins fell." in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K")  # the last thing done is to clear a line
    assert ended == [True]


def test_other_output_is_not_lost(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # for rich, this is a terminal

    def warning() -> Generator[Event]:
        sys.stderr.write("a warning\n")
        yield Answered(ANSWER)

    assert follow_answer(warning(), None) is ANSWER
    with status_line(quiet=True) as status:
        status("reading")
        sys.stderr.write("another\n")
    assert capsys.readouterr() == ("", "a warning\nanother\n")
