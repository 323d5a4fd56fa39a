"""Progress tells of each file how many of its pages are done, and what became of it as soon as that is known."""

from __future__ import annotations

from pathlib import Path

from indexing import Collection, IndexingSettings, Progress, build_index
from tests import documents


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
