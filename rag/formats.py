"""The answer form of CiteVQA (arXiv 2605.12882): text, and after each statement the boxes that prove it.

    <bbox page="3" x1="118" y1="204.5" x2="882" y2="260" />
    <bbox doc="2" page="3" x1="118" y1="204.5" x2="882" y2="260" />

`doc` counts the documents of a question from 1 and stands only where there are several; `page` counts from 1; the
coordinates are thousandths of the displayed page, origin top left. The benchmark asks for whole elements, so the writer
gives those. The reader takes the output of other systems: attributes in any order, quoted anyhow, tags anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from indexing import BBox
from rag.types import Answer

SCALE = 1000
STEPS = 10
"""The steps in a thousandth of the page: coordinates are written in steps of a tenth of that."""
_NAME = r"\s{0,9}/?\s{0,9}bbox\b"
_TAG = re.compile(rf"<{_NAME}([^<>]{{0,500}})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\b([a-z]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/>]+))""", re.IGNORECASE)
_NUMBER = re.compile(r"\s*-?\d{1,9}(?:\.\d{1,9})?\s*")
_BREAK = re.compile(r"\n[ \t\r]{0,99}\n")
_MARKUP = rf"(?:!--|{_NAME}|\s*\Z)"  # what ends a statement may open a tag with the next one
_FORGED = re.compile(rf"<(?={_MARKUP})|&(?=(?:amp;)*lt;{_MARKUP})", re.IGNORECASE)
_DISARMED = re.compile(rf"&(?:lt;(?={_MARKUP})|amp;(?=(?:amp;)*lt;{_MARKUP}))", re.IGNORECASE)
_FIELDS = ("page", "x1", "y1", "x2", "y2")


@dataclass(frozen=True, slots=True)
class CitedRegion:
    """A box on a page: document and page count from 1, the box is in fractions of the displayed page."""

    doc: int
    page: int
    bbox: BBox


@dataclass(frozen=True, slots=True)
class Statement:
    """A piece of an answer and the regions cited for it; either may be empty, not both."""

    text: str
    regions: tuple[CitedRegion, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The statements of a text in this format, and the reasons why some of its tags could not be read."""

    statements: tuple[Statement, ...]
    problems: tuple[str, ...] = ()


def statements_of(answer: Answer, documents: Sequence[str] = ()) -> tuple[Statement, ...]:
    """Return the sentences of an answer with their elements as regions; `documents` are the ids, numbered from 1.

    Documents not named there, or all when none is named, are numbered on in the order in which they are cited.
    A place that contradicts its sentence is no region of it. An answer that abstains has no statement.
    """
    numbers = {doc_id: n for n, doc_id in enumerate(documents, 1)}
    statements: list[Statement] = []
    for sentence in answer.sentences:
        citations = sentence.non_contradicting
        for citation in citations:
            numbers.setdefault(citation.doc_id, len(numbers) + 1)
        regions = dict.fromkeys(CitedRegion(numbers[c.doc_id], c.page, c.bbox) for c in citations)
        statements.append(Statement(" ".join(sentence.text.split()), tuple(regions)))
    return tuple(statements)


def write_citevqa(statements: Sequence[Statement], *, multiple: bool | None = None) -> str:
    """Return statements as text; `multiple` says if tags name their document (by default if there are several).

    Coordinates are rounded to 1/10,000 of the page; a tag that the text itself spells is escaped, so that a document
    cannot forge one.
    """
    several = any(r.doc != 1 for s in statements for r in s.regions) if multiple is None else multiple
    blocks = ("\n".join([*_escaped_text(s), *(_tag(r, several) for r in s.regions)]) for s in statements)
    return "\n\n".join(blocks) + "\n" if statements else ""


def read_citevqa(text: str) -> Reading:
    """Return the statements of an answer in this format, by any system. Never fails: bad tags are left out and listed.

    A comment (`<!-- ... -->`) that ends the text is no part of the answer.
    """
    if text.rstrip().endswith("-->") and "<!--" in text:
        text = text.rpartition("<!--")[0]
    statements: list[Statement] = []
    problems: list[str] = []
    regions: list[CitedRegion] = []
    statement, at = "", 0
    for tag in [*_TAG.finditer(text), None]:
        for number, piece in enumerate(_BREAK.split(text[at : tag.start() if tag else len(text)])):
            goes_on = not re.search(r"\w", piece)  # the full stop after a tag belongs to what was said before it
            if number or (regions and not goes_on):
                statements += _as_list(statement, regions)
                statement, regions = "", []
            statement = statement.rstrip() + piece.strip() if regions else statement + piece
        if tag is None:
            break
        at = tag.end()
        region = _region(tag.group(1))
        if isinstance(region, CitedRegion):
            regions.append(region)
        else:
            problems.append(f"{tag.group()[:120]}: {region}")
    statements += _as_list(statement, regions)
    return Reading(tuple(statements), tuple(problems))


def _as_list(text: str, regions: Sequence[CitedRegion]) -> list[Statement]:
    plain = _DISARMED.sub(lambda m: "<" if m.group().lower() == "&lt;" else "&", " ".join(text.split()))
    return [Statement(plain, tuple(regions))] if plain or regions else []


def _escaped_text(statement: Statement) -> list[str]:
    plain = " ".join(statement.text.split())
    safe_text = _FORGED.sub(lambda m: "&lt;" if m.group() == "<" else "&amp;", plain)
    return [safe_text] if safe_text else []


def _tag(region: CitedRegion, several: bool) -> str:
    """Return the tag of a region, with its document if there are several."""
    (x0, x1), (y0, y1) = (
        _round_apart(*ends) for ends in ((region.bbox.x0, region.bbox.x1), (region.bbox.y0, region.bbox.y1))
    )
    doc = f'doc="{region.doc}" ' if several else ""
    return f'<bbox {doc}page="{region.page}" x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" />'


def _round_apart(low: float, high: float) -> tuple[str, str]:
    """Return two fractions of the page in thousandths, rounded to tenths, at least one tenth apart."""
    steps = SCALE * STEPS
    first = min(round(low * steps), steps - 1)
    last = max(round(high * steps), first + 1)
    return f"{first / STEPS:g}", f"{last / STEPS:g}"


def _region(attributes: str) -> CitedRegion | str:
    """Return the region that a tag names, or the reason why it names none."""
    fields = {name.lower(): next(filter(None, values), "") for name, *values in _ATTRIBUTE.findall(attributes)}
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        return f"no {' or '.join(missing)}"
    bad = [name for name in ("doc", *_FIELDS) if not _NUMBER.fullmatch(fields.get(name, "1"))]
    if bad:
        return f"{bad[0]} is not a number"
    doc, page = float(fields.get("doc", "1")), float(fields["page"])
    if doc < 1 or page < 1 or doc != int(doc) or page != int(page):
        return "documents and pages count from 1"
    x1, y1, x2, y2 = (float(fields[name]) for name in _FIELDS[1:])
    if max(x1, y1, x2, y2) > SCALE or min(x1, y1, x2, y2) < 0:
        return f"outside the page (0 to {SCALE})"
    try:
        return CitedRegion(int(doc), int(page), BBox(x1 / SCALE, y1 / SCALE, x2 / SCALE, y2 / SCALE))
    except ValueError:
        return "inverted or empty"
