"""Bibliographies of PDFs: every style is split into its entries, whole and with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import BBox
from plugins.audit.errors import NoBibliography
from plugins.audit.references import Bibliography, ReferenceIndex, references_of
from tests.plugins.audit.references.papers import Style, entry, set_paper

STYLES = {
    "brackets": Style("[{}]", hang=18),
    "brackets without indent": Style("[{}]", hang=0),
    "points, two columns": Style("{}.", hang=14, columns=2),
    "parentheses": Style("({})", hang=16),
    "bare numbers": Style("{}", hang=14),
    "letters": Style("[Ade{:02}]", hang=30),
    "hanging": Style(),
    "hanging, two columns": Style(columns=2, hyphens=True),
    "hanging, hyphens": Style(hyphens=True),
    "hanging, numbered lines": Style(line_numbers=True),
    "hanging and gaps": Style(gap=6, columns=2),
    "gaps alone": Style(hang=0, gap=6),
    "gaps alone, two columns": Style(hang=0, gap=5, columns=2),
    "first line indented": Style(hang=0, first=14),
    "neither": Style(hang=0),
}


def texts(found: Bibliography) -> list[str]:
    return [reference.text for reference in found.references]


@pytest.mark.parametrize(
    "name", [name if n % 3 == 0 else pytest.param(name, marks=pytest.mark.thorough) for n, name in enumerate(STYLES)]
)
def test_every_style_is_split_into_whole_entries(name: str, tmp_path: Path) -> None:
    entries = [entry(i) for i in range(48)]
    found = references_of(set_paper(tmp_path / "paper.pdf", entries, STYLES[name], after="A Appendix of numbers"))
    assert texts(found) == entries
    style = STYLES[name]
    assert [ref.label for ref in found.references] == [style.label.format(i) for i in range(1, 49)]
    assert [ref.number for ref in found.references] == list(range(1, 49))


@pytest.mark.parametrize(
    "heading",
    [
        "7. References", "Literaturverzeichnis", "Références", "R E F E R E N C E S",
        *(pytest.param(heading, marks=pytest.mark.thorough) for heading in (
            "Bibliography", "REFERENCES", "Literatur", "Bibliographie", "Referencias", "Bibliografía", "Works Cited",
            "VII. References and notes",
        )),
    ],
)  # fmt: skip
def test_headings_of_four_languages(heading: str, tmp_path: Path) -> None:
    entries = [entry(i) for i in range(5)]
    found = references_of(set_paper(tmp_path / "paper.pdf", entries, Style(heading=heading)))
    assert texts(found) == entries


def test_an_entry_has_a_place_for_each_column_and_page_it_runs_over(tmp_path: Path) -> None:
    entries = [entry(i) for i in range(60)]
    found = references_of(set_paper(tmp_path / "paper.pdf", entries, Style("[{}]", hang=18, columns=2)))
    split = [ref for ref in found.references if len(ref.places) > 1]
    assert split
    assert texts(found) == entries
    pages = [place.page for ref in found.references for place in ref.places]
    assert pages == sorted(pages)
    assert pages[-1] >= 3
    for ref in found.references:
        for place in ref.places:
            tops = [box.y0 for box in place.boxes]
            assert tops == sorted(tops)
            assert all(isinstance(box, BBox) and 0.05 < box.y0 < 0.95 for box in place.boxes)
            around = BBox.union(place.boxes)
            assert around.x1 < 0.52 or around.x0 > 0.48  # one column, never both
    across = [ref for ref in split if ref.places[0].page != ref.places[1].page]
    assert across, "one entry goes over a page"


def test_several_bibliographies_of_one_paper_are_numbered_one_after_the_other(tmp_path: Path) -> None:
    import pymupdf

    first = set_paper(tmp_path / "one.pdf", [entry(i) for i in range(6)], Style("[{}]"), after="2 Another chapter")
    second = set_paper(tmp_path / "two.pdf", [entry(i) for i in range(20, 27)], Style("[{}]"))
    with pymupdf.open(first) as book, pymupdf.open(second) as rest:
        book.insert_pdf(rest)
        book.save(tmp_path / "book.pdf")
    found = references_of(tmp_path / "book.pdf")
    assert texts(found) == [entry(i) for i in (*range(6), *range(20, 27))]
    assert any("2 bibliographies" in note for note in found.notes)


def test_marks_of_the_body_name_the_entries(tmp_path: Path) -> None:
    body = "Quays are wet [2]. Others disagree [1, 3]. "
    found = references_of(set_paper(tmp_path / "paper.pdf", [entry(i) for i in range(4)], Style("[{}]"), body=body))
    assert {mark.keys for mark in found.marks} == {("2",), ("1", "3")}
    assert all(found.body[mark.start : mark.end] == mark.text for mark in found.marks)
    named = ReferenceIndex(found.references).entries_of(found.marks[1])
    assert [ref.number for ref in named] == [1, 3]
    assert entry(1) not in found.body


def test_a_paper_without_bibliography_says_what_to_do(tmp_path: Path) -> None:
    path = set_paper(tmp_path / "paper.pdf", [], Style(heading="Findings"), after="More")
    with pytest.raises(NoBibliography, match=r"paper\.pdf: no bibliography .* paste its entries"):
        references_of(path)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def test_a_scanned_bibliography_is_recognised(tmp_path: Path) -> None:
    import pymupdf

    entries = [entry(i) for i in range(1, 4)]
    printed = set_paper(tmp_path / "paper.pdf", entries, Style("[{}]", hang=18, size=11, furniture=False))
    scan = pymupdf.open()
    with pymupdf.open(printed) as pages:
        for page in pages:
            image = page.get_pixmap(dpi=150)
            scan.new_page(width=page.rect.width, height=page.rect.height).insert_image(page.rect, pixmap=image)
    scan.save(tmp_path / "scan.pdf")
    found = references_of(tmp_path / "scan.pdf")
    assert [ref.label for ref in found.references] == ["[1]", "[2]", "[3]"]
    assert all(
        letters(want)[:30] == letters(ref.text)[:30] for want, ref in zip(entries, found.references, strict=True)
    )
    assert all(ref.places for ref in found.references)
    assert any("recognised" in note for note in found.notes)
