"""Anchors: a citation's place as a short string, found again after its file was re-indexed, moved or renamed.

Differences between two parses of the same page do not count: white space, line ends, letter case, typographic
quotation marks and dashes, ligatures, soft hyphens, the bars between table cells. Everything that changes the meaning
counts: every letter, digit, sign and decimal point, and the gap between two numbers.

    vouch1:<base64url of: sha256 of the document (32 bytes), page (4), width and height of the displayed page in
            1/100 point (4 + 4), quarter turns of /Rotate (1), kind of element (1), box in 1/65535 of the displayed page
            (2 x 4), length of the quote (4) and the first 12 bytes of its sha256, the document's name, CRC-32 (4)>

The quote itself is not in it, so that an anchor can be passed on where the text may not. Its characters are
safe in a URL, and the checksum detects damaged anchors.

Document and quote are identified by their hashes. A place is returned only if one of the two proves it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from indexing import BBox, DocumentMissing, Element, sha256_digest
from rag.errors import AnchorDamaged, AnchorLost
from rag.types import Citation, Evidence

if TYPE_CHECKING:
    from indexing import Collection, Document, Page


_ALIKE = str.maketrans({
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
})  # fmt: skip
_GAP = re.compile(r"[\s|]")
Spans = tuple[tuple[int, tuple[int, int]], ...]
_CJK = "\u2e80"
"""The first of the scripts that write words without spaces between them; those after it do too."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A quote that was found in `elements`, in reading order, at the characters `spans` of each one's text."""

    elements: tuple[Element, ...]
    spans: tuple[tuple[int, int], ...]

    @property
    def boxes(self) -> tuple[BBox, ...]:
        """One box a line, in fractions of the displayed page."""
        pairs = zip(self.elements, self.spans, strict=True)
        return tuple(box for e, (start, end) in pairs for box in e.words.line_boxes(start, end))

    @property
    def bbox(self) -> BBox:
        """The box around the lines, or around the elements where no word has a place."""
        return BBox.union(self.boxes or [e.bbox for e in self.elements])

    @property
    def quote(self) -> str:
        """The quoted text as the page has it now."""
        return " ".join(e.text[a:b] for e, (a, b) in zip(self.elements, self.spans, strict=True))


def fingerprint(quote: str) -> tuple[int, str]:
    """Return (length, digest) of a quote's comparable text: its characters, 24 hex digits; (0, "") if it is empty."""
    text = comparable_text(quote)
    return (len(text), _digest(text)) if text else (0, "")


def comparable_text(text: str) -> str:
    """Return the characters of a text that matter in a comparison, without what two parses may write differently."""
    return _Plain.of([text]).text


def find_quote(elements: Sequence[Element], length: int, digest: str) -> tuple[Occurrence, ...]:
    """Find every complete occurrence of a quote, given by its fingerprint, in the elements of a page in reading order.

    Each element is searched, groups too; if none contains the quote, the search goes across consecutive elements. Only
    complete numbers match: 5% is not found in 2.5%.
    """
    if length < 1:
        return ()
    inside = [place for element in elements for place in _find([element], length, digest)]
    return tuple(inside) or tuple(_find([e for e in elements if e.kind != "group"], length, digest))


