"""Read HTML and saved web pages (MHTML); what their styles hide is left out, what they strike out is marked.

Style sheets are read as far as authors hide text with them: selectors of tags, classes and names, one within another;
of rules that say the same property the more special one holds, then the later one. Conditions of `@media` other than
screen and all, and selectors with `:`, `[`, `+` or `~`, are not read.

How a page looks is known by its styles alone: what they hide is left out, what is struck out is marked so.

A page is laid out from its text; nothing that it refers to is fetched, and no script runs.
"""

from __future__ import annotations

import contextlib
import email
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from functools import lru_cache
from itertools import islice
from pathlib import Path

from lxml import etree, html

from indexing import DamagedFile, IndexingSettings, Kind, Metadata, NoPages, TooLarge, spell, struck_out
from indexing.conversion import Rendition
from plugins.formats.texts import lay_out
from plugins.formats.typesetting import SourceBlock

MOST_RULES = 200
"""The most rules of style sheets that are kept: only those that may hide something are."""
MOST_STEPS = 2_000_000
"""The most elements around others that are looked at for the rules of a page."""
MOST_CHARS = 200_000
"""The most characters of style sheets, and of a style, that are read."""
FAINT, SMALL, AWAY = 0.1, 3.0, -200.0
"""The opacity and the size in pixels below which a text is unreadable, and the offset in pixels that moves it away."""
_COMPOUND = re.compile(r"(?:\*|[a-z][\w-]*)?(?:[.#][\w-]+)*")
_PART = re.compile(r"[.#]?[\w-]+|\*")
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|vw|vh|%|cm|mm|in|pc)?")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_PIXELS = {"pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 10.0, "vh": 8.0, "%": 0.16, "cm": 38.0,
           "mm": 3.8, "in": 96.0, "pc": 16.0}  # fmt: skip
