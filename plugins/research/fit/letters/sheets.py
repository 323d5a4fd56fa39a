"""Sheets: pages set in a font, and the crops of their glyphs, each with the kind of what it shows.

A part of them shows no glyph: halves of letters, places between two, two letters in the place of one, a point beside a
figure. A text that lies about its page puts such things where it says that a letter is.
"""

from __future__ import annotations

import random
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from indexing.parse.likeness import NOTHING, SIDE, Drawing, Ink, PageGlyphs, crop, kind_of

Floats = NDArray[np.float32]
SEED = 20261126
SUFFIXES = (".ttf", ".otf", ".t1", ".pfb")
OF_A_FAMILY = 6
"""The most fonts of one family."""
SIZES = (6, 7, 8, 9, 10, 11, 12, 14, 20)
WIDTH, HEIGHT, MARGIN = 600, 800, 25
SIGNS = ".,;:!?()[]-\u2013\u2014'\"\u201c\u201d\u2018\u2019/%&+=*#$\u20ac\u00a3<>_\u2022|@\u00a7\u00b0"
OTHERS = "áàâäãåéèêëíìîïóòôöõøúùûüñçßæœÁÉÖÜÄÇÑ\ufb01\ufb02\ufb00\ufb03\ufb04"
KEPT = 0.75
"""The share of the glyphs that are taken."""
WRONG = 0.08
"""The share of those that are made to show nothing."""
INKS = ((0, 0, 0),) * 4 + ((0.3, 0.3, 0.3), (0.1, 0.2, 0.6), (0.6, 0.1, 0.1))
PAPERS = ((0.1, 0.2, 0.4), (0.0, 0.4, 0.3), (0.2, 0.2, 0.2))


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Crops (n, SIDE, SIDE) from 0 to 255, and what each shows."""

    crops: NDArray[np.uint8]
    kinds: tuple[str, ...]


def families(folder: Path) -> list[list[Path]]:
    """Return the fonts of a folder, some of each family: those of one folder whose names begin alike. Drawn by SEED."""
    found: dict[tuple[Path, str], list[Path]] = defaultdict(list)
    for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES):
        found[path.parent, path.name[:4]].append(path)
    draw = random.Random(SEED)  # noqa: S311  a sample, no secret
    return [draw.sample(own, min(OF_A_FAMILY, len(own))) for _, own in sorted(found.items())]


def glyphs_of(path: Path) -> Glyphs | None:
    """Set a sheet in a font and take its glyphs; None for a font that lacks Latin letters, or cannot be read."""
    draw = random.Random(f"{SEED} {path.name}")  # noqa: S311  a sample, no secret
    try:
        font = pymupdf.Font(fontfile=str(path))
        if not all(font.has_glyph(ord(char)) for char in string.ascii_letters + string.digits):
            return None
        with pymupdf.open("pdf", _sheet(font, draw)) as document:
            taken = list(_taken(document[0], draw))
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return None
    crops = np.array([np.round(255 * one) for one, _ in taken], np.uint8).reshape(-1, SIDE, SIDE)
    return Glyphs(crops, tuple(kind for _, kind in taken))


def _sheet(font: pymupdf.Font, draw: random.Random) -> bytes:
    """Return a page of nonsense in a font: sizes, colours, dark paper, underlines."""
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        y = 10.0
        while True:
            size = draw.choice(SIZES)
            y += 1.5 * size
            if y > HEIGHT - MARGIN:
                return bytes(document.tobytes())
            dark = draw.random() < 0.12
            if dark:
                band = (MARGIN - 5, y - 1.1 * size, WIDTH - 10, y + 0.4 * size)
                page.draw_rect(band, color=None, fill=draw.choice(PAPERS))
            writer = pymupdf.TextWriter(page.rect, color=(1, 1, 1) if dark else draw.choice(INKS))
            text = _nonsense(font, size, draw)
            writer.append((MARGIN + draw.random(), y), text, font=font, fontsize=size)
            writer.write_text(page)
            if draw.random() < 0.12:
                under = y + draw.uniform(0.06, 0.18) * size
                line = (MARGIN, under), (MARGIN + font.text_length(text, size), under)
                page.draw_line(*line, color=(1, 1, 1) if dark else (0, 0, 0), width=draw.uniform(0.03, 0.08) * size)


def _nonsense(font: pymupdf.Font, size: float, draw: random.Random) -> str:
    text = ""
    while font.text_length(text, size) < WIDTH - 4 * MARGIN - 10 * size and len(text) < 60:
        text += "".join(char for char in _word(draw) if font.has_glyph(ord(char))) + " "
    return text


def _word(draw: random.Random) -> str:
    kind = draw.random()
    if kind < 0.55:
        word = "".join(draw.choices(string.ascii_lowercase, k=draw.randint(1, 9)))
        word = word.capitalize() if kind > 0.42 else word
    elif kind < 0.68:
        word = "".join(draw.choices(string.ascii_uppercase, k=draw.randint(1, 7)))
    elif kind < 0.88:
        word = "".join(draw.choices(string.digits * 2 + ".,", k=draw.randint(1, 7)))
    else:
        word = "".join(draw.choices(string.ascii_lowercase + OTHERS, k=draw.randint(2, 7)))
    before = draw.choice(SIGNS) if draw.random() < 0.1 else ""
    return before + word + (draw.choice(SIGNS) if draw.random() < 0.3 else "")


def _taken(page: pymupdf.Page, draw: random.Random) -> Iterator[tuple[Floats, str]]:
    glyphs = PageGlyphs.of(page)
    drawing = Drawing(page)
    lines: dict[float, list[int]] = defaultdict(list)
    for n, place in enumerate(glyphs.places.tolist()):
        lines[round(place[2], 1)].append(n)
    for own in lines.values():
        places = glyphs.places[own]
        size = float(places[0, 3])
        up, down = draw.uniform(0.8, 1.1), draw.uniform(0.22, 0.4)  # fonts say differently how high they are
        left, right, baseline = float(places[:, 0].min()), float(places[:, 1].max()), float(places[0, 2])
        ink = drawing.ink((left, baseline - up * size, right, baseline + down * size))
        for n in own:
            if draw.random() < KEPT:
                yield from _shown(ink, glyphs.places[n].tolist(), kind_of(glyphs.chars[n]), draw)


def _shown(ink: Ink, place: Sequence[float], kind: str, draw: random.Random) -> Iterator[tuple[Floats, str]]:
    """Yield the crop of a glyph, a little off its place; or one that shows none."""
    x0, x1, baseline, size = place[:4]
    wide = x1 - x0
    if draw.random() >= WRONG:
        aside, low, larger = draw.gauss(0, 0.02) * size, draw.gauss(0, 0.02) * size, 1 + draw.gauss(0, 0.03)
        found = crop(ink, (x0 + aside, x1 + aside), baseline + low, larger * size)
        if found.max() > 0.3:
            yield found, kind
        return
    way = draw.randrange(7)
    if way == 0:
        aside = draw.choice((-1, 1)) * draw.uniform(0.3, 0.6) * wide
        found = crop(ink, (x0 + aside, x1 + aside), baseline, size)
    elif way == 1:
        found = crop(ink, (x0, x1), baseline + draw.choice((-1, 1)) * draw.uniform(0.25, 0.5) * size, size)
    elif way == 2:
        found = crop(ink, (x0, x1 + wide), baseline, draw.uniform(1.0, 1.4) * size)  # with a neighbour
    else:
        found = _spoilt(crop(ink, (x0, x1), baseline, size), kind, way, draw)
    if found.max() > 0.3:
        yield found, NOTHING


def _spoilt(found: Floats, kind: str, way: int, draw: random.Random) -> Floats:
    """Return a crop with half of its ink gone, turned over onto itself, or with a point beside it."""
    rows, columns = np.nonzero(found > 0.2)
    if not len(rows):
        return found
    found = found.copy()
    if way == 3:
        middle = int(np.median(rows))
        found[slice(None, middle) if draw.random() < 0.5 else slice(middle, None)] = 0
    elif way == 4:
        middle = int(np.median(columns))
        found[:, slice(None, middle) if draw.random() < 0.5 else slice(middle, None)] = 0
    elif way == 5 or not kind.isdigit():
        found = np.maximum(found, np.roll(found[::-1], draw.randint(-3, 3), axis=1))
    else:
        low = int(rows.max())
        at = int(columns.max()) + 1 if draw.random() < 0.5 else int(columns.min()) - 3
        found[max(0, low - 2) : low + 1, max(0, at) : max(0, at) + 3] = 1
    return found


def joined(sheets: Iterable[Glyphs]) -> Glyphs:
    """Return the glyphs of several sheets as one."""
    own = list(sheets)
    return Glyphs(np.concatenate([one.crops for one in own]), tuple(kind for one in own for kind in one.kinds))
