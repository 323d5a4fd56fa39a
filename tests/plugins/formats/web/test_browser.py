"""The browser ends with its page: when it takes too long, too much, or when whoever started it is killed."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from indexing.errors import DamagedFile, NoPages, PageCrash, PageTimeout
from indexing.settings import IndexingSettings
from plugins.formats.web import web_rendition
from tests.support.waiting import until

pytestmark = [
    pytest.mark.cold_workers,
    pytest.mark.slow,
    # Playwright does not always hear of the end of its driver when the browser is killed.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <function Popen.__del__"),
]

ENDLESS = "<!doctype html><p>words<script>for (;;) {}</script>"
READ = "import sys; from pathlib import Path; from plugins.formats.web import web_rendition; "
READ += "from indexing.settings import IndexingSettings; "
READ += "web_rendition(Path(sys.argv[1]), IndexingSettings(web_scripts=True))"


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What a test left behind is collected while the test runs: its warnings are its own."""
    yield
    gc.collect()


def known(asked: Callable[[], Any], gone: Any) -> Any:
    """What a process says of itself, or `gone` for one that has ended since it was listed."""
    try:
        return asked()
    except psutil.Error:
        return gone


def browsers(of: psutil.Process) -> list[psutil.Process]:
    return [child for child in of.children(recursive=True) if "chrom" in known(child.name, "")]


def draws(process: psutil.Process) -> bool:
    """True for a process of Chromium that draws pages."""
    return "--type=renderer" in known(process.cmdline, [])


def alive(process: psutil.Process) -> bool:
    return process.is_running() and known(process.status, "zombie") != "zombie"


def end(processes: list[psutil.Process]) -> None:
    """Wait for their end."""
    until(lambda: not any(map(alive, processes)), 10)


def holds_a_profile(folder: Path) -> bool:
    return any("profile" in left.name for left in folder.iterdir())


@pytest.mark.gate
def test_a_page_that_never_ends_is_given_up(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "endless.html"
    path.write_text(ENDLESS)
    started = time.monotonic()
    with pytest.raises(PageTimeout, match=r"endless\.html: .* web_seconds"):
        web_rendition(path, IndexingSettings(web_scripts=True, web_seconds=4))
    assert time.monotonic() - started < 20
    end(browsers(psutil.Process()))


def test_a_page_that_fills_the_memory_is_given_up(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "large.html"
    path.write_text(
        "<!doctype html><p>words<script>const a = []; for (;;) a.push(new Float64Array(1e6).fill(1))</script>"
    )
    with pytest.raises((PageCrash, DamagedFile), match=r"large\.html"):  # the page crashes, or we end it before that
        web_rendition(path, IndexingSettings(web_scripts=True, web_seconds=60, worker_memory_mb=900))
    end(browsers(psutil.Process()))


@pytest.mark.gate
def test_the_browser_dies_with_the_process_that_started_it(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "endless.html"
    path.write_text(ENDLESS)
    own = Path(tempfile.mkdtemp(prefix="web-"))  # Chromium's sockets take no long paths
    process = subprocess.Popen([sys.executable, "-c", READ, str(path)], env=os.environ | {"TMPDIR": str(own)})
    told = psutil.Process(process.pid)
    until(lambda: process.poll() is not None or any(map(draws, browsers(told))), 60)
    assert process.poll() is None, "it ended before it was killed"
    started = browsers(told)
    assert len(started) > 2
    process.send_signal(signal.SIGKILL)
    process.wait()
    end(started)
    until(lambda: not holds_a_profile(own), 20)  # Playwright's driver deletes it after the browser has ended
    shutil.rmtree(own)


def test_a_page_without_words_is_a_named_error(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "empty.html"
    path.write_text("<!doctype html><frameset><frame src=a.html></frameset>")
    with pytest.raises(NoPages, match=r"empty\.html"):
        web_rendition(path, IndexingSettings())


def test_broken_pages_are_read_as_far_as_they_go(chromium: str, tmp_path: Path) -> None:  # noqa: ARG001
    path = tmp_path / "deep.html"
    path.write_bytes(b"\xff\x00<p>begun" + b"<div>" * 20_000 + b"<b>deep <table><td>" * 300 + b"end")
    said = " ".join(e.text for page in web_rendition(path, IndexingSettings()).pages or () for e in page.elements)
    assert "begun" in said
    assert "end" in said
