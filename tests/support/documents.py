"""The files that tests index: plain ones, scans, and everything that goes wrong with files."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pymupdf
from PIL import Image, ImageDraw, ImageFont

A5 = (420, 595)
"""The size of the pages made here, in points."""


def pdf(path: Path, *pages: Sequence[str], size: tuple[float, float] = A5, **save: object) -> Path:
    """Make a PDF with one paragraph a line of each page, 40 points apart; `save` goes to pymupdf's `save`."""
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page(width=size[0], height=size[1])
        for number, line in enumerate(lines):
            page.insert_text((40, 60 + 40 * number), line, fontsize=11)
    document.save(path, **save)
    document.close()
    return path


def scanned(path: Path, *pages: Sequence[str], dpi: int = 150) -> Path:
    """Make the same as `pdf`, as images without a text layer."""
    drawn = pymupdf.open(pdf(path.with_suffix(".layer.pdf"), *pages))
    document = pymupdf.open()
    for source in drawn:
        page = document.new_page(width=source.rect.width, height=source.rect.height)
        page.insert_image(page.rect, stream=source.get_pixmap(dpi=dpi).tobytes("jpeg"))
    document.save(path)
    document.close()
    path.with_suffix(".layer.pdf").unlink()
    return path


def picture(lines: Sequence[str], size: tuple[int, int] = (900, 600)) -> Image.Image:
    """Draw a picture with large writing on it."""
    image = Image.new("RGB", size, (250, 244, 230))
    draw = ImageDraw.Draw(image)
    draw.ellipse((size[0] - 220, 30, size[0] - 60, 190), fill=(190, 70, 50))
    for number, line in enumerate(lines):
        draw.text((60, 220 + 90 * number), line, fill=(20, 20, 60), font=ImageFont.load_default(46))
    return image


def png(image: Image.Image) -> bytes:
    """Return a picture as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def reopened(page: pymupdf.Page) -> pymupdf.Page:
    """Return the page as it is read from its saved file."""
    return pymupdf.open("pdf", page.parent.tobytes())[page.number]


def epub(path: Path, *chapters: tuple[str, str], padding: int = 0, style: str = "") -> Path:
    """Make an EPUB with a heading and a paragraph a chapter, and `padding` zero bytes in a file of their own."""
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    book = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title>'
        '<dc:identifier id="id">1</dc:identifier>'
        f"<dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("book.opf", book)
        for number, (title, text) in enumerate(chapters):
            body = f"<head><style>{style}</style></head><body><h1>{title}</h1><p>{text}</p></body>"
            page = f"<html xmlns='http://www.w3.org/1999/xhtml'>{body}</html>"
            archive.writestr(f"c{number}.xhtml", page)
        if padding:
            archive.writestr("padding.bin", bytes(padding))
    return path


def xps(path: Path, *pages: Sequence[str]) -> Path:
    """Make an XPS with a line of text a paragraph, 40 points apart, in the font that PyMuPDF carries."""
    office = "http://schemas.openxmlformats.org/package/2006"
    microsoft = "http://schemas.microsoft.com/xps/2005/06"
    parts = {
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
        "fdseq": "application/vnd.ms-package.xps-fixeddocumentsequence+xml",
        "fdoc": "application/vnd.ms-package.xps-fixeddocument+xml",
        "fpage": "application/vnd.ms-package.xps-fixedpage+xml",
        "font": "application/vnd.ms-opentype",
    }
    types = "".join(f'<Default Extension="{end}" ContentType="{kind}"/>' for end, kind in parts.items())
    first = f'<Relationship Id="R0" Type="{microsoft}/fixedrepresentation" Target="/all.fdseq"/>'
    listed = "".join(f'<PageContent Source="/{n}.fpage"/>' for n in range(len(pages)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{office}/content-types">{types}</Types>')
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{office}/relationships">{first}</Relationships>')
        sequence = '<DocumentReference Source="/all.fdoc"/>'
        archive.writestr("all.fdseq", f'<FixedDocumentSequence xmlns="{microsoft}">{sequence}</FixedDocumentSequence>')
        archive.writestr("all.fdoc", f'<FixedDocument xmlns="{microsoft}">{listed}</FixedDocument>')
        archive.writestr("text.font", pymupdf.Font("helv").buffer)
        for number, lines in enumerate(pages):  # in 1/96 inch
            glyphs = "".join(
                f'<Glyphs OriginX="53" OriginY="{80 + 53 * n}" FontUri="/text.font" FontRenderingEmSize="15" '
                f'Fill="#000000" UnicodeString="{line}"/>'
                for n, line in enumerate(lines)
            )
            page = f'<FixedPage Width="560" Height="793" xml:lang="en" xmlns="{microsoft}">{glyphs}</FixedPage>'
            archive.writestr(f"{number}.fpage", page)
    return path


def tiff(path: Path, *pages: Sequence[str]) -> Path:
    """Make a TIFF of drawings with large writing on them."""
    first, *others = (picture(lines) for lines in pages)
    first.save(path, save_all=True, append_images=others)
    return path


# ---- files that go wrong -------------------------------------------------------------------------------------------


def encrypted(path: Path, password: str = "open sesame") -> Path:
    """Make a PDF that asks for a password."""
    return pdf(
        path, ["The vault under the mill holds nine barrels of cider."], encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw=password, owner_pw="owner",
    )  # fmt: skip


def truncated(path: Path, keep: float) -> Path:
    """Write the first `keep` (0 to 1) of a PDF of six pages."""
    whole = pdf(path, *[[f"Page {n} tells of the weather in week {n} of the year."] for n in range(1, 7)]).read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    return path


def pixel_bomb(path: Path, side: int = 60_000) -> Path:
    """Make a PNG of a few bytes whose header promises side x side pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))
    return path


