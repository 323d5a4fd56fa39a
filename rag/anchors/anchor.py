"""Anchors: the place of a citation as a short string that remains valid when the index is rebuilt.

    vouch1:<base64url of: sha256 of the document (32 bytes), page (4), width and height of the displayed page in
            1/100 point (4 + 4), quarter turns of /Rotate (1), kind of element (1), box in 1/65535 of the displayed page
            (2 x 4), length of the quote (4) and the first 12 bytes of its sha256, the document's name, CRC-32 (4)>

The quote itself is not in it, so that an anchor can be passed on where the text may not. Its characters are
safe in a URL, and the checksum detects damaged anchors.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing import BBox, sha256_digest
from rag.anchors.fingerprint import fingerprint
from rag.errors import AnchorDamaged

if TYPE_CHECKING:
    from indexing import Document, Page
    from rag.types import Citation

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