def _find(elements: Sequence[Element], length: int, digest: str) -> Iterator[Occurrence]:
    """Yield the occurrences of a quote, by its fingerprint, in the joined texts of some elements."""
    for spans in _Plain.of([e.text for e in elements]).occurrences(length, digest):
        yield Occurrence(tuple(elements[i] for i, _ in spans), tuple(span for _, span in spans))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """Return the comparable form of a character: none, one, or several characters (the ligature fi is two)."""
    plain = unicodedata.normalize("NFKD", char.translate(_ALIKE)).casefold()
    return "".join(c for c in plain if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf"))


@dataclass(frozen=True, slots=True)
class _Plain:
    """The comparable characters of several texts joined, and for each its origin (index of text, of character)."""

    texts: Sequence[str]
    text: str
    origins: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Plain:
        """Fold and join texts. Two digits with white space between them keep one space: 1 and 23 are not 12 and 3."""
        plain: list[str] = []
        origins: list[tuple[int, int]] = []
        for number, text in enumerate(texts):
            gap = bool(plain)
            for at, char in enumerate(text):
                if char.isspace() or char == "|":
                    gap = True
                    continue
                for part in _fold_char(char):
                    if gap and part.isdigit() and plain and plain[-1].isdigit():
                        plain.append(" ")
                        origins.append((number, at))
                    gap = False
                    plain.append(part)
                    origins.append((number, at))
        return cls(texts, "".join(plain), origins)

    def occurrences(self, length: int, digest: str) -> Iterator[Spans]:
        """Yield the spans of each window of `length` characters with that digest that cuts no word or number."""
        end = len(self.text)
        cuts = [at in (0, end) or not self._inside_word(at) for at in range(end + 1)] if length <= end else []
        for start in range(len(cuts) - length):
            if cuts[start] and cuts[start + length] and _digest(self.text[start : start + length]) == digest:
                yield self._spans(start, start + length)

    def _inside_word(self, at: int) -> bool:
        """Return True if character `at` continues a word or a number."""
        (text, a), (other, b) = self.origins[at - 1], self.origins[at]
        if text != other or (b > a + 1 and _GAP.search(self.texts[text], a + 1, b)):
            return False
        before, after = self.text[at - 1], self.text[at]
        if _in_word(before) and _in_word(after):
            return max(before, after) < _CJK
        if after.isdigit():
            return before == "-" or (before in ".,/" and self.texts[text][max(0, a - 1)].isdigit())
        return before.isdigit() and (after == "%" or (after in ".,/" and self.texts[text][b + 1 : b + 2].isdigit()))

    def _spans(self, start: int, end: int) -> Spans:
        """Return the range [start, end) of `text` as (index of text, (from, to)) for each original text."""
        spans: dict[int, tuple[int, int]] = {}
        for text, at in self.origins[start:end]:
            spans[text] = (spans.get(text, (at, at))[0], at + 1)
        return tuple(spans.items())


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.combining(char) > 0


VERSION = "vouch1:"
MAX_LENGTH = 256
"""The most characters that an anchor of ours has; a longer one is refused unread."""
MAX_NAME = 60
"""The bytes of a document's name that an anchor keeps."""
_KINDS = (  # their order is part of the format: append only
    "other", "text", "heading", "list", "table", "picture", "caption", "formula", "footnote", "header", "footer",
    "group",
)  # fmt: skip
_HEAD = struct.Struct(">32sIIIBB4HI12s")
_GRID = 65535


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a document, known by the document's content.

    `page` counts from 1; `width`, `height` are those of the displayed page in points, `rotation` is /Rotate in degrees;
    `bbox` (fractions of the displayed page) is around the cited lines, or the element where there are none; `digest`
    (24 hex digits) and `length` (characters) are the `fingerprint` of the quote, "" and 0 when nothing was quoted;
    `name` is the document's, cut to 60 bytes by `anchor_name`. Raises ValueError for values that no page has.
    """

    sha256: str
    page: int
    width: float
    height: float
    rotation: int
    kind: str
    bbox: BBox
    length: int
    digest: str
    name: str

    def __post_init__(self) -> None:
        """Raise ValueError for values that the string form cannot hold."""
        sha256_digest(self.sha256)
        if not (1 <= self.page < 2**31 and 0 < self.width < 1e7 and 0 < self.height < 1e7):
            raise ValueError(f"not a page: {self.page}, {self.width} x {self.height}")
        if self.rotation not in (0, 90, 180, 270) or self.kind not in _KINDS:
            raise ValueError(f"not a rotation and a kind: {self.rotation}, {self.kind!r}")
        if not re.fullmatch(r"[0-9a-f]{24}" if self.length else "", self.digest) or not 0 <= self.length < 2**31:
            raise ValueError(f"not a fingerprint: {self.length}, {self.digest!r}")
        if len(self.name.encode()) > MAX_NAME:
            raise ValueError(f"a name of more than {MAX_NAME} bytes: {self.name!r}")

    def __str__(self) -> str:
        """Return the string form, at most 256 characters; `Anchor.parse` reads it back."""
        head = _HEAD.pack(
            bytes.fromhex(self.sha256),
            self.page,
            round(self.width * 100),
            round(self.height * 100),
            self.rotation // 90,
            _KINDS.index(self.kind),
            *_to_grid(self.bbox),
            self.length,
            bytes.fromhex(self.digest),
        )
        payload = head + self.name.encode()
        data = payload + struct.pack(">I", zlib.crc32(VERSION.encode() + payload))
        return VERSION + base64.urlsafe_b64encode(data).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Return the anchor that `str` wrote; white space around it is allowed. Raises AnchorDamaged for other text."""
        text = text.strip()
        if len(text) > MAX_LENGTH:
            raise AnchorDamaged(f"an anchor has at most {MAX_LENGTH} characters, this has {len(text)}: copy it again")
        if not text.startswith(VERSION):
            if re.match(r"vouch\d+:", text):
                raise AnchorDamaged("this anchor was written by another version of Vouch: use that version")
            raise AnchorDamaged(f"not an anchor (they begin with {VERSION}): copy the whole of it")
        payload = _decode_payload(text.removeprefix(VERSION))
        try:
            anchor = cls._unpack(payload)
        except (ValueError, struct.error, IndexError) as error:
            raise AnchorDamaged(f"not an anchor that Vouch writes ({error}): copy it again from the answer") from None
        if str(anchor) != text:
            raise AnchorDamaged("not an anchor that Vouch writes: copy it again from the answer")
        return anchor

    @classmethod
    def _unpack(cls, payload: bytes) -> Anchor:
        """Unpack a payload. Raises ValueError, struct.error or IndexError if it is malformed."""
        sha, page, width, height, turns, kind, *rest = _HEAD.unpack_from(payload)
        corners, length, digest = rest[:4], rest[4], rest[5]
        return cls(
            sha256=sha.hex(),
            page=page,
            width=width / 100,
            height=height / 100,
            rotation=turns * 90,
            kind=_KINDS[kind],
            bbox=BBox(*(v / _GRID for v in corners)),
            length=length,
            digest=digest.hex() if length else "",
            name=payload[_HEAD.size :].decode(),
        )


def _decode_payload(text: str) -> bytes:
    """Return the payload in front of the checksum. Raises AnchorDamaged if the checksum does not match."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise AnchorDamaged("an anchor holds letters, digits, - and _ only: copy it again from the answer")
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        data = b""
    payload, check = data[:-4], data[-4:]
    if check != struct.pack(">I", zlib.crc32(VERSION.encode() + payload)):
        raise AnchorDamaged("this anchor was cut short or mistyped: copy it again from the answer")
    return payload


def anchor_of(citation: Citation, document: Document, page: Page) -> Anchor:
    """Return the anchor of a citation in `document` on `page`; it equals the anchor that is parsed from its string.

    Raises ValueError when document or page are not the ones cited.
    """
    if (citation.doc_id, citation.doc_id, citation.page) != (document.id, page.doc_id, page.number):
        raise ValueError(f"{document.name}, page {page.number}, is not what citation {citation.label} cites")
    x0, y0, x1, y1 = _to_grid(BBox.union(citation.boxes) if citation.boxes else citation.bbox)
    length, digest = fingerprint(citation.quote)
    return Anchor(
        sha256=document.sha256,
        page=page.number,
        width=round(page.width * 100) / 100,
        height=round(page.height * 100) / 100,
        rotation=page.rotation % 360,
        kind=citation.kind if citation.kind in _KINDS else "other",
        bbox=BBox(x0 / _GRID, y0 / _GRID, x1 / _GRID, y1 / _GRID),
        length=length,
        digest=digest,
        name=anchor_name(document.name),
    )


def anchor_name(name: str) -> str:
    """Return a document's name in at most 60 bytes: the beginning of a longer one and a hash of the whole."""
    plain = name.encode("utf-8", "replace")
    if len(plain) <= MAX_NAME:
        return plain.decode()
    return plain[:50].decode(errors="ignore") + "~" + hashlib.sha256(plain).hexdigest()[:8]


def _to_grid(box: BBox) -> tuple[int, int, int, int]:
    """Return the nearest box in steps of 1/65535 of the page, at least one step wide and high."""
    x0, y0, x1, y1 = (round(v * _GRID) for v in box.as_tuple())
    x0, y0 = min(x0, _GRID - 1), min(y0, _GRID - 1)
    return x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)