def by_hand(*objects: bytes) -> bytes:
    """Return a PDF file of the given objects; the first is the catalog."""
    out, starts = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % start for start in starts)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size, table, size, len(out),
    )  # fmt: skip


def stream(dictionary: bytes, data: bytes) -> bytes:
    """Return a PDF stream object."""
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (dictionary, len(data), data)


def without_pages(path: Path) -> Path:
    """Make a PDF with an empty page tree."""
    path.write_bytes(by_hand(b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"))
    return path


_HEAD = (
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources "
        b"<< /XObject << /X 6 0 R >> /Font << /H 5 0 R >> >> >>"
    ),
)
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def unreadable() -> bytes:
    """Return a PDF whose page has forty invisible characters that stand for nothing."""
    return by_hand(*_HEAD, stream(b"", b"BT 3 Tr /H 4 Tf 20 200 Td (%s) Tj ET" % (b"\x01\x02" * 20)), _FONT, b"null")


def endless(path: Path) -> Path:
    """Make a PDF of a few kilobytes whose only page draws an empty form 12 ** 30 times."""
    return _nested(path, 30, b"n")


def hungry(path: Path) -> Path:
    """Make a PDF of a few kilobytes whose only page holds 12 ** 8 lines of text."""
    return _nested(path, 8, b"BT /H 1 Tf 10 10 Td (%s) Tj ET" % (b"all work and no play " * 20))


def _nested(path: Path, depth: int, innermost: bytes) -> Path:
    """Make a page that draws a form that draws a form 12 times, and so on."""
    text = b"BT /H 12 Tf 20 200 Td (A page that never ends although it begins well enough) Tj ET /X Do"
    forms = []
    for level in range(depth):
        last = level == depth - 1
        inner = b"" if last else b"/XObject << /X %d 0 R >>" % (7 + level)
        head = b"/Type /XObject /Subtype /Form /BBox [0 0 300 300] /Resources << /Font << /H 5 0 R >> %s >>" % inner
        forms.append(stream(head, innermost if last else b"/X Do " * 12))
    path.write_bytes(by_hand(*_HEAD, stream(b"", text), _FONT, *forms))
    return path
