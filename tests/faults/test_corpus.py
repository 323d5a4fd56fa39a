"""The command that indexes or refuses every file of a folder: its mutants, and the outcomes that it calls wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Failure, FileReport
from indexing.embed import MiniLM
from tests.faults import corpus
from tests.support import documents, fakes


def test_a_file_that_is_neither_indexed_nor_refused_by_name_is_found(tmp_path: Path) -> None:
    made = fakes.collection(tmp_path, MiniLM(threads=1))
    there = fakes.document("there.pdf", [["x"]])
    with made.writer() as writer:
        writer.add(fakes.parsed(there.id, 1, ["A page tells of the weather."]))
        writer.finish(there, Path(__file__))
        writer.flush()
    paths = [Path(f"/files/{name}.pdf") for name in ("there", "lost", "silent", "unnamed", "refused", "unheard")]

    def told(name: str, status: str, *failures: Failure, doc_id: str = "") -> FileReport:
        return FileReport(f"/files/{name}.pdf", f"{name}.pdf", status, doc_id=doc_id, failures=failures)  # type: ignore[arg-type]

    files = [
        told("there", "indexed", doc_id=there.id),
        told("lost", "indexed", doc_id="0" * 16),
        told("silent", "failed"),
        told("unnamed", "failed", Failure(None, "DamagedFile", "something broke")),
        told("refused", "failed", Failure(None, "DamagedFile", "refused.pdf: damaged: get it again")),
    ]
    wrong = [line for line in corpus.neither(paths, files, made) if ".pdf: " in line and "is not its file" not in line]
    assert wrong == [
        "lost.pdf: indexed, and not in the collection",
        "silent.pdf: refused without a reason that names it",
        "unnamed.pdf: refused without a reason that names it",
        "unheard.pdf: 0 outcomes",
    ]


@pytest.mark.slow
def test_every_file_of_a_folder_is_indexed_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "files"
    (folder / "below").mkdir(parents=True)
    documents.pdf(folder / "whole.pdf", ["A page tells of the weather in May."])
    documents.encrypted(folder / "below" / "locked.pdf")
    (folder / "link.pdf.link").write_text("http://example.org/x.pdf")
    (folder / ".hidden.pdf").write_bytes(b"")
    assert corpus.main([str(folder), "--ocr", "never", "--workers", "1", "--json", str(tmp_path / "out.json")]) == 0
    said = capsys.readouterr().out
    assert "whole.pdf: indexed  1 pages, 1 elements" in said
    assert "locked.pdf: refused  EncryptedFile" in said
    assert "link.pdf.link: refused  UnsupportedFile" in said
    assert ".hidden.pdf: refused  EmptyFile" in said
    assert "4 files" in said
    assert "0 wrong." in said
    assert (tmp_path / "out.json").read_text().count('"status": "failed"') == 3
