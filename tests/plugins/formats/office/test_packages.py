"""Packages: bombs, passwords, macros and entities are refused or harmless, each with the error that fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.errors import DamagedFile, EncryptedFile, TooLarge, UnsupportedFile
from indexing.settings import IndexingSettings
from plugins.formats.office import packages
from plugins.formats.office.notes import slide_notes
from plugins.formats.office.packages import OfficePackage, check_ole
from plugins.formats.office.properties import properties
from tests.plugins.formats.office import office_files

SETTINGS = IndexingSettings()
LOCKED = '<manifest:file-entry manifest:full-path="x"><manifest:encryption-data/></manifest:file-entry>'


def test_a_zip_bomb_is_too_large(tmp_path: Path) -> None:
    bomb = office_files.package(tmp_path / "bomb.docx", {"word/document.xml": bytes(3_000_000)})
    with pytest.raises(TooLarge, match="unpacks to 2 MB, the limit is 1: raise max_unpacked_mb"):
        OfficePackage(bomb, SETTINGS.with_values(max_unpacked_mb=1))


def test_a_package_that_lies_about_its_sizes_is_damaged(tmp_path: Path) -> None:
    path = office_files.package(tmp_path / "liar.odt", {"content.xml": bytes(5000)})
    path.write_bytes(path.read_bytes().replace((5000).to_bytes(4, "little"), (50).to_bytes(4, "little")))
    with OfficePackage(path, SETTINGS) as package, pytest.raises(DamagedFile):
        package.tree("content.xml")


def test_damaged_packages(tmp_path: Path) -> None:
    path = tmp_path / "cut.docx"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(DamagedFile, match="damaged or cut short"):
        OfficePackage(path, SETTINGS)
    torn = office_files.package(tmp_path / "x.odt", {"content.xml": "<a><b></a>"})
    with OfficePackage(torn, SETTINGS) as package, pytest.raises(DamagedFile):
        package.tree("content.xml")


def test_entities_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    xml = f'<!DOCTYPE r [<!ENTITY e "inner"><!ENTITY s SYSTEM "{secret.as_uri()}">]><r>a&s;b&e;c</r>'
    with OfficePackage(office_files.package(tmp_path / "x.odt", {"content.xml": xml}), SETTINGS) as package:
        root = package.tree("content.xml")
        assert root is not None
        assert [str(node.text) for node in root] == ["&s;", "&e;"]


def test_a_bomb_of_entities_is_damaged(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    xml = f'<!DOCTYPE r [<!ENTITY l0 "lol">{laughs}]><r>&l9;</r>'
    with (
        OfficePackage(office_files.package(tmp_path / "x.odt", {"content.xml": xml}), SETTINGS) as package,
        pytest.raises(DamagedFile, match="amplification"),
    ):
        package.tree("content.xml")


def test_passwords_of_newer_files(tmp_path: Path) -> None:
    with pytest.raises(EncryptedFile, match="locked with a password"):
        OfficePackage(office_files.ole(tmp_path / "a.docx", stream="EncryptedPackage"), SETTINGS)
    with pytest.raises(EncryptedFile):
        OfficePackage(office_files.odf(tmp_path / "a.odt", "text", "", manifest=LOCKED), SETTINGS)
    with pytest.raises(UnsupportedFile, match="one of the older format"):
        OfficePackage(office_files.ole(tmp_path / "b.docx"), SETTINGS)


def test_passwords_of_older_files(tmp_path: Path) -> None:
    heads = [office_files.word_head(locked=True), office_files.workbook_head(locked=True)]
    for n, head in enumerate(heads):
        with pytest.raises(EncryptedFile):
            check_ole(office_files.ole(tmp_path / f"{n}.doc", at_512=head))
    with pytest.raises(EncryptedFile):
        check_ole(office_files.ole(tmp_path / "s.ppt", stream="EncryptedSummary"))
    for head in (office_files.word_head(locked=False), office_files.workbook_head(locked=False), b""):
        check_ole(office_files.ole(tmp_path / "open.doc", at_512=head))


def test_files_that_say_that_they_hold_macros_are_not_read(tmp_path: Path) -> None:
    types = '<Types><Override ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>'
    with pytest.raises(UnsupportedFile, match="contains macros"):
        OfficePackage(office_files.xlsx(tmp_path / "m.xlsx", [], types=types), SETTINGS)


def test_a_package_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "MAX_PARTS", 10)
    path = office_files.package(tmp_path / "many.docx", {f"{n}": b"" for n in range(11)})
    with pytest.raises(TooLarge, match="11 files inside, the limit is 10"):
        OfficePackage(path, SETTINGS)


def test_properties_of_both_kinds(tmp_path: Path) -> None:
    core = (
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/"><dc:title> The\n mills '
        "</dc:title><dc:creator>Ada 霍尔姆</dc:creator><dc:language>de-DE</dc:language>"
        "<t:created>2023-01-02T00:00:00Z</t:created><t:modified>2024-05-17T10:00:00Z</t:modified></c>"
    )
    with OfficePackage(office_files.package(tmp_path / "a.docx", {"docProps/core.xml": core}), SETTINGS) as package:
        told = properties(package)
    assert (told.title, told.metadata.author) == ("The mills", "Ada 霍尔姆")
    assert (told.metadata.date, told.metadata.language) == ("2024-05-17", "de")
    meta = "<dc:title>Mühlen</dc:title><meta:initial-creator>Bea</meta:initial-creator><dc:date>2022-03-04T1</dc:date>"
    with OfficePackage(office_files.odf(tmp_path / "a.odt", "text", "", meta=meta), SETTINGS) as package:
        told = properties(package)
    assert (told.title, told.metadata.author, told.metadata.date) == ("Mühlen", "Bea", "2022-03-04")


def test_notes_of_powerpoint(tmp_path: Path) -> None:
    parts = office_files.pptx_parts([(True, ["Say hello.", ""]), (False, ["Hidden."]), (True, [])])
    with OfficePackage(office_files.package(tmp_path / "a.pptx", parts), SETTINGS) as package:
        slides = slide_notes(package)
    assert [(s.number, s.paragraphs, s.hidden) for s in slides] == [
        (1, ("Say hello.",), False),
        (2, ("Hidden.",), True),
        (3, (), False),
    ]


def test_notes_of_opendocument(tmp_path: Path) -> None:
    style = (
        '<style:style style:name="h"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    notes = (
        '<presentation:notes><draw:frame presentation:class="footer"><draw:text-box><text:p>no</text:p></draw:text-box>'
        "</draw:frame><draw:frame><draw:text-box><text:p>Speak<text:s/>up,<text:span> <text:span>Ada"
        "</text:span></text:span>!</text:p></draw:text-box></draw:frame></presentation:notes>"
    )
    slide = "<draw:frame><draw:text-box><text:p>On the slide</text:p></draw:text-box></draw:frame>"
    pages = f'<draw:page>{slide}{notes}</draw:page><draw:page draw:style-name="h">{slide}</draw:page>'
    with OfficePackage(office_files.odf(tmp_path / "a.odp", "presentation", pages, style), SETTINGS) as package:
        slides = slide_notes(package)
    assert [(s.paragraphs, s.hidden) for s in slides] == [(("Speak up, Ada!",), False), ((), True)]
