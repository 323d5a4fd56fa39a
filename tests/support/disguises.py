"""Pages that show other words than their text has, one function a way; each draws into a page of a new document."""

import re
from collections.abc import Callable
from pathlib import Path

import pymupdf
from PIL import Image, ImageDraw, ImageFont

from tests.support import documents

SAID = "The ferry to Gull Island costs 4 crowns."
"""The words of the text, which nobody sees."""
SHOWN = "The ferry to Gull Island costs 9 crowns."
AROUND = (
    "The harbour master keeps the timetable of the northern islands.",
    "Tickets are sold at the office beside the old lighthouse.",
)
"""Honest lines, which stand above and below."""
SIZE = (420, 595)
AT = pymupdf.Point(40, 100)
Disguise = Callable[[pymupdf.Document], None]


def _page(document: pymupdf.Document, rotation: int = 0) -> pymupdf.Page:
    page = document.new_page(width=SIZE[0], height=SIZE[1])
    page.insert_text((40, 60), AROUND[0], fontsize=11)
    page.insert_text((40, 140), AROUND[1], fontsize=11)
    page.set_rotation(rotation)
    return page


def _say(page: pymupdf.Page, text: str, **how: object) -> None:
    page.insert_text(AT, text, fontsize=11, **how)


def _cmap(codes: dict[int, str], digits: int = 2) -> bytes:
    """Return a ToUnicode map of codes to characters."""
    width = "0" * digits, "F" * digits
    lines = "\n".join(f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex()}>" for code, text in codes.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <{width[0]}> <{width[1]}> endcodespacerange\n{len(codes)} beginbfchar\n{lines}\n"
        "endbfchar endcmap end end"
    ).encode()


def _with_to_unicode(document: pymupdf.Document, page: pymupdf.Page, cmap: bytes, name: str) -> None:
    """Give the font of that name a ToUnicode map."""
    font = next(xref for xref, _, _, _, own, *_ in page.get_fonts() if own == name)
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, cmap)
    document.xref_set_key(font, "ToUnicode", f"{stream} 0 R")


def _rewritten(document: pymupdf.Document, page: pymupdf.Page, change: Callable[[bytes], bytes]) -> None:
    """Change the drawing instructions that show the line."""
    xref = page.get_contents()[-1]
    document.update_stream(xref, change(document.xref_stream(xref)))


def to_unicode(document: pymupdf.Document) -> None:
    """Map the 9 of a standard font to 4."""
    page = _page(document)
    _say(page, SHOWN, fontname="times-roman")
    _with_to_unicode(document, page, _cmap({n: chr(n) for n in range(32, 127)} | {0x39: "4"}), "times-roman")


def to_unicode_of_an_embedded_font(document: pymupdf.Document) -> None:
    """Map the 9 of an embedded font, whose codes have two bytes, to 4."""
    page = _page(document)
    font = pymupdf.Font("cjk")
    page.insert_font(fontname="F9", fontbuffer=font.buffer)
    _say(page, SHOWN, fontname="F9")
    glyphs = {font.has_glyph(ord(c)): c for c in SHOWN if font.has_glyph(ord(c))} | {font.has_glyph(ord("9")): "4"}
    _with_to_unicode(document, page, _cmap(glyphs, 4), "F9")


def a_word_by_to_unicode(document: pymupdf.Document) -> None:
    """Map the letters of one word, in a font of its own, to another: the page says may, the text must."""
    page = _page(document)
    _pieces(page, ("Every dog on the ferry", "helv"), ("may", "tibo"), ("wear a lead.", "helv"))
    _with_to_unicode(document, page, _cmap({0x6D: "m", 0x61: "us", 0x79: "t"}), "tibo")


def to_nothing(document: pymupdf.Document) -> None:
    """Map the letters of a word to a space that has no width: the page says not, the text does not."""
    page = _page(document)
    _pieces(page, ("The ferry to Gull Island does", "helv"), ("not", "tibo"), ("run in winter.", "helv"))
    _with_to_unicode(document, page, _cmap(dict.fromkeys(b"not", "\u200b")), "tibo")


def _pieces(page: pymupdf.Page, *pieces: tuple[str, str]) -> None:
    """Write pieces of a line, each in the font of that name."""
    x = AT.x
    for text, font in pieces:
        page.insert_text((x, AT.y), text, fontsize=11, fontname=font)
        x += pymupdf.get_text_length(f"{text} ", fontname=font, fontsize=11)


