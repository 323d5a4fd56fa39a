"""Papers that are enormous or malicious: linear time, nothing run, nothing else read."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plugins.audit.errors import DocumentUnreadable, NoBibliography
from plugins.audit.references import Bibliography, references_of
from plugins.audit.references.latex import plain_latex
from plugins.audit.references.reading import blocks_of_html
from tests.plugins.audit.references.papers import entry


def growth(work: Callable[[int], object], small: int, large: int) -> float:
    """How many times as long the larger size takes the processor, the best of three."""

    def seconds(size: int) -> float:
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            work(size)
            best = min(best, time.process_time() - started)
        return best

    return seconds(large) / max(seconds(small), 0.02)


def of_text(folder: Path, text: str) -> Bibliography:
    path = folder / "pasted.txt"
    path.write_text(text, encoding="utf-8")
    return references_of(path)


def listed(count: int) -> str:
    return "References\n\n" + "\n\n".join(f"[{i + 1}] {entry(i)}" for i in range(count))


def test_two_thousand_entries_take_linear_time(tmp_path: Path) -> None:
    found = of_text(tmp_path, listed(2000))
    assert len(found.references) == 2000
    assert found.references[1999].text == entry(1999)
    assert growth(lambda n: of_text(tmp_path, listed(n)), 250, 2000) < 24


@pytest.mark.parametrize(("suffix", "size", "most"), [("txt", 65, 64), ("docx", 301, 300)])
def test_more_than_the_limit_is_refused(tmp_path: Path, suffix: str, size: int, most: int) -> None:
    path = tmp_path / f"larger.{suffix}"
    with path.open("wb") as file:
        file.truncate(size << 20)
    with pytest.raises(DocumentUnreadable, match=f"{size} MB, the limit is {most}"):
        references_of(path)


SHAPES = ["References\n", "[1] ", "[1\n", "A, B. ", "http://", "doi.org/10.1\n", "a-\n", "1. \n", "[^a]: ", "# ", "*",
          "A A ", "(1)\n", "— ", "“A", "2020 ", "[Ade20]\n"]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_texts_take_linear_time(shape: str, tmp_path: Path) -> None:
    def read(size: int) -> None:
        with contextlib.suppress(NoBibliography):
            of_text(tmp_path, "References\n" + (shape * size)[:size])

    assert growth(read, 12_500, 100_000) < 24


LATEX_SHAPES = ["{", "\\'", "\\'{", "%", "\\href{", "\\cite{", "\\\\", "\\input{/etc/passwd}"]


@pytest.mark.parametrize("shape", LATEX_SHAPES)
def test_hostile_latex_takes_linear_time(shape: str) -> None:
    assert growth(lambda n: plain_latex((shape * n)[:n]), 12_500, 100_000) < 24


@pytest.mark.parametrize("shape", ["<div>", "<li>", "<ol><li>a", "<p>a", "<b>", "&amp;", "<!--", "<a href='"])
def test_hostile_pages_take_linear_time(shape: str) -> None:
    def read(size: int) -> None:
        with contextlib.suppress(DocumentUnreadable):
            blocks_of_html((shape * size)[:size].encode(), "page.html")

    assert growth(read, 12_500, 100_000) < 24