_OFFSETS = ("left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent", "transform", "translate")
_SIZES = ("width", "height", "max-width", "max-height")
_RELEVANT = frozenset((
    *_OFFSETS, *_SIZES, "display", "visibility", "content-visibility", "opacity", "font-size", "font", "clip", "scale",
    "clip-path", "overflow", "color", "background", "background-color", "text-decoration", "text-decoration-line",
))  # fmt: skip
Style = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule of a style sheet: its compounds, the outermost first, each as tags, `.classes` and `#names`."""

    compounds: tuple[frozenset[str], ...]
    order: tuple[int, int, int, int]
    style: Style


class HiddenMarkup:
    """The styles of an HTML page: which of its elements are invisible, and which are struck out."""

    def __init__(self, tree: etree._Element) -> None:
        """Read the style sheets in a page."""
        sheets = "\n".join("".join(map(str, sheet.itertext())) for sheet in tree.iter("style"))
        self._steps = 0
        self._last: tuple[etree._Element | None, Style] = (None, {})
        self._rules = sorted(_rules(_without_comments(sheets[:MOST_CHARS])), key=lambda rule: rule.order)

    def hides(self, element: etree._Element) -> bool:
        """Return True for an element that is not drawn, or drawn so that it cannot be read."""
        return element.get("hidden") is not None or _is_hidden(self._style(element))

    def strikes(self, element: etree._Element) -> bool:
        """Return True for an element whose text is struck out."""
        if element.tag in ("s", "del", "strike"):
            return True
        style = self._style(element)
        return any("line-through" in style.get(name, "") for name in ("text-decoration", "text-decoration-line"))

    def _style(self, element: etree._Element) -> Style:
        if self._last[0] is element:
            return self._last[1]
        style: dict[str, str] = {}
        own = _selectors_of(element) if self._rules else frozenset()
        for rule in self._rules:
            if rule.compounds[-1] <= own and self._has_ancestors(element, rule.compounds[:-1]):
                style.update(rule.style)
        style.update(_declarations((element.get("style") or "")[:MOST_CHARS]))
        self._last = element, style
        return style

    def _has_ancestors(self, element: etree._Element, compounds: tuple[frozenset[str], ...]) -> bool:
        """Return True if ancestors of an element match the compounds in order, the last of them the nearest."""
        waiting = list(compounds)
        around = element.getparent() if waiting else None
        while waiting and around is not None:
            self._steps += 1
            if self._steps > MOST_STEPS:  # a hostile page: take it as hidden
                return True
            if waiting[-1] <= _selectors_of(around):
                waiting.pop()
            around = around.getparent()
        return not waiting


def _selectors_of(element: etree._Element) -> frozenset[str]:
    return _simple_selectors(str(element.tag), element.get("id") or "", element.get("class") or "")


@lru_cache(maxsize=4096)
def _simple_selectors(tag: str, ident: str, classes: str) -> frozenset[str]:
    return frozenset(
        (tag, "*", *(f".{one}" for one in classes.lower().split()), *([f"#{ident.lower()}"] if ident else []))
    )


def _rules(sheet: str) -> Iterator[_Rule]:
    """Yield the rules of a style sheet that may hide something."""
    count, depths, selectors = 0, [True], ""
    pieces = re.split(r"([{}])", sheet)
    for before, sign in zip(pieces[::2], pieces[1::2], strict=False):
        text = before.strip().lower()
        if sign == "{":
            selectors = text.rpartition(";")[2].strip()
            applies = not selectors.startswith("@") or selectors in ("@media screen", "@media all")
            depths.append(depths[-1] and applies)
        elif len(depths) > 1 and depths.pop() and text and (style := _declarations(text)):
            for selector in selectors.split(","):
                compounds = selector.replace(">", " ").split()
                if count < MOST_RULES and compounds and all(_COMPOUND.fullmatch(one) for one in compounds):
                    count += 1
                    yield _rule(compounds, style, count)


def _rule(compounds: list[str], style: Style, number: int) -> _Rule:
    parts = [frozenset(_PART.findall(one)) for one in compounds]
    names = sum(one.startswith("#") for every in parts for one in every)
    classes = sum(one.startswith(".") for every in parts for one in every)
    return _Rule(tuple(parts), (names, classes, sum(map(len, parts)) - names - classes, number), style)


def _without_comments(css: str) -> str:
    first, *others = css.split("/*")
    return " ".join([first, *(one.partition("*/")[2] for one in others)])


@lru_cache(maxsize=1024)
def _declarations(css: str) -> Style:
    """Return the properties of a style that may hide something."""
    plain = _ESCAPE.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), _without_comments(css))
    pairs = (one.partition(":")[::2] for one in plain.lower().split(";"))
    declarations = {name.strip(): value.replace("!important", "").strip() for name, value in pairs}
    return {name: value for name, value in declarations.items() if name in _RELEVANT and value}


def _is_hidden(style: Style) -> bool:
    """Return True if a style hides an element: not displayed, transparent, tiny, off the page or clipped."""
    if not style:
        return False
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    opacity = _NUMBER.match(style.get("opacity", ""))
    faint = opacity is not None and float(opacity[1]) / (100 if opacity[2] == "%" else 1) < FAINT
    ink, paper = style.get("color"), style.get("background-color") or style.get("background")
    unseen = ink is not None and (ink in ("transparent", paper) or _opacity_of(ink) < FAINT)
    size = _pixels(style.get("font-size") or style.get("font", ""), search="font-size" not in style)
    small = size is not None and size < SMALL
    away = any(
        (offset := _pixels(style.get(name, ""), search=True)) is not None and offset <= AWAY for name in _OFFSETS
    )
    scale = _pixels(style.get("scale", "") or style.get("transform", "").partition("scale")[2], search=True)
    shrunk = scale is not None and scale < FAINT
    clips = re.search("hidden|clip", style.get("overflow", ""))
    flat = clips and any((edge := _pixels(style.get(name, ""))) is not None and edge < SMALL for name in _SIZES)
    unrendered = style.get("content-visibility") == "hidden"
    return bool(faint or unseen or small or away or shrunk or flat or unrendered or _is_clipped(style))


def _opacity_of(colour: str) -> float:
    """Return the fourth number of a colour such as `rgba(0, 0, 0, 0.5)`; 1 where it has none."""
    numbers = _NUMBER.findall(colour) if colour.startswith(("rgb", "hsl")) else []
    return float(numbers[3][0]) if len(numbers) > 3 else 1.0


def _is_clipped(style: Style) -> bool:
    """Return True where `clip` or `clip-path` leaves nothing of an element, or a point."""
    edges = [float(one[0]) for one in _NUMBER.findall(style.get("clip", ""))]
    path = style.get("clip-path", "")
    inset = _NUMBER.search(path) if path.startswith(("inset", "circle")) else None
    vanishes = inset is not None and (float(inset[1]) >= 50 if path.startswith("inset") else float(inset[1]) < SMALL)
    return vanishes or (bool(edges) and style.get("clip", "").startswith("rect") and max(edges) - min(edges) < SMALL)


def _pixels(value: str, *, search: bool = False) -> float | None:
    """Return the length at the beginning of a value in pixels, or the first one anywhere in it; None without one."""
    number = _NUMBER.search(value) if search else _NUMBER.match(value)
    return None if number is None else float(number[1]) * _PIXELS.get(number[2] or "px", 1.0)


MAX_BLOCKS = 100_000
MAX_CELLS = 100_000
MAX_SPAN = 100
_SPACE = re.compile(r"\s+")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = frozenset(
    ("script", "style", "template", "head", "title", "iframe", "frame", "object", "embed", "audio", "video", "select",
     "datalist", "textarea", "svg", "math", "canvas", "noscript", "button")
)  # fmt: skip
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i",
     "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
     "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page: its blocks, title, language (ISO 639-1) and author, as far as it has them, and how many pictures."""

    blocks: tuple[SourceBlock, ...] = ()
    title: str = ""
    language: str = ""
    author: str = ""
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class _Context:
    """The kind of block that text belongs to, by the elements around it.

    `depth` is that of lists, from -1; `above` text is superscript, `struck` text is struck out.
    """

    kind: Kind = "text"
    level: int = 0
    code: bool = False
    depth: int = -1
    above: bool = False
    struck: bool = False


