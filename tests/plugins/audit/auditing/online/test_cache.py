"""The cache of answers: dated, bounded, shared, and no trouble when it is damaged."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from plugins.audit.auditing.online.cache import KeptAnswer, ResponseCache

DAY = 86_400.0


def answer(body: bytes = b"x", date: float = 0.0) -> KeptAnswer:
    return KeptAnswer(200, body, "records.example", "", date)


def test_an_answer_is_found_until_it_is_too_old(tmp_path: Path) -> None:
    now = [10 * DAY]
    cache = ResponseCache(tmp_path / "a" / "answers.sqlite", days=3, now=lambda: now[0])
    cache.keep("q", answer(b"then", now[0]))
    assert cache.find("q") == answer(b"then", 10 * DAY)
    assert cache.find("other") is None
    now[0] += 2.9 * DAY
    assert cache.find("q") is not None
    now[0] += 0.2 * DAY
    assert cache.find("q") is None


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


def test_two_of_them_share_a_file(tmp_path: Path) -> None:
    caches = [ResponseCache(tmp_path / "answers.sqlite", days=1) for _ in range(2)]

    def write(cache: ResponseCache, first: int) -> None:
        for number in range(first, first + 50):
            cache.keep(f"q{number}", answer(date=4e9))

    threads = [threading.Thread(target=write, args=(cache, 50 * n)) for n, cache in enumerate(caches)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(caches[0].find(f"q{number}") for number in range(100))


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content)
    cache = ResponseCache(path, days=1, now=lambda: 5.0)
    cache.keep("q", answer(date=5.0))
    assert cache.find("q") is not None


def test_a_folder_in_its_place_keeps_nothing_for_later_and_harms_nobody(tmp_path: Path) -> None:
    (tmp_path / "answers.sqlite").mkdir()
    cache = ResponseCache(tmp_path / "answers.sqlite", days=1, now=lambda: 5.0)
    cache.keep("q", answer(date=5.0))
    assert cache.find("q") is not None
