"""Uploads that nobody has had read: counted by visitor and in total, and deleted when their time is over."""

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from ui.errors import TooMuch
from ui.settings import UiSettings
from ui.web.uploads.receive import Arrivals
from ui.web.uploads.unzip import MB

NOW = 4_000_000_000.0
"""The time, which is later than any at which this runs."""


class Desk:
    """Arrivals in a folder at a time that stands still, and what else waits to be read."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.folder = folder
        self.queued = {"ada": (0, 0)}
        self.arrivals = Arrivals(folder, UiSettings(**limits), self.waiting, clock=lambda: NOW)

    def waiting(self, owner: str | None) -> tuple[int, int]:
        held = [counts for name, counts in self.queued.items() if owner in (None, name)]
        return sum(files for files, _ in held), sum(size for _, size in held)

    def bring(self, owner: str, *sizes: int) -> None:
        """Upload so many bytes, in pieces; raises TooMuch."""

        async def come() -> None:
            with await self.arrivals.expect(owner) as coming:
                for size in sizes:
                    coming(size)

        asyncio.run(come())

    def lay(self, owner: str, size: int = 1, age: float = 0.0) -> Path:
        """Put a file where the server puts uploads."""
        name = hashlib.sha256(os.urandom(8)).hexdigest()
        (self.folder / name).mkdir()
        path = self.folder / name / "a.pdf"
        path.write_bytes(bytes(size))
        for part in (path, path.parent):
            os.utime(part, (NOW - age, NOW - age))
        self.arrivals.note(owner, [str(path)])
        return path


def test_what_is_there_and_what_comes_counts_for_its_visitor(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_waiting_mb=3, max_files=3)
    desk.lay("ada", MB)
    desk.queued["ada"] = (1, MB)
    desk.bring("ada", MB // 2)
    with pytest.raises(TooMuch, match="max_waiting_mb"):
        desk.bring("ada", MB, 1)
    desk.bring("bob", 3 * MB)
    desk.queued["bob"] = (6, 6)
    with pytest.raises(TooMuch, match="max_files"):
        desk.bring("bob", 1)
    desk.bring("ada", MB // 2)


def test_all_that_comes_at_a_time_counts(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_all_waiting_mb=2)

    async def both() -> None:
        with await desk.arrivals.expect("ada") as one, await desk.arrivals.expect("bob") as other:
            one(MB)
            other(MB)
            with pytest.raises(TooMuch, match="max_all_waiting_mb"):
                other(1)

    asyncio.run(both())
    desk.bring("ada", 2 * MB)


@pytest.mark.parametrize("limits", [{"max_all_files": 3}, {"max_all_waiting_mb": 3}])
def test_a_full_server_makes_room_of_unwanted_files(tmp_path: Path, limits: dict[str, int]) -> None:
    desk = Desk(tmp_path, **limits)
    left = [desk.lay("ada", MB, age=70), desk.lay("", MB, age=70)]
    desk.queued["bob"] = (1, MB)
    fresh = desk.lay("eve", MB, age=50)
    desk.bring("ada", 1)
    assert [path.exists() for path in left] == [False, False]
    desk.queued["bob"] = (2, 2 * MB)
    with pytest.raises(TooMuch, match="max_all_files"):
        desk.bring("ada", 1)
    assert fresh.exists(), "whoever sent it is about to have it read"


def test_what_was_never_queued_is_swept(tmp_path: Path) -> None:
    desk = Desk(tmp_path, upload_minutes=10)
    old, young = desk.lay("ada", age=601), desk.lay("ada", age=599)
    other = tmp_path / "notes.txt"
    other.write_text("not an upload")
    os.utime(other, (0, 0))
    desk.arrivals.sweep()
    assert [path.exists() for path in (old, young, other)] == [False, True, True]
    assert not old.parent.exists()
    assert young.parent.exists()
