"""What indexing shows while it runs: how fast it is, and how long it will take yet."""

from __future__ import annotations

from io import StringIO

import pytest

from indexing import Progress
from ui.progress import left, shown_progress, speed


def moment(done: int, total: int, seconds: float, file: str = "a.pdf", reused: int = 0) -> Progress:
    return Progress(file, 0, 2, done, total, seconds, reused=reused)


@pytest.mark.parametrize(
    ("at", "fast", "remaining"),
    [
        (moment(30, 60, 10), "3.0/s", "10 s left"),
        (moment(10, 100, 70), "8.6/min", "10 min left"),
        (moment(10, 1000, 70), "8.6/min", "1.9 h left"),
        (moment(0, 100, 3), "0.0/s", ""),
        (moment(100, 100, 50), "2.0/s", ""),
        (moment(60, 70, 70, reused=50), "8.6/min", "70 s left"),
    ],
)
def test_speed_and_time_left(at: Progress, fast: str, remaining: str) -> None:
    """Pages that an earlier run had embedded take no time, and say nothing of how long the others will take."""
    assert (speed(at), left(at)) == (fast, remaining)


def test_a_log_has_a_line_a_file_and_one_every_half_minute() -> None:
    stream = StringIO()
    with shown_progress(stream) as show:
        for second in range(0, 100, 10):
            show(moment(second // 10, 100, second + 1))
        show(moment(10, 100, 101, "b.pdf"))
    lines = stream.getvalue().splitlines()
    assert [line.split(":")[0] for line in lines] == ["a.pdf"] * 4 + ["b.pdf"]
    assert lines[1] == "a.pdf: file 1 of 2, 3 pages done, 5.8 pages/min, 17 min left"
