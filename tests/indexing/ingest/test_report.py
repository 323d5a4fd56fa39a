"""Progress tells of each file how many of its pages are done, and what became of it as soon as that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings, Progress, build_index
from tests.support import documents


@pytest.mark.slow
def test_progress_is_that_of_the_file_in_hand(tmp_path: Path) -> None:
    settings = IndexingSettings(workers=1, visual="none")
    two = documents.pdf(tmp_path / "two.pdf", ["First page."], ["Second page."])
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    told: list[Progress] = []
    made = Collection.create("c", tmp_path / "home", settings)
    build_index(made, [two, broken], settings=settings, on_progress=told.append)
    assert [(p.page, p.pages) for p in told if p.path == str(two) and p.report is None] == [(1, 2), (2, 2)]
    ended = {p.report.name: p.report.status for p in told if p.report is not None}
    assert ended == {"two.pdf": "indexed", "broken.pdf": "failed"}
    assert all(Path(p.path).name == p.file for p in told)


@pytest.mark.slow
def test_the_seconds_of_a_file_are_those_it_was_in_hand(tmp_path: Path) -> None:
    """Files are opened and parsed while others are in hand: no second is counted twice."""
    settings = IndexingSettings(workers=2, visual="none")
    made = Collection.create("c", tmp_path / "home", settings)
    files = [documents.pdf(tmp_path / f"{n}.pdf", [f"Report {n}."], [f"Its second page, {n}."]) for n in range(3)]
    report = build_index(made, files, settings=settings)
    assert [f.seconds > 0 for f in report.files] == [True] * 3
    assert sum(f.seconds for f in report.files) <= report.seconds