def encoding_differences(document: pymupdf.Document) -> None:
    """Draw the glyph of nine under the code of four, whose text stays four."""
    page = _page(document)
    _say(page, SAID, fontname="times-roman")
    font = next(xref for xref, _, _, _, own, *_ in page.get_fonts() if own == "times-roman")
    document.xref_set_key(font, "Encoding", "<</Type/Encoding/Differences[52/nine]>>")
    _with_to_unicode(document, page, _cmap({n: chr(n) for n in range(32, 127)}), "times-roman")


def type3(document: pymupdf.Document) -> None:
    """Draw the figure with a Type3 font, whose glyph for 4 has the shape of a 9."""
    page = _page(document)
    _say(page, SAID.replace("4", " "))
    x = AT.x + pymupdf.get_text_length("The ferry to Gull Island costs ", fontsize=11)
    say_in_type3(page, (x, AT.y), "34", {52: ("four", "9")})


def say_in_type3(page: pymupdf.Page, at: tuple[float, float], codes: str, glyphs: dict[int, tuple[str, str]]) -> None:
    """Write hexadecimal codes in a Type3 font of which `glyphs` are the names and the drawn characters, by code."""
    document, font, procs = page.parent, pymupdf.Font("tiro"), ""
    inner = page.insert_font(fontname="F0", fontbuffer=font.buffer)
    for name, sign in glyphs.values():
        proc, width = document.get_new_xref(), 1000 * font.glyph_advance(ord(sign))
        document.update_object(proc, "<<>>")
        document.update_stream(proc, b"%d 0 d0 BT /F0 1000 Tf <%04X> Tj ET" % (width, font.has_glyph(ord(sign))))
        procs += f"/{name} {proc} 0 R "
    wide = " ".join(str(1000 * font.glyph_advance(ord(glyphs[c][1])) if c in glyphs else 0) for c in range(256))
    names, outer = " ".join(f"{code} /{name}" for code, (name, _) in glyphs.items()), document.get_new_xref()
    document.update_object(
        outer,
        "<</Type/Font/Subtype/Type3/FontBBox[0 -300 1000 900]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 0/LastChar 255"
        f"/Encoding<</Differences[{names}]>>/CharProcs<<{procs}>>/Widths[{wide}]/Resources<</Font<</F0 {inner} 0 R>>>>"
        ">>",
    )
    document.xref_set_key(int(document.xref_get_key(page.xref, "Resources")[1].split()[0]), "Font/T3", f"{outer} 0 R")
    drawn = f"\nq BT /T3 11 Tf {at[0]:.2f} {page.rect.height - at[1]} Td <{codes}> Tj ET Q".encode()
    document.update_stream(xref := page.get_contents()[-1], document.xref_stream(xref) + drawn)


def actual_text(document: pymupdf.Document) -> None:
    """Say by ActualText that a nine is a four."""
    page = _page(document)
    _say(page, SHOWN)
    _marked(document, page, b"(4)")


def actual_text_of_nothing(document: pymupdf.Document) -> None:
    """Have a number vanish by ActualText."""
    page = _page(document)
    _say(page, SHOWN)
    _marked(document, page, b"()")


def _marked(document: pymupdf.Document, page: pymupdf.Page, instead: bytes) -> None:
    """Put the figure of the line into a span of its own, with `instead` as its ActualText."""

    def change(drawn: bytes) -> bytes:
        head, tail = (part.encode().hex().encode() for part in SHOWN.split("9"))
        span = b"<%s> Tj /Span <</ActualText %s>> BDC <39> Tj EMC <%s> Tj" % (head, instead, tail)
        return re.sub(rb"\[<[0-9a-f]+>\] ?TJ", span, drawn)

    _rewritten(document, page, change)


def overprinted(document: pymupdf.Document) -> None:
    """Cover the number, and paint another over it as a drawing."""
    page = _page(document)
    _say(page, SAID)
    _patched(page)


def _patched(page: pymupdf.Page) -> None:
    x = AT.x + pymupdf.get_text_length("The ferry to Gull Island costs ", fontsize=11)
    patch = pymupdf.open()
    small = patch.new_page(width=8, height=14)
    small.draw_rect(small.rect, color=None, fill=(1, 1, 1))
    small.insert_text((0.5, 11), "9", fontsize=11)
    page.insert_image((x - 1, AT.y - 11, x + 7, AT.y + 3), pixmap=small.get_pixmap(dpi=300))


def struck_by_other_words(document: pymupdf.Document) -> None:
    """Print other words right over the words."""
    page = _page(document)
    _say(page, SAID)
    page.draw_rect((38, 88, 330, 104), color=None, fill=(1, 1, 1))
    layer = pymupdf.open()
    drawn = layer.new_page(width=300, height=18)
    drawn.insert_text((2, 12), SHOWN, fontsize=11)
    page.insert_image((38, 88, 338, 106), pixmap=drawn.get_pixmap(dpi=300))


