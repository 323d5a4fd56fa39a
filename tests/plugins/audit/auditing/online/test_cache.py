"""The cache of answers: dated, bounded, shared, and no trouble when it is damaged."""

from pathlib import Path

import pytest

from plugins.audit.auditing.online.cache import ResponseCache, ServiceResponse


def answer(body: bytes = b"x", date: float = 0.0) -> ServiceResponse:
    return ServiceResponse(200, body, "records.example", "", date)


def test_it_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "made" / "answers.sqlite"
    ResponseCache(path, days=1).keep("q", answer())
    assert path.stat().st_mode & 0o077 == 0
    assert path.parent.stat().st_mode & 0o077 == 0


def test_the_oldest_go_where_there_are_too_many_bytes(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "answers.sqlite", days=1000, most_bytes=10_000, now=lambda: 2000.0)
    for number in range(101):
        cache.keep(f"q{number}", answer(b"x" * 500, float(number)))
    held = [number for number in range(101) if cache.find(f"q{number}")]
    assert held == list(range(83, 101))
    assert len(held) * 500 <= 10_000


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    cache = ResponseCache(path, days=1, now=lambda: 5.0)
    cache.keep("q", answer(date=5.0))
    assert cache.find("q") is not None
