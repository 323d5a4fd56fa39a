"""What an export writes, and what it never writes over."""

import csv
import io
import json
import resource
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pymupdf
import pytest
from PIL import Image

from indexing import Collection, FileError
from indexing.embed.minilm import MiniLM
from rag import Anchor, Citation, Sentence, read_citevqa, resolve
from tests.ui.real_collection import LINES, answer_of, mill, proven
from tests.ui.stand_ins import HOSTILE
from ui.errors import ExportError
from ui.export.claims import _quote_with_context
from ui.export.export import export
from ui.export.sources import MARK, gather
from ui.show import clean

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Shelf = tuple[Collection, list[Citation]]

NAMES = [
    "answer.html",
    "answer.md",
    "1-mill.pdf-p1.png",
    "2-mill.pdf-p1.png",
    "answer.csv",
    "answer.xlsx",
    "answer.json",
    "answer.bbox",
    "answer.vouch",
    "answer.bib",
    "answer.ris",
    "1-mill.pdf",
]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Shelf]:
    collection, _, citations = mill(tmp_path_factory.mktemp("shelf"), embedder)
    yield collection, citations
    collection.close()


def highlighted(path: Path) -> list[str]:
    """The text under each annotation of a PDF."""
    with pymupdf.open(path) as document:
        return [page.get_textbox(a.rect).strip() for page in document for a in page.annots()]


def test_another_place_that_was_retrieved_is_not_drawn_as_a_proof(shelf: Shelf) -> None:
    collection, citations = shelf
    own, other = Sentence("A.", (citations[0],), "quoted"), Sentence("B.", (citations[1],), "quoted", beside=True)
    pictures = [Image.open(io.BytesIO(source.png)) for source in gather(answer_of(own, other), collection).sources]
    coloured = [max(max(p) - min(p) for _, p in picture.getcolors(1 << 24)) for picture in pictures]  # type: ignore[arg-type,type-var]
    assert (coloured[0] > 60, coloured[1] < 20) == (True, True)


def test_the_claims_become_rows_of_a_spreadsheet(shelf: Shelf, tmp_path: Path) -> None:
    collection, citations = shelf
    answer = answer_of(
        Sentence(f"={HOSTILE}", tuple(citations[:2]), "confirmed", "as it says", checked_by="words"),
        Sentence("Nobody knows.", (), "unconfirmed"),
    )
    (file,) = export(answer, collection, tmp_path / "claims.csv")
    heads, *rows = csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline=""))
    claims = [dict(zip(heads, row, strict=True)) for row in rows]
    assert [(c["Number"], c["Source"], c["Verdict"]) for c in claims] == [
        ("1", "1", "confirmed"),
        ("1", "2", "confirmed"),
        ("2", "", "not confirmed"),
    ]
    assert claims[0]["Sentence"].startswith("'=")
    assert claims[0]["How it was checked"] == "by the words of the cited place: as it says"
    box = [float(claims[0][side]) for side in ("Left", "Top", "Right", "Bottom")]
    assert box == pytest.approx(citations[0].boxes[0].as_tuple(), abs=1e-4)
    assert Anchor.parse(claims[1]["Anchor"]).page == citations[1].page
    assert export(answer, collection, file) == [file], "an export may replace its own file"


