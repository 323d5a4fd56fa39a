"""Office packages, and numbers as their formats show them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from indexing.errors import DamagedFile, EncryptedFile, FileError, TooLarge, UnsupportedFile
from indexing.settings import IndexingSettings
from plugins.formats.office import packages
from plugins.formats.office.documents import slide_notes
from plugins.formats.office.grid import BUILT_IN, format_number
from plugins.formats.office.packages import OfficePackage, check_ole
from tests.plugins.formats.compound_file import compound_file
from tests.plugins.formats.office import office_files

SETTINGS = IndexingSettings(max_unpacked_mb=1)
LOCKED = '<manifest:file-entry manifest:full-path="x"><manifest:encryption-data/></manifest:file-entry>'
MACROS = '<Types><Override ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>'


def zipped(parts: Mapping[str, str | bytes]) -> Callable[[Path], object]:
    return lambda path: office_files.package(path, parts)


def written(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (zipped({"word/document.xml": bytes(3_000_000)}), TooLarge, "unpacks to 2 MB, the limit is 1: raise"),
        (zipped({f"{n}": b"" for n in range(11)}), TooLarge, "11 files inside, the limit is 10"),
        (written(b"PK\x03\x04" + bytes(100)), DamagedFile, "damaged or cut short"),
        (written(compound_file({"EncryptedPackage": b"x"})), EncryptedFile, "locked with a password"),
        (lambda path: office_files.odf(path, "text", "", manifest=LOCKED), EncryptedFile, "locked with a password"),
        (written(compound_file({"WordDocument": b"x"})), UnsupportedFile, "one of the older format"),
        (zipped({"[Content_Types].xml": MACROS}), UnsupportedFile, "contains macros"),
    ],
)
def test_what_is_not_to_be_read_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], object],
    error: type[FileError],
    message: str,
) -> None:
    monkeypatch.setattr(packages, "MAX_PARTS", 10)
    make(tmp_path / "a.docx")
    with pytest.raises(error, match=message):
        OfficePackage(tmp_path / "a.docx", SETTINGS)


def test_a_package_that_lies_about_its_sizes_is_damaged(tmp_path: Path) -> None:
    path = office_files.package(tmp_path / "liar.odt", {"content.xml": bytes(5000)})
    path.write_bytes(path.read_bytes().replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    with OfficePackage(path, SETTINGS) as package, pytest.raises(DamagedFile):
        package.tree("content.xml")


def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    xml = f'<!DOCTYPE r [<!ENTITY e "inner"><!ENTITY s SYSTEM "{secret.as_uri()}">]><r>a&s;b&e;c</r>'
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE r [<!ENTITY l0 "lol">{laughs}]><r>&l9;</r>'
    parts = {"content.xml": xml, "bomb.xml": bomb, "torn.xml": "<a><b></a>"}
    with OfficePackage(office_files.package(tmp_path / "x.odt", parts), SETTINGS) as package:
        root = package.tree("content.xml")
        assert root is not None
        assert [str(node.text) for node in root] == ["&s;", "&e;"]
        with pytest.raises(DamagedFile, match="amplification"):
            package.tree("bomb.xml")
        with pytest.raises(DamagedFile):
            package.tree("torn.xml")


@pytest.mark.parametrize(
    ("stream", "head"),
    [
        ("WordDocument", office_files.word_head), ("Workbook", office_files.workbook_head),
        ("EncryptedSummary", lambda *, locked: b"x" if locked else None),
    ],
)  # fmt: skip
def test_passwords_of_older_files(tmp_path: Path, stream: str, head: Callable[..., bytes | None]) -> None:
    path = tmp_path / "a.doc"
    for locked in (True, False):
        content = head(locked=locked)
        path.write_bytes(compound_file({"Other": b"x"} | ({stream: content.ljust(600, b"\0")} if content else {})))
        if locked:
            with pytest.raises(EncryptedFile):
                check_ole(path)
        else:
            check_ole(path)
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(DamagedFile, match=r"a\.doc: damaged"):
        check_ole(path)


def test_notes_of_powerpoint(tmp_path: Path) -> None:
    parts = office_files.pptx_parts([(True, ["Say hello.", ""]), (False, ["Hidden."]), (True, [])])
    with OfficePackage(office_files.package(tmp_path / "a.pptx", parts), SETTINGS) as package:
        slides = slide_notes(package)
    assert [(s.paragraphs, s.hidden) for s in slides] == [
        (("Say hello.",), False), (("Hidden.",), True), ((), False),
    ]  # fmt: skip
    del parts["ppt/slides/slide1.xml"]
    with (
        OfficePackage(office_files.package(tmp_path / "b.pptx", parts), SETTINGS) as package,
        pytest.raises(DamagedFile, match="a slide is missing"),
    ):
        slide_notes(package)


def test_notes_of_opendocument(tmp_path: Path) -> None:
    notes = (
        '<presentation:notes><draw:frame presentation:class="footer"><draw:text-box><text:p>no</text:p></draw:text-box>'
        "</draw:frame><draw:frame><draw:text-box><text:p>Speak<text:s/>up,<text:span> <text:span>Ada"
        "</text:span></text:span>!</text:p></draw:text-box></draw:frame></presentation:notes>"
    )
    pages = f'<draw:page>{notes}</draw:page><draw:page draw:style-name="h"/>'
    style = office_files.HIDDEN_PAGE
    with OfficePackage(office_files.odf(tmp_path / "a.odp", "presentation", pages, style), SETTINGS) as package:
        slides = slide_notes(package)
    assert [(s.paragraphs, s.hidden) for s in slides] == [(("Speak up, Ada!",), False), ((), True)]


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (1234.5, "0", "1235"), (1234.5, "#,##0.00", "1,234.50"), (1234567.0, "#,##0", "1,234,567"),
        (0.0, "#,##0", "0"), (0.5, "0%", "50%"), (0.1234, "0.0%", "12.3%"), (2.675, "0.00", "2.68"),
        (-5.0, "0.00", "-5.00"), (-5.0, "0;(0)", "(5)"), (-5.0, '#,##0 "kg"', "-5 kg"),
        (0.0, '0;-0;"none"', "none"), (12.0, '"Nr. "000', "Nr. 012"), (1234.0, "[$€-407] #,##0.00", "€ 1,234.00"),
        (1234.0, "#,##0.00 [$€]", "1,234.00 €"), (5.0, "[Red]0.0", "5.0"), (1234567.0, '0.0,,"M"', "1.2M"),
        (12345.0, "0.00E+00", "1.23E+04"), (0.00012, "0.0E+0", "1.2E-4"), (2.5, "# ?/?", "2.5"),
        (1.5, "0.0##", "1.5"), (-0.001, "0.00", "0.00"), (150.0, '[>=100]"big";"small"', "big"),
        (50.0, '[>=100]"big";"small"', "small"), (-5.0, "[>=1000]0.0;0", "-5"), (5.0, "0,000", "0,005"),
        (0.0, "#,###", ""), (7.0, "@", "7"), (7.25, "General", "7.25"),
        (45429.0, "yyyy-mm-dd", "2024-05-17"), (45429.0, "dd.mm.yyyy", "17.05.2024"),
        (45429.0, "d mmmm yyyy", "17 May 2024"), (45429.0, "ddd, mmm d", "Fri, May 17"),
        (45429.75, "yyyy-mm-dd hh:mm", "2024-05-17 18:00"), (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.5 + 61 / 86400, "hh:mm:ss", "12:01:01"), (1.5, "[h]:mm", "36:00"), (0.001, "mm:ss", "01:26"),
        (0.0000115741, "ss.00", "01.00"), (1.0, "yyyy-mm-dd", "1900-01-01"), (61.0, "yyyy-mm-dd", "1900-03-01"),
        (-1.0, "yyyy-mm-dd", "-1"), (1e9, "yyyy-mm-dd", "1000000000"), (45429.0, BUILT_IN[14], "2024-05-17"),
        (45429.999999, "yyyy-mm-dd hh:mm:ss", "2024-05-18 00:00:00"),
    ],
)  # fmt: skip
def test_numbers_dates_and_times(value: float, code: str, expected: str) -> None:
    assert format_number(value, code) == expected


@pytest.mark.parametrize(
    "code", ["", ";;;", '"', "[", "\\", "0" * 500, "#,##0" * 80, "E+", "[h", "?/?", "0.0.0", "%%%", "/", "[>=1.1.1]0"]
)
def test_no_format_breaks_it(code: str) -> None:
    for value in (0.0, -1.5, 1e22, 12345.678, float("inf")):
        assert isinstance(format_number(value, code), str)
