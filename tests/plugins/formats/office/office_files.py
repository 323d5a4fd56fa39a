"""Office files of every kind, made from nothing: packages of XML, and the heads of older containers."""

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import docx
from docx.oxml import parse_xml

OOXML = "http://schemas.openxmlformats.org"
MAIN = f"{OOXML}/spreadsheetml/2006/main"
RELATIONS = f"{OOXML}/officeDocument/2006/relationships"
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "style", "presentation", "meta")
) + (
    ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
HIDDEN_PAGE = (
    '<style:style style:name="h" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)
"""A style whose pages are hidden."""


def package(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """Make a ZIP of parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return path


def relations(*entries: tuple[str, str, str]) -> str:
    """Return the part that names others: of each its key, the last word of its kind, its path."""
    lines = "".join(
        f'<Relationship Id="{key}" Type="{RELATIONS}/{kind}" Target="{target}"/>' for key, kind, target in entries
    )
    return f'<Relationships xmlns="{OOXML}/package/2006/relationships">{lines}</Relationships>'


def xlsx(
    path: Path,
    sheets: Sequence[tuple[str, str, str]],
    *,
    strings: str = "",
    styles: str = "",
    parts: Mapping[str, str] | None = None,
    types: str = "",
) -> Path:
    """Make a workbook of sheets: the name, the state and the XML inside of each."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" state="{state}" r:id="s{n}"/>' for n, (name, state, _) in enumerate(sheets)
    )
    links = [(f"s{n}", "worksheet", f"worksheets/{n}.xml") for n in range(len(sheets))]
    links += [("t", "sharedStrings", "sharedStrings.xml"), ("y", "styles", "styles.xml")]
    made = {
        "[Content_Types].xml": types or "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(*links),
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>',
    }
    made |= {
        f"xl/worksheets/{n}.xml": f'<worksheet xmlns="{MAIN}">{xml}</worksheet>' for n, (_, _, xml) in enumerate(sheets)
    }
    return package(path, made | dict(parts or {}))


def sheet_data(rows: Sequence[Sequence[str | float | None]]) -> str:
    """Return the XML of rows from A1: texts inline, numbers as they are."""
    lines = []
    for cells in rows:
        row = ""
        for value in cells:
            if value is None:
                row += "<c/>"
            elif isinstance(value, str):
                row += f'<c t="inlineStr"><is><t>{value}</t></is></c>'
            else:
                row += f"<c><v>{value}</v></c>"
        lines.append(f"<row>{row}</row>")
    return f"<sheetData>{''.join(lines)}</sheetData>"


def odf(path: Path, kind: str, body: str, styles: str = "", meta: str = "", manifest: str = "") -> Path:
    """Make an OpenDocument file of a kind (text, presentation, spreadsheet) from the XML of its body."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{media}"/>'
        for name, media in (("/", mime), ("content.xml", "text/xml"), ("meta.xml", "text/xml"))
    )
    parts = {
        "mimetype": mime,
        "META-INF/manifest.xml": f"<manifest:manifest {space}>{entries}{manifest}</manifest:manifest>",
        "content.xml": f'<office:document-content {ODF} office:version="1.2"><office:automatic-styles>{styles}'
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
        "</office:document-content>",
        "meta.xml": f'<office:document-meta {ODF} office:version="1.2"><office:meta>{meta}</office:meta>'
        "</office:document-meta>",
    }
    return package(path, parts)


def pptx_parts(slides: Sequence[tuple[bool, Sequence[str]]]) -> dict[str, str]:
    """Return the parts of a presentation that tell of notes: of each slide whether it is shown, and its notes."""
    drawing, presenting = f"{OOXML}/drawingml/2006/main", f"{OOXML}/presentationml/2006/main"
    spaces = f'xmlns:a="{drawing}" xmlns:p="{presenting}" xmlns:r="{RELATIONS}"'
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(len(slides)))
    made = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"r{n}", "slide", f"slides/slide{n}.xml") for n in range(len(slides)))
        ),
    }
    for n, (seen, notes) in enumerate(slides):
        made[f"ppt/slides/slide{n}.xml"] = f'<p:sld {spaces} show="{int(seen)}"/>'
        made[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations(("n", "notesSlide", f"../notesSlides/notes{n}.xml"))
        lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in notes)
        made[f"ppt/notesSlides/notes{n}.xml"] = (
            f'<p:notes {spaces}><p:sp><p:nvPr><p:ph type="sldNum"/></p:nvPr><p:txBody><a:p><a:fld><a:t>7</a:t></a:fld>'
            f'</a:p></p:txBody></p:sp><p:sp><p:nvPr><p:ph type="body"/></p:nvPr><p:txBody>{lines}</p:txBody></p:sp>'
            "</p:notes>"
        )
    return made


def word_head(*, locked: bool) -> bytes:
    """Return the head of an older text, locked with a password or not."""
    return struct.pack("<HHHHHH", 0xA5EC, 0xC1, 0, 0, 0, 0x0100 if locked else 0)


def workbook_head(*, locked: bool) -> bytes:
    """Return the head of an older workbook, locked with a password or not."""
    start = b"\x09\x08\x10\x00\x00\x06" + bytes(14)
    return start + (struct.pack("<HH", 0x2F, 4) + bytes(4) if locked else b"") + struct.pack("<HH", 0x85, 8) + bytes(8)


def docx_with_link(path: Path, url: str) -> Path:
    """Make a text that takes its picture and a passage from elsewhere."""
    text = docx.Document()
    text.add_paragraph("Visible words here.")
    key = text.part.relate_to(url, f"{RELATIONS}/image", is_external=True)
    drawing = f"{OOXML}/drawingml/2006"
    size = '<a:off x="0" y="0"/><a:ext cx="1905000" cy="1905000"/>'
    picture = (
        f'<w:r xmlns:w="{OOXML}/wordprocessingml/2006/main" xmlns:wp="{drawing}/wordprocessingDrawing"'
        f' xmlns:a="{drawing}/main" xmlns:pic="{drawing}/picture" xmlns:r="{RELATIONS}"><w:drawing><wp:inline>'
        '<wp:extent cx="1905000" cy="1905000"/><wp:docPr id="1" name="p"/><a:graphic>'
        f'<a:graphicData uri="{drawing}/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="x"/><pic:cNvPicPr/>'
        f'</pic:nvPicPr><pic:blipFill><a:blip r:link="{key}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
        f'<pic:spPr><a:xfrm>{size}</a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r>"
    )
    text.add_paragraph()._p.append(parse_xml(picture))
    text.save(str(path))
    return path


def docx_with_object(path: Path, url: str) -> Path:
    """Make a text that shows an OLE object which is linked, and wants to be brought up to date."""
    text = docx.Document()
    text.add_paragraph("Visible words here.")
    key = text.part.relate_to(url.removesuffix("png") + "txt", f"{RELATIONS}/oleObject", is_external=True)
    office, drawn = "urn:schemas-microsoft-com:office:office", "urn:schemas-microsoft-com:vml"
    spaces = f'xmlns:w="{OOXML}/wordprocessingml/2006/main" xmlns:r="{RELATIONS}" xmlns:o="{office}" xmlns:v="{drawn}"'
    shape = '<v:shape id="s" style="width:200pt;height:100pt"/>'
    linked = f'<o:OLEObject Type="Link" ProgID="Word.Document.12" ShapeID="s" r:id="{key}" UpdateMode="Always"/>'
    text.add_paragraph()._p.append(parse_xml(f"<w:r {spaces}><w:object>{shape}{linked}</w:object></w:r>"))
    text.save(str(path))
    return path


def odt_with_links(path: Path, url: str) -> Path:
    """Make a text that takes a picture, a section, a section by DDE and a frame from elsewhere."""
    aside = url.removesuffix("png")
    frame = '<text:p><draw:frame svg:width="5cm" svg:height="5cm" text:anchor-type="as-char">{}</draw:frame></text:p>'
    shown = 'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"'
    return odf(
        path,
        "text",
        "<text:p>Visible words here.</text:p>"
        + frame.format(f'<draw:image xlink:href="{url}" {shown}/>')
        + f'<text:section text:name="S"><text:section-source xlink:href="{aside}txt" xlink:type="simple"'
        ' text:filter-name="Text"/><text:p>old</text:p></text:section>'
        '<text:section text:name="D"><office:dde-source office:name="d" office:dde-application="soffice"'
        f' office:dde-topic="{aside}txt" office:dde-item="x" office:automatic-update="true"/><text:p>dde</text:p>'
        "</text:section>" + frame.format(f'<draw:object xlink:href="{aside}odt" {shown}/>'),
    )


def odp_with_links(path: Path, url: str) -> Path:
    """Make a slide that takes a picture and a film from elsewhere."""
    frame = '<draw:frame svg:width="5cm" svg:height="5cm" svg:x="1cm" svg:y="{}cm">{}</draw:frame>'
    shown = 'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"'
    image = frame.format(1, f'<draw:image xlink:href="{url}" {shown}/>')
    film = f'<draw:plugin xlink:href="{url}?film" {shown} draw:mime-type="application/vnd.sun.star.media"/>'
    words = frame.format(12, "<draw:text-box><text:p>Visible words here.</text:p></draw:text-box>")
    return odf(path, "presentation", f'<draw:page draw:name="p">{image}{frame.format(7, film)}{words}</draw:page>')


def rtf_with_links(path: Path, url: str) -> Path:
    """Make a text that takes a picture, a passage, a value by DDE and a picture of its HTML from elsewhere."""
    field = r"{\field{\*\fldinst {%s}}{\fldrslt x}}\par"
    aside = url.removesuffix("png") + "txt"
    fields = (f'INCLUDEPICTURE "{url}" \\\\d', f'INCLUDETEXT "{aside}"', f'DDEAUTO soffice "{aside}" x')
    html = rf'{{\*\htmltag <img src="{url}">}}'
    path.write_text(r"{\rtf1\ansi Visible words here.\par" + "".join(field % f for f in fields) + html + r"\par}")
    return path
