"""The entries of a bibliography in every style and form, and the marks that name them."""

import zipfile
from pathlib import Path

import pytest

from indexing import BBox
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.marks import find_marks
from plugins.audit.references import BibliographicFields, Bibliography, Reference, ReferenceIndex, references_of
from plugins.audit.references.headings import Span
from plugins.audit.references.lines import TextLine
from plugins.audit.references.reading import bibliography_of
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


ENTRIES = [entry(i) for i in range(7)]


def test_word(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    document.add_heading("The weather of quays", 0)
    document.add_paragraph("Quays are wet (Adeyemi & Brandt, 1980).")
    document.add_heading("Literaturverzeichnis", 1)
    for text in ENTRIES:
        document.add_paragraph(text)
    document.add_heading("Anhang A", 1)
    document.add_paragraph("Not an entry, though written in 1999.")
    document.save(str(tmp_path / "paper.docx"))
    found = references_of(tmp_path / "paper.docx")
    assert texts(found) == ENTRIES
    [mark] = found.marks
    assert [ref.number for ref in ReferenceIndex(found.references).entries_of(mark)] == [1]
    assert found.references[0].places == ()


def test_a_web_page(tmp_path: Path) -> None:
    items = "".join(
        f"<li id='r{i}'><em>{text.split('.')[0]}</em>{text[text.index('.') :]}</li>" for i, text in enumerate(ENTRIES)
    )
    page = (
        "<html><head><title>References</title><script>References</script></head><body><nav>References</nav>"
        f"<h1>Quays</h1><p>Quays are wet [2].</p><h2>References</h2><ol>{items}</ol>"
        "<h2>Appendix</h2><p>In 1999.</p></body></html>"
    )
    (tmp_path / "paper.html").write_text(page, "utf-8")
    found = references_of(tmp_path / "paper.html")
    assert texts(found) == ENTRIES
    assert [ref.label for ref in found.references] == [str(i) for i in range(1, 8)]
    assert [ref.number for mark in found.marks for ref in ReferenceIndex(found.references).entries_of(mark)] == [2]


@pytest.mark.parametrize("form", ["{text}\n\n", "- {text}\n", "{n}. {text}\n", "[{n}] {text}\n\n", "{text}\n"])
def test_markdown_and_text_lists(form: str, tmp_path: Path) -> None:
    lines = "".join(form.format(n=n, text=text) for n, text in enumerate(ENTRIES, 1))
    (tmp_path / "paper.md").write_text(
        f"# Quays\n\nThey are wet.\n\n## References\n\n{lines}\n## Appendix\n\nIn 1999.\n"
    )
    assert texts(references_of(tmp_path / "paper.md")) == ENTRIES
    (tmp_path / "pasted.txt").write_text(lines)
    assert texts(references_of(tmp_path / "pasted.txt")) == ENTRIES


def test_a_dash_or_a_rule_stands_for_the_authors_of_the_entry_before() -> None:
    printed = [
        (60, "Adeyemi, Ada and Bo Brandt (1980) “On the slow measurement of rainfall"),
        (72, "near quays,” Journal of Weather, 4, 10-19."),
        (100, "(1984) “On the slow measurement of tides near bridges,” Annals of Ice,"),
        (72, "5, 20-29."),
        (60, "Castillo, Cem. “On lanterns in harbours and what they tell observers.”"),
        (72, "Letters on Fruit 6 (1990): 1-9."),
        (60, "———. H. G. Bronn, Ernst Haeckel, and the Archives of Looms. Boston: Holm"),
        (72, "Press, 1991."),
        (60, "[——— ]. “On glaciers near archives and orchards and what they tell.”"),
        (72, "Review of Quays 7 (1992): 3-8."),
        (60, "– “On orchards and meadows by the harbour.” Annals of Ice 8 (1993): 4-9."),
    ]
    lines = [TextLine(text, 1, 0, x, 400, 12 * n, 12 * n + 10, 9) for n, (x, text) in enumerate(printed)]
    found = [reference.fields for reference in bibliography_of(lines, [Span(0, len(lines), "References")]).references]
    two, one = ("Adeyemi, Ada", "Bo Brandt"), ("Castillo, Cem",)
    assert [fields.authors for fields in found] == [two, two, one, one, one, one]
    assert [fields.year for fields in found] == ["1980", "1984", "1990", "1991", "1992", "1993"]
    assert ["authors" in fields.doubtful for fields in found] == [False, True, False, True, True, True]


def test_files_that_cannot_be_read_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("\\bibitem{a} A. Holm. Mills. 2001.")
    with pytest.raises(DocumentUnreadable, match=r"a\.tex: LaTeX is not read: give the paper as PDF"):
        references_of(tmp_path / "a.tex")
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DocumentUnreadable, match=r"a\.docx"):
        references_of(tmp_path / "a.docx")
    with pytest.raises(DocumentUnreadable, match=r"b\.txt"):
        references_of(tmp_path / "b.txt")
    with zipfile.ZipFile(tmp_path / "c.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"word/{number or 'document'}.xml", b"<a>" + b"0" * (90 << 20))
    with pytest.raises(DocumentUnreadable, match="unpacks to 377 MB"):
        references_of(tmp_path / "c.docx")


def reference(number: int, text: str, label: str = "", **fields: object) -> Reference:
    return Reference(number, text, BibliographicFields(**fields), label)  # type: ignore[arg-type]


WORKS = [
    reference(1, "Okoro, A. and Lindt, B. 2019. Rain.", authors=("Okoro, A.", "Lindt, B."), year="2019"),
    reference(2, "Okoro, A. and Paz, C. 2019. Hail.", authors=("Okoro, A.", "Paz, C."), year="2019"),
    reference(3, "van der Aa, D. (2020a). Snow. https://www.rain.example/a"),
    reference(4, "van der Aa, D. (2020b). Sleet. doi:10.1000/182", doi="10.1000/182"),
    reference(5, "Ministry of Rain. Floods. 2001."),
]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(Okoro & Lindt, 2019)", [1]), ("(Okoro et al., 2019)", [1, 2]), ("Aa (2020a)", [3]),
        ("van der Aa (2020)", [3, 4]), ("(Ministry of Rain 2001)", [5]), ("https://doi.org/10.1000/182", [4]),
        ("[2]", [2]), ("(Lindt, 2019)", []), ("(Okoro, 2018)", []), ("[9]", []),
    ],
)  # fmt: skip
def test_a_mark_names_its_entries(text: str, numbers: list[int]) -> None:
    [mark] = find_marks(text)
    assert [ref.number for ref in ReferenceIndex(WORKS).entries_of(mark)] == numbers