def test_the_rows_of_a_workbook_link_to_the_boxes_in_the_page_beside_it(shelf: Shelf, tmp_path: Path) -> None:
    collection, citations = shelf
    answer = answer_of(
        Sentence(f"={HOSTILE}\x0b", tuple(citations[:2]), "confirmed"), Sentence("No.", (), "unconfirmed")
    )
    book, page = export(answer, collection, tmp_path / "our claims.xlsx")
    with zipfile.ZipFile(book) as parts:
        sheet = ET.fromstring(parts.read("xl/worksheets/sheet1.xml"))
        links = ET.fromstring(parts.read("xl/worksheets/_rels/sheet1.xml.rels"))
    rows = [["".join(cell.itertext()) for cell in row] for row in sheet.iter(f"{SHEET}row")]
    claims = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    assert [c["Box in our claims.html"] for c in claims] == ["open", "open", ""]
    assert claims[0]["Sentence"] == f"={clean(HOSTILE)}"
    assert not list(sheet.iter(f"{SHEET}f")), "no cell is a formula"
    assert [link.get("Target") for link in links] == ["our%20claims.html"]
    anchors = [link.get("location") for link in sheet.iter(f"{SHEET}hyperlink")]
    assert anchors == ["source-1", "source-2"]
    assert all(f'id="{anchor}"' in page.read_text() for anchor in anchors)
    assert export(answer, collection, book) == [book, page], "an export may replace its own files"


@pytest.mark.parametrize(
    ("text", "earlier", "around"),
    [
        ("A tide, tides; a Tide.", 0, "A tide, tides; a Tide."),
        (f"tide {'b ' * 90}tide {'c ' * 90}", 1, f"… {'b ' * 59}tide {'c ' * 59}…"),
        ("nothing", 0, ""),
    ],
)
def test_the_words_around_a_quote(text: str, earlier: int, around: str) -> None:
    assert _quote_with_context(text, "tide", earlier).split() == around.split()


def test_a_folder_gets_every_form(shelf: Shelf, tmp_path: Path) -> None:
    collection, citations = shelf
    files = export(proven(citations), collection, tmp_path / "new" / "out")
    assert [p.name for p in files] == NAMES
    assert all(MARK.encode() in p.read_bytes() for p in files)
    assert highlighted(tmp_path / "new" / "out" / "1-mill.pdf") == list(LINES)
    with Image.open(next(p for p in files if p.suffix == ".png")) as picture:
        assert picture.width > picture.height > 60
    assert [p for p in (tmp_path / "new" / "out").rglob("*") if p.is_file() and p not in files] == []


def test_the_json_has_anchors_that_resolve(shelf: Shelf, tmp_path: Path) -> None:
    collection, citations = shelf
    (path,) = export(proven(citations), collection, tmp_path / "a.bbox")
    assert [s.text for s in read_citevqa(path.read_text()).statements] == list(LINES)
    assert path.read_text().rstrip().endswith("doc 1: mill.pdf -->")
    (path,) = export(proven(citations), collection, tmp_path / "a.json")
    told = json.loads(path.read_text())
    cited = [c for s in told["sentences"] for c in s["citations"]]
    assert [c["number"] for c in cited] == [1, 2]
    for citation, line in zip(cited, LINES, strict=True):
        found = resolve(Anchor.parse(citation["anchor"]), collection)
        assert (found.state, found.citation and found.citation.quote) == ("found", line)
    assert told["question"] == "When was the mill built?"


def test_a_document_that_acts_is_exported_without_that_and_the_report_says_so(tmp_path: Path, embedder: MiniLM) -> None:
    collection, (document,), citations = mill(tmp_path, embedder)
    source = collection.originals.path(document)
    with pymupdf.open(source) as acting:
        acting.embfile_add("program", b"EVIL", filename="program.exe")
        acting.xref_set_key(acting.pdf_catalog(), "AA", "<</WC<</S/JavaScript/JS(EVIL)>>>>")
        changed = acting.tobytes()
    source.write_bytes(changed)
    told: list[str] = []
    (pdf,) = export(proven(citations), collection, tmp_path / "x.pdf", told.append)
    said = "Left out of the PDF of mill.pdf: embedded files, JavaScript."
    assert told == [said]
    with pymupdf.open(pdf) as made:
        assert b"EVIL" not in made.tobytes(expand=255)
        assert "Left out of this copy: embedded files, JavaScript." in next(made[0].annots()).info["content"]
    export(proven(citations), collection, tmp_path / "all", told.append)
    assert told == [said, said]
    for name in ("answer.html", "answer.md", "answer.json"):
        assert "embedded files, JavaScript" in (tmp_path / "all" / name).read_text()
    collection.close()


