"""Peaks and growth out of samples, and the joined PDF."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from evaluation.benches.memory import MemorySample, growth, join, peak

SAMPLES = [
    MemorySample(0, 50, 0),
    MemorySample(100, 60, 140),
    MemorySample(400, 70, 100),
    MemorySample(900, 80, 150),
    MemorySample(1600, 90, 10),
]


def test_the_peak_is_of_all_processes_together() -> None:
    assert peak(SAMPLES) == MemorySample(900, 80, 150)


def test_the_peak_of_a_part_sees_only_that_part() -> None:
    assert peak(SAMPLES, 400).total == 200
    assert peak(SAMPLES, 899, 400).total == 170


def test_the_peak_of_nothing_is_zero() -> None:
    assert peak([], 400).total == 0


def test_growth_is_in_percent_of_the_early_peak() -> None:
    assert growth(SAMPLES, 400, 1600) == pytest.approx(15.0)


def test_no_early_sample_means_no_growth() -> None:
    assert growth(SAMPLES[3:], 400, 1600) == 0.0


def test_the_joined_pdf_has_exactly_the_pages_asked_for(tmp_path: Path) -> None:
    paths = []
    for name, pages in (("a", 2), ("b", 3)):
        document = pymupdf.open()
        for number in range(pages):
            document.new_page().insert_text((72, 72), f"{name}{number}")
        paths.append(tmp_path / f"{name}.pdf")
        document.save(paths[-1])
    join(paths, 8, tmp_path / "joined.pdf")
    with pymupdf.open(tmp_path / "joined.pdf") as joined:
        found = [page.get_text().strip() for page in joined]
    assert sorted(found) == ["a0", "a0", "a1", "a1", "b0", "b0", "b1", "b2"]
    assert found != ["a0", "a1", "b0", "b1", "b2", "a0", "a1", "b0"]  # mixed