def clipped(document: pymupdf.Document) -> None:
    """Cut the number out of what is shown, and draw another in its place."""
    page = _page(document)
    _say(page, SAID)
    x = AT.x + pymupdf.get_text_length("The ferry to Gull Island costs ", fontsize=11)
    y = SIZE[1] - AT.y
    cut = f"q 0 0 {x - 0.5:.1f} {SIZE[1]} re {x + 7:.1f} 0 {SIZE[0]} {SIZE[1]} re W n\n".encode()
    _rewritten(document, page, lambda drawn: cut + drawn + b"\nQ")
    assert y > 0


def clipped_away(document: pymupdf.Document) -> None:
    """Cut away the whole line but a sliver."""
    page = _page(document)
    _say(page, SAID)
    y = SIZE[1] - AT.y
    cut = f"q 0 {y + 6} {SIZE[0]} 1.2 re W n\n".encode()
    _rewritten(document, page, lambda drawn: cut + drawn + b"\nQ")


def nearly_white(document: pymupdf.Document) -> None:
    """Print the line in a grey that nobody tells from the paper."""
    page = _page(document)
    _say(page, SAID, color=(0.955, 0.955, 0.955))


def nearly_clear(document: pymupdf.Document) -> None:
    """Print the line all but transparent."""
    page = _page(document)
    _say(page, SAID, fill_opacity=0.05)


def blue_on_blue(document: pymupdf.Document) -> None:
    """Print the line in a blue on a blue as dark."""
    page = _page(document)
    page.draw_rect((30, 84, 400, 110), color=None, fill=(0.10, 0.15, 0.45))
    _say(page, SAID, color=(0.16, 0.13, 0.42))


def faint_pixels(document: pymupdf.Document, level: int = 236) -> None:
    """Have OCR find a line of 236 of 255 on a page image."""
    image = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(34)
    for n, (text, grey) in enumerate(((AROUND[0], 0), (SAID, level), (AROUND[1], 0))):
        draw.text((100, 160 + 120 * n), text, fill=grey, font=font)
    page = document.new_page(width=SIZE[0], height=SIZE[1])
    page.insert_image(page.rect, stream=documents.png(image))


def layer_over_a_scan(document: pymupdf.Document) -> None:
    """Put an invisible text over a page image, that says something else."""
    drawn = pymupdf.open()
    shown = drawn.new_page(width=SIZE[0], height=SIZE[1])
    for y, text in ((60, AROUND[0]), (100, SHOWN), (140, AROUND[1])):
        shown.insert_text((40, y), text, fontsize=11)
    page = document.new_page(width=SIZE[0], height=SIZE[1])
    page.insert_image(page.rect, pixmap=shown.get_pixmap(dpi=200))
    for y, text in ((60, AROUND[0]), (100, SAID), (140, AROUND[1])):
        page.insert_text((40, y), text, fontsize=11, render_mode=3)


def on_a_turned_page(document: pymupdf.Document) -> None:
    """Map the 9 of a font to 4 on a page that is shown turned."""
    page = _page(document)
    _say(page, SHOWN, fontname="times-roman")
    _with_to_unicode(document, page, _cmap({n: chr(n) for n in range(32, 127)} | {0x39: "4"}), "times-roman")
    page.set_rotation(90)


def running_up_the_page(document: pymupdf.Document) -> None:
    """Map the 9 of a font to 4 in a line that runs up the page."""
    page = _page(document)
    page.insert_text((300, 500), SHOWN, fontsize=11, fontname="times-roman", rotate=90)
    _with_to_unicode(document, page, _cmap({n: chr(n) for n in range(32, 127)} | {0x39: "4"}), "times-roman")


DISGUISES: tuple[Disguise, ...] = (
    to_unicode,
    to_unicode_of_an_embedded_font,
    a_word_by_to_unicode,
    to_nothing,
    encoding_differences,
    type3,
    actual_text,
    actual_text_of_nothing,
    overprinted,
    struck_by_other_words,
    clipped,
    clipped_away,
    nearly_white,
    nearly_clear,
    blue_on_blue,
    faint_pixels,
    layer_over_a_scan,
    on_a_turned_page,
    running_up_the_page,
)


def disguised(path: Path, way: Disguise) -> Path:
    """Save a document with one page made by `way`."""
    document = pymupdf.open()
    way(document)
    document.save(path)
    document.close()
    return path