def read_html(content: str | bytes) -> HtmlPage:
    """Read a page or a fragment of HTML; return an empty page if it cannot be parsed."""
    tree = _tree(content)
    if tree is None:
        return HtmlPage()
    body, title = tree.find("body"), tree.findtext(".//title") or ""
    blocks = _Reader(HiddenMarkup(tree)).read(tree if body is None else body)
    author = next((meta.get("content") or "" for meta in tree.iter("meta") if meta.get("name") == "author"), "")
    return HtmlPage(
        tuple(blocks),
        " ".join(title.split())[:300],
        short_language(tree.get("lang") or ""),
        " ".join(author.split())[:200],
        sum(1 for _ in tree.iter("img")),
    )


def html_text(source: str) -> str:
    """Return the visible text of HTML, one line for each line of a block and each row of a table."""
    lines: list[str] = []
    for block in read_html(source).blocks:
        lines += filter(None, (block.caption, block.text, *(" ".join(filter(None, row)) for row in block.rows)))
    return "\n".join(lines)


def short_language(tag: str) -> str:
    """Return the two letters of a language tag such as `en-GB`; "" for one that has others."""
    short = tag.strip().lower().partition("-")[0]
    return short if len(short) == 2 and short.isascii() and short.isalpha() else ""


def _tree(content: str | bytes) -> etree._Element | None:
    """Parse a page; return None if it is empty or cannot be parsed."""
    if isinstance(content, bytes):
        with contextlib.suppress(UnicodeDecodeError):  # then the page itself names its encoding
            content = content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8")
    encoding = "utf-8" if isinstance(content, str) else None
    data = content.removeprefix("\ufeff").encode("utf-8", "replace") if isinstance(content, str) else content
    parser = html.HTMLParser(encoding=encoding, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(data.replace(b"\0", b""), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


@dataclass(slots=True)
class _Reader:
    """The blocks that were read so far, and the paragraph that is being read."""

    styles: HiddenMarkup
    blocks: list[SourceBlock] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def read(self, root: etree._Element) -> list[SourceBlock]:
        """Return the blocks in an element."""
        waiting: list[tuple[etree._Element, _Context, bool]] = [(root, _Context(), False)]
        while waiting and len(self.blocks) < MAX_BLOCKS:
            element, context, leaving = waiting.pop()
            if leaving:
                if element.tag not in _INLINE:
                    self._end_paragraph(_context_in(element.tag, context))
                if element is not root:
                    self._add_text(element.tail, context)
                continue
            inner = self._enter(element, context)
            waiting.append((element, context, True))
            if inner is not None:
                waiting += [(child, inner, False) for child in reversed(element)]
        self._end_paragraph(_Context())
        return self.blocks

    def text(self, element: etree._Element) -> str:
        """Return the visible text of an element, on one line."""
        return " ".join(" ".join(block.text.split()) for block in _Reader(self.styles).read(element))

    def _add_text(self, text: str | None, context: _Context) -> None:
        source = text or "" if context.code else _SPACE.sub(" ", text or "")
        spelling = spell(source, self.parts, above=context.above)
        self.parts.append(struck_out(spelling) if context.struck else spelling)

    def _end_paragraph(self, context: _Context) -> None:
        """Add the text read so far, if any, as a block of the kind of `context`."""
        text = "".join(self.parts)
        self.parts.clear()
        if context.code:
            text = text.strip("\n").replace("\t", "    ")
        else:
            text = "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
        if text.strip() and len(self.blocks) < MAX_BLOCKS:
            self.blocks.append(SourceBlock(context.kind, text, context.level, code=context.code))

    def _enter(self, element: etree._Element, context: _Context) -> _Context | None:
        """Read an element's first text; return the context of its children, None if they are not to be read."""
        tag = element.tag
        if tag in _SKIPPED or self.styles.hides(element):
            return None
        if tag not in _INLINE:
            self._end_paragraph(context)
        if tag == "br":
            self.parts.append("\n")
            return None
        if tag == "table" and (block := self._table(element)) is not None:
            self.blocks.append(block)
            return None
        inner = _context_in(tag, context)
        inner = replace(inner, struck=True) if self.styles.strikes(element) else inner
        self._add_text(element.text, inner)
        return inner

    def _table(self, element: etree._Element) -> SourceBlock | None:
        """Return a data table as a block; None for a layout table (one with tables or headings) or one too large."""
        inner = {child.tag for child in element.iterdescendants()}
        if "table" in inner or (not inner & {"th", "caption", "thead"} and inner & {*_HEADINGS, "pre", "form"}):
            return None
        grid: list[tuple[str, ...]] = []
        are_headers: list[bool] = []
        cell_count = 0
        for row in element.iter("tr"):
            cells = list(row.iterchildren("td", "th"))
            texts = [text for cell in cells for text in (self.text(cell), *[""] * (_column_span(cell) - 1))]
            cell_count += len(texts)
            if texts and cell_count <= MAX_CELLS:
                grid.append(tuple(texts))
                are_headers.append(all(cell.tag == "th" for cell in cells))
        widest = max(map(len, grid), default=0)
        if len(grid) < 2 or widest < 2 or widest * len(grid) > MAX_CELLS:
            return None
        rows = tuple(cells + ("",) * (widest - len(cells)) for cells in grid)
        caption = element.find("caption")
        return SourceBlock(
            "table", rows=rows, header_rows=[*are_headers, False].index(False),
            caption="" if caption is None else self.text(caption),
        )  # fmt: skip


def _context_in(tag: str, context: _Context) -> _Context:
    """Return the context of the text inside an element with this tag."""
    if tag in _HEADINGS:
        return replace(context, kind="heading", level=_HEADINGS[tag])
    if tag in ("ul", "ol", "menu", "dir"):
        return replace(context, depth=context.depth + 1)
    if tag == "li":
        return replace(context, kind="list", level=max(0, context.depth))
    if tag == "pre":
        return replace(context, kind="text", level=0, code=True)
    if tag == "sup":
        return replace(context, above=True)
    return replace(context, kind="caption") if tag == "figcaption" else context


def _column_span(cell: etree._Element) -> int:
    columns = (cell.get("colspan") or "1").strip()
    return min(MAX_SPAN, max(1, int(columns[:4]))) if columns.isascii() and columns.isdigit() else 1


MAX_MB = 64
MAX_PARTS = 20_000
_HTML = ("text/html", "application/xhtml+xml")


def web_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a saved web page. Raises DamagedFile, NoPages, TooLarge."""
    with path.open("rb") as file:
        content: str | bytes = file.read(MAX_MB * 1024 * 1024 + 1)
    if len(content) > MAX_MB * 1024 * 1024:
        raise TooLarge(f"{path.name}: a web page of more than {MAX_MB} MB: save it as a PDF and index that")
    url = ""
    if isinstance(content, bytes) and path.suffix.lower() in (".mhtml", ".mht"):
        content, url = _html_of(content, path.name)
    page = read_html(content)
    left_out = f"its pictures ({page.pictures}) were left out: save the page as a PDF to have them read"
    metadata = Metadata(author=page.author, language=page.language, url=url)
    return lay_out(path, page.blocks, settings, page.title, metadata, [left_out] if page.pictures else [])


def _html_of(content: bytes, name: str) -> tuple[str | bytes, str]:
    """Return the HTML in an MHTML file, and the web address that it was saved from, "" if unknown."""
    if b"MIME-Version:" not in content[:65_536]:
        raise DamagedFile(f"{name}: not MHTML although its extension says so: save the page again")
    try:
        message = email.message_from_bytes(content)
        part = next((one for one in islice(message.walk(), MAX_PARTS) if one.get_content_type() in _HTML), None)
    except RecursionError:
        raise DamagedFile(f"{name}: its parts are nested too deeply: save the page again") from None
    body = part.get_payload(decode=True) if part is not None and not part.is_multipart() else None
    if part is None or not isinstance(body, bytes):
        raise NoPages(f"{name}: contains no HTML page: save the page again")
    url = _header(message, "Snapshot-Content-Location") or _header(part, "Content-Location")
    try:
        text: str | bytes = body.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        text = body  # the page itself names its encoding
    return text, url if url.startswith(("https://", "http://")) else ""


def _header(part: Message, name: str) -> str:
    return "".join(c for c in str(part.get(name) or "") if " " < c <= "~")[:2000]
