"""The log of faults: one line each, nothing of what people sent, nothing that a terminal obeys, and not without end."""

import asyncio
import logging
import stat
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from ui.web.server import fault_log
from ui.web.server.fault_log import escape_line, logged_faults, one_line

SECRET = "When does my \x1b[31mpassword\x07 expire?\nnever"


def fail() -> None:
    raise ValueError(SECRET)


def failing() -> BaseException:
    try:
        fail()
    except ValueError as error:
        return error
    raise AssertionError


def logged(file: Path, *faults: Callable[[], None]) -> list[str]:
    """The lines that faults leave."""

    async def run() -> None:
        with logged_faults(file):
            for fault in faults:
                fault()
            await asyncio.sleep(0)

    asyncio.run(run())
    return file.read_text().splitlines()


def told_by_gradio() -> None:
    try:
        fail()
    except ValueError:
        traceback.print_exc()


def in_a_thread() -> None:
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def in_the_loop() -> None:
    asyncio.get_running_loop().call_soon(lambda question: [][len(question)], SECRET)


def by_a_library() -> None:
    logging.getLogger("mcp.shared.session").warning(f"Failed to validate request: {SECRET}")  # noqa: G004


def by_uvicorn() -> None:
    logging.getLogger("uvicorn.error").error("Exception in ASGI application\n", exc_info=failing())


def by_us() -> None:
    logging.getLogger("ui.web.ask.turns").error("%d sentences failed: %s", 3, failing())


def by_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(SECRET, UserWarning, stacklevel=1)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (told_by_gradio, "a request failed: ValueError at web/server/test_fault_log.py"),
        (told_by_gradio, " in told_by_gradio"),
        (in_a_thread, "a thread failed: ValueError"),
        (in_the_loop, "ERROR ui.web.server.fault_log: Exception: IndexError"),
        (by_a_library, "WARNING mcp.shared.session: a fault told by by_a_library"),
        (by_uvicorn, "Exception in ASGI application: ValueError"),
        (by_us, "3 sentences failed: ValueError"),
        (by_a_warning, "UserWarning at test_fault_log.py"),
    ],
)
def test_a_fault_is_one_line_without_what_was_sent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], fault: Callable[[], None], says: str
) -> None:
    (line,) = logged(tmp_path / ".logs" / "serve.log", fault)
    assert says in line
    for text in (line, capfd.readouterr().err):
        assert "password" not in text
        assert "never" not in text
        assert "Traceback" not in text
        assert text.strip("\n").isprintable()


def test_the_files_are_nobody_elses_and_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_log, "_BYTES", 2_000)
    monkeypatch.setattr(fault_log, "_ALIKE", 1_000)
    file = tmp_path / ".logs" / "serve.log"
    logged(file, *[by_us] * 60)
    files = sorted(file.parent.iterdir())
    assert [f.name for f in files] == ["serve.log", *(f"serve.log.{n}" for n in range(1, 5))]
    assert all(f.stat().st_size <= 2_000 for f in files)
    assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_line_is_printable_and_not_long() -> None:
    record = logging.LogRecord("ui.web", logging.ERROR, "a.py", 1, "%s\u202e\x9b" + "x" * 5_000, ("\x1b[2J\n",), None)
    line = one_line(record)
    assert line.isprintable()
    assert len(line) <= 600
    assert escape_line("a\tb\x1b\udcff\u2028") == "a\\tb\\x1b\\udcff\\u2028"