State = Literal["found", "placed", "changed"]
SAME_SIZE = 0.5
"""The points by which a page may differ from the anchor's and still be the same page."""
_REFLOWED = (".epub",)
"""The formats without pages of their own: another version of the converter may break them elsewhere."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The outcome for an anchor.

    `state` is `found` (same document, and the very words), `placed` (same document, same page, nothing quoted or the
    words were read differently: the anchor's own box holds, since the file is the same), or `changed` (a document of
    that name with other content). `citation` is the place today; None when a changed document no longer holds the
    words, or holds them more than once.
    """

    anchor: Anchor
    state: State
    document: Document
    citation: Citation | None

    @property
    def says(self) -> str:
        """The outcome as a sentence for the user."""
        name, page = self.document.name, self.anchor.page
        if self.state == "changed":
            if self.citation is None:
                return (
                    f"{name} has changed: the cited words are no longer found, or stand in several places, so "
                    "no place is shown."
                )
            return f"{name} has changed, but the same words stand on page {self.citation.page}."
        if self.state == "placed":
            return f"{name}, page {page}: the same page of the same file; its words were not compared."
        now = self.citation.page if self.citation else page
        note = "" if now == page else f" (page {page} when it was cited)"
        return f"{name}, page {now}{note}: the same words in the same file."