def test_an_abstention_has_no_pdf(shelf: Shelf, tmp_path: Path) -> None:
    collection, _ = shelf
    files = export(answer_of(), collection, tmp_path / "out")
    assert [p.name for p in files] == [
        "answer.html",
        "answer.md",
        "answer.csv",
        "answer.xlsx",
        "answer.json",
        "answer.bbox",
    ]
    with pytest.raises(ExportError, match="nothing was cited"):
        export(answer_of(), collection, tmp_path / "a.pdf")


# ---- what is already there -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["1-mill.pdf", "answer.files/2-mill.pdf-p1.png"])
def test_a_file_of_somebody_else_is_left_alone(shelf: Shelf, tmp_path: Path, name: str) -> None:
    collection, citations = shelf
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("my own notes")
    with pytest.raises(ExportError, match="not an export of Vouch"):
        export(proven(citations), collection, tmp_path)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [tmp_path / name]
    assert (tmp_path / name).read_text() == "my own notes"
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ExportError, match="already exists"):
        export(proven(citations), collection, link)


# ---- places that cannot be written ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("file/below.md", "file: is not a folder"),
        ("a" * 300 + ".md", "too long"),
        ("a" * 300, "too long"),
        ("out.docx", "the name of an export ends in .html"),
        ("nul\0.md", "null"),
    ],
)
def test_a_bad_place_is_one_error(shelf: Shelf, tmp_path: Path, place: str, said: str) -> None:
    collection, citations = shelf
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match=said) as caught:
        export(proven(citations), collection, tmp_path / place)
    assert "\n" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_is_one_error_and_leaves_no_half_file(shelf: Shelf, tmp_path: Path) -> None:
    collection, citations = shelf
    answer = proven(citations)
    whole = export(answer, collection, tmp_path / "a.html")[0].read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))  # no file of this process may grow beyond that
    try:
        with pytest.raises(ExportError, match=r"a\.html: cannot be written"):
            export(answer, collection, tmp_path / "a.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").read_bytes() == whole


# ---- documents that fail -------------------------------------------------------------------------------------------


def test_a_document_that_cannot_be_opened_any_more_is_told(tmp_path: Path, embedder: MiniLM) -> None:
    collection, (document, _), citations = mill(tmp_path, embedder, "mill.pdf", "other.pdf")
    (collection.path / "sources" / f"{document.sha256}.pdf").write_bytes(b"%PDF-1.7 cut off")
    files = export(proven([citations[0], citations[2]]), collection, tmp_path / "out")
    assert [p.name for p in files if p.suffix in (".pdf", ".png")] == ["2-other.pdf-p1.png", "2-other.pdf"]
    assert "No PDF with highlights" in (tmp_path / "out" / "answer.html").read_text()
    with pytest.raises(FileError):
        export(proven(citations[:1]), collection, tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()
    collection.close()


def test_hostile_text_reaches_every_form_disarmed(shelf: Shelf, tmp_path: Path) -> None:
    collection, (one, _) = shelf
    hostile = replace(one, document=f"../{HOSTILE}.pdf", quote=HOSTILE + "\ud800")
    answer = answer_of(Sentence(HOSTILE + "\ud800</script>", (hostile,), "unconfirmed"), question=HOSTILE + "\ud800")
    files = export(answer, collection, tmp_path / "out")
    assert all(tmp_path / "out" in p.parents for p in files)
    for path in files:
        data = path.read_bytes() if path.suffix != ".vouch" else zipfile.ZipFile(path).read("index.html")
        assert b"\x1b" not in data or path.suffix in (".pdf", ".png", ".bbox")
        assert b"<img src=x" not in data or path.suffix in (".json", ".bbox", ".bib", ".ris", ".csv")
    with pymupdf.open(next(p for p in files if p.suffix == ".pdf")) as document:
        (note,) = [a.info["content"] for a in document[0].annots()]
    assert "\x1b" not in note
    assert "\u202e" not in note
