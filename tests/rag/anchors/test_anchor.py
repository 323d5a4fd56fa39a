"""Anchors: read back as written, told apart from damaged and forged ones, short and safe in an address."""

import base64
import struct
import zlib
from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Page
from rag.anchors import MAX_LENGTH, VERSION, Anchor, anchor_of
from rag.errors import AnchorDamaged
from rag.types import Citation, Evidence
from tests.support import fakes

TEXT = "The mill was built in 1887 by Anna Holm. It grinds rye."
MILL = fakes.document("mill.pdf", [[TEXT]])
PAGE = Page(MILL.id, 1, 419.53, 595.28, 90)
EVIDENCE = Evidence("E1", fakes.element(TEXT, MILL.id), "mill.pdf", 0.9)
CITED = Citation.of(EVIDENCE, "It grinds rye.", EVIDENCE.element.words.line_boxes(41, 55))
ANCHOR = anchor_of(CITED, MILL, PAGE)

SIDES = st.floats(0.0, 1.0)
BOXES = st.builds(lambda a, b, c, d: (min(a, b), min(c, d), max(a, b), max(c, d)), SIDES, SIDES, SIDES, SIDES)
NAMES = st.text(st.characters(exclude_categories=("Cs",)), max_size=300)


def packed(payload: bytes, version: str = VERSION) -> str:
    """A string with a sound checksum around any bytes."""
    check = struct.pack(">I", zlib.crc32(version.encode() + payload))
    return version + base64.urlsafe_b64encode(payload + check).decode().rstrip("=")


def unpacked(anchor: Anchor) -> bytes:
    text = str(anchor).removeprefix(VERSION)
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))[:-4]


def test_a_box_thinner_than_a_step_of_the_grid_stays_on_the_page_at_its_far_edges() -> None:
    corner = BBox(1 - 1e-6, 1 - 1e-6, 1.0, 1.0)
    anchor = anchor_of(replace(CITED, boxes=(), bbox=corner), MILL, PAGE)
    assert anchor.bbox.as_tuple() == pytest.approx((65534 / 65535, 65534 / 65535, 1, 1))


@given(BOXES, NAMES, st.text(max_size=80), st.integers(1, 20_000), st.floats(1, 14400), st.sampled_from([0, 90, 270]))
def test_what_is_written_is_read_back(
    corners: tuple[float, float, float, float], name: str, said: str, number: int, width: float, rotation: int
) -> None:
    box = BBox.from_page(*corners, 1.0, 1.0) or BBox(0, 0, 1e-9, 1e-9)
    citation = replace(CITED, boxes=(), bbox=box, quote=said, page=number)
    anchor = anchor_of(citation, replace(MILL, name=name), Page(MILL.id, number, width, 842.0, rotation))
    text = str(anchor)
    assert Anchor.parse(text) == anchor
    assert Anchor.parse(f"  {text}\n") == anchor
    assert len(text) <= MAX_LENGTH
    assert quote(text, safe=":") == text
    assert anchor.bbox.as_tuple() == pytest.approx(box.as_tuple(), abs=1.1 / 65535)


def test_every_changed_letter_is_noticed() -> None:
    text = str(ANCHOR)
    for at in range(len(VERSION), len(text)):
        for other in ("A", "B"):
            damaged = text[:at] + (other if text[at] != other else "C") + text[at + 1 :]
            with pytest.raises(AnchorDamaged):
                Anchor.parse(damaged)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "begin with vouch1:"), ("javascript:alert(1)", "begin with vouch1:"),
        ("vouch2:AAAA", "another version"), (VERSION, "cut short"), (str(ANCHOR) + "=", "letters, digits"),
        (f"{ANCHOR} {ANCHOR}", "letters, digits"), (VERSION + "\u0661" * 80, "letters, digits"),
        ("vouch1:" + "A" * 5_000_000, "at most 256 characters"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(AnchorDamaged, match=said):
        Anchor.parse(text)


# Offsets in the bytes: page 32, width 36, height 40, rotation 44, kind 45, box 46, length 54, digest 58, name 70.
@pytest.mark.parametrize(
    ("at", "value"),
    [
        (32, struct.pack(">I", 0)), (32, struct.pack(">I", 2**32 - 1)), (36, struct.pack(">I", 0)), (44, b"\x04"),
        (45, b"\xff"), (46, struct.pack(">4H", 9, 9, 9, 9)), (46, struct.pack(">4H", 30000, 9, 20, 50)),
        (54, struct.pack(">I", 0)), (70, b"\xff\xfe"), (70, b"x" * 61),
    ],
)  # fmt: skip
def test_a_sound_checksum_does_not_excuse_nonsense(at: int, value: bytes) -> None:
    payload = bytearray(unpacked(ANCHOR))
    payload[at : at + len(value)] = value
    with pytest.raises(AnchorDamaged):
        Anchor.parse(packed(bytes(payload)))