def resolve(anchor: Anchor, collection: Collection) -> Resolved:
    """Find an anchor's place in a collection.

    Raise AnchorLost when neither its document nor one of its name is there, or when the document is laid out
    differently today and its words are not found.
    """
    documents = collection.documents()
    same = next((d for d in documents if d.sha256 == anchor.sha256), None)
    if same is not None:
        return _in_same(anchor, collection, same)
    same_name = [d for d in documents if anchor_name(d.name) == anchor.name]
    if not same_name:
        raise AnchorLost(
            f"{anchor.name or 'the document'} (sha256 {anchor.sha256[:16]}...) is not in collection "
            f"{collection.name!r}, under any name: index it, or choose another collection"
        )
    return _in_changed(anchor, collection, same_name)


def _in_same(anchor: Anchor, collection: Collection, document: Document) -> Resolved:
    """Resolve by the quote nearest to the anchor's box, else its only occurrence, else the box. Raises AnchorLost."""
    on_page = find_quote(_elements(collection, document, anchor.page), anchor.length, anchor.digest)
    if on_page:
        best = min(on_page, key=lambda candidate: _distance(anchor, candidate))
        return Resolved(anchor, "found", document, _cite(document, best))
    elsewhere = list(_search(anchor, collection, document))
    if len(elsewhere) == 1:
        return Resolved(anchor, "found", document, _cite(document, elsewhere[0]))
    if not _same_page(anchor, collection, document):
        raise AnchorLost(
            f"{document.name} is in the collection, but its pages were cut differently and the words are not "
            "found: ask again, and keep the anchor of the new answer"
        )
    elements = _elements(collection, document, anchor.page)
    element = max(elements, key=lambda e: e.bbox.iou(anchor.bbox), default=None)
    ident = element.id if element is not None and element.bbox.iou(anchor.bbox) >= 0.5 else ""
    place = Element(ident, document.id, anchor.page, "text", "", anchor.bbox, "layer")
    citation = Citation.of(Evidence("", place, document.name, 1.0), "", ())
    return Resolved(anchor, "placed", document, replace(citation, kind=anchor.kind))


def _in_changed(anchor: Anchor, collection: Collection, same_name: list[Document]) -> Resolved:
    """Resolve by the quote, if it occurs exactly once in the documents of the same name; else without a citation."""
    matches = [(d, place) for d in same_name for place in _search(anchor, collection, d)]
    once = {(d.id, place.elements[0].page, place.quote, _where(place)) for d, place in matches}
    if len(once) != 1:
        return Resolved(anchor, "changed", same_name[-1], None)
    document, best = min(matches, key=lambda at: _distance(anchor, at[1]))
    return Resolved(anchor, "changed", document, _cite(document, best))


def _search(anchor: Anchor, collection: Collection, document: Document) -> Iterator[Occurrence]:
    """Yield the quote's occurrences on all pages, without groups, which only repeat the text of their members."""
    if not anchor.length:
        return
    for page in range(1, document.n_pages + 1):
        elements = [e for e in _elements(collection, document, page) if e.kind != "group"]
        yield from find_quote(elements, anchor.length, anchor.digest)


def _elements(collection: Collection, document: Document, page: int) -> tuple[Element, ...]:
    return collection.page_elements(document.id, page) if page <= document.n_pages else ()


def _same_page(anchor: Anchor, collection: Collection, document: Document) -> bool:
    """Return True if the page of that number still has the size and rotation that the box was measured on."""
    if document.name.lower().endswith(_REFLOWED):
        return False
    try:
        page = collection.page(document.id, anchor.page)
    except DocumentMissing:
        return False
    apart = max(abs(page.width - anchor.width), abs(page.height - anchor.height))
    return apart <= SAME_SIZE and page.rotation % 360 == anchor.rotation


def _distance(anchor: Anchor, occurrence: Occurrence) -> tuple[bool, float, float]:
    """Return the key that sorts the nearest first: by kind, by the corners of the lines, then the smaller element."""
    corners = zip(anchor.bbox.as_tuple(), occurrence.bbox.as_tuple(), strict=True)
    apart = round(sum(abs(a - b) for a, b in corners), 3)
    return occurrence.elements[0].kind != anchor.kind, apart, occurrence.elements[0].bbox.area


def _where(occurrence: Occurrence) -> tuple[float, ...]:
    return tuple(round(v, 4) for v in occurrence.bbox.as_tuple())


def _cite(document: Document, occurrence: Occurrence) -> Citation:
    """Return a citation, without a label, of a quote at its current place."""
    element = occurrence.elements[0]
    return Citation.of(Evidence("", element, document.name, 1.0), occurrence.quote, occurrence.boxes)
