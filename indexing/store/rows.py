"""The schemas of the tables, and their rows <-> the values that travel through indexing."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from operator import index
from typing import Any, get_args, get_type_hints

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs import parsed_json
from indexing.errors import CollectionDamaged
from indexing.hints import Landmarks
from indexing.identifiers import document_id, sha256_digest
from indexing.metadata import Metadata
from indexing.types import BBox, Cell, Document, Element, Kind, Page, Source, View, Words
from indexing.vectors import MULTI_VECTORS, Packing

COLUMNS: dict[View, tuple[str, str, str, str]] = {
    "text": ("vectors", "spans", "codes", "residuals"),
    "visual": ("seen_vectors", "seen_spans", "seen_codes", "seen_residuals"),
}
"""The columns of a page's multi-vectors in `pages`: vectors, spans, codes, residuals."""
KNOWLEDGE = "knowledge"
"""The table of the texts that models wrote about elements, which is made when there is some."""


def _raw(name: str) -> pa.Field:
    """Return an uncompressed binary column, for packed vectors: they do not compress, and trying triples read time."""
    return pa.field(name, pa.large_binary(), metadata={"lance-encoding:compression": "none"})


_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()
_SIDES = ("x0", "y0", "x1", "y1")
_TYPES: dict[Any, pa.DataType] = {
    str: _TEXT, Kind: _TEXT, Source: _TEXT, Metadata: _TEXT, int: _INT, float: _REAL, bool: pa.bool_(),
    tuple[str, ...]: pa.list_(_TEXT), tuple[int, ...]: pa.list_(_INT),
    Words: pa.large_binary(), tuple[Cell, ...]: pa.large_binary(),
}  # fmt: skip
_ONE_COLUMN = tuple(name for name in Element.__slots__ if name != "bbox")
"""The fields of an element that have one column each."""


def _schema(of: type, **others: pa.DataType) -> pa.Schema:
    """Return a schema with a column for each field of a class, four for its box, and with the columns `others`."""
    columns: dict[str, pa.DataType] = {}
    for name, hint in get_type_hints(of).items():
        columns |= dict.fromkeys(_SIDES, _REAL) if hint is BBox else {name: _TYPES[hint]}
    return pa.schema(list((columns | others).items()))


SCHEMAS: dict[str, pa.Schema] = {
    "documents": _schema(Document, size=pa.int64()),
    "pages": pa.schema(
        [("doc_id", _TEXT), ("number", _INT), ("width", _REAL), ("height", _REAL), ("rotation", _INT),
         _raw("vectors"), _raw("spans"), ("codes", pa.binary()), _raw("seen_vectors"), _raw("seen_spans"),
         ("seen_codes", pa.binary()), _raw("residuals"), _raw("seen_residuals"),
         ("seen_boxes", pa.large_binary()), ("names", pa.list_(_TEXT)),
         ("name_strengths", pa.list_(pa.float32())), ("labels", pa.list_(_INT)), ("pictures", pa.float32()),
         ("tables", pa.float32()), ("label", _TEXT)]
    ),
    "elements": _schema(Element, ordinal=_INT),
    KNOWLEDGE: pa.schema([(n, _TEXT) for n in ("element_id", "doc_id", "model", "prompt", "text")]),
}  # fmt: skip
"""The schemas of the tables of a collection."""

_KINDS, _SOURCES = frozenset(get_args(Kind)), frozenset(get_args(Source))


@dataclass(frozen=True, slots=True)
class MultiVector:
    """A page's multi-vector as it is stored.

    It has `vectors` (n, d), component x 127, `spans` (element ordinal, first vector, number of vectors), `codes` for
    the first stage of search (of a codebook, or its packed sketch) and `residuals` for the second
    (`indexing.vectors.packing`; none beside a sketch); for its pixels also the `boxes` (r, 4) of the regions, in
    fractions of the page, and how many vectors each owns (r,).
    """

    vectors: NDArray[Any]
    spans: tuple[tuple[int, int, int], ...]
    codes: bytes
    residuals: bytes = b""
    packing: Packing = MULTI_VECTORS
    boxes: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


def page_row(page: Page, marks: Landmarks, text: MultiVector, visual: MultiVector | None) -> dict[str, Any]:
    """Return a row of `pages`; `visual` is the multi-vector of its pixels, None without a visual embedder."""
    row: dict[str, Any] = {
        "doc_id": page.doc_id, "number": page.number, "width": page.width, "height": page.height,
        "rotation": page.rotation, "label": page.label, "names": [name for name, _ in marks.names],
        "name_strengths": [strength for _, strength in marks.names], "labels": list(marks.labels),
        "pictures": marks.pictures, "tables": marks.tables,
    }  # fmt: skip
    return row | _vector_columns("text", text) | visual_columns(visual)


def visual_columns(visual: MultiVector | None) -> dict[str, bytes]:
    """Return the columns of `pages` for the pixels of a page, empty for None."""
    boxes = b"" if visual is None else np.column_stack([visual.boxes, visual.counts]).astype(np.float32).tobytes()
    return _vector_columns("visual", visual) | {"seen_boxes": boxes}


def _vector_columns(view: View, multi_vector: MultiVector | None) -> dict[str, bytes]:
    """Return the columns of a view in `pages`, with empty bytes for None."""
    vectors, spans, codes, residuals = COLUMNS[view]
    if multi_vector is None:
        return dict.fromkeys(COLUMNS[view], b"")
    return {
        vectors: multi_vector.packing.pack(multi_vector.vectors),
        spans: np.array(multi_vector.spans, np.int32).tobytes(),
        codes: multi_vector.codes,
        residuals: multi_vector.residuals,
    }


def element_row(element: Element, ordinal: int) -> dict[str, Any]:
    """Return a row of `elements`; `ordinal` is the element's index on its page."""
    words = element.words
    cells = [
        [c.row, c.col, c.row_span, c.col_span, c.start, c.end, *(round(v, 5) for v in c.bbox.as_tuple()), c.header]
        for c in element.cells
    ]
    row: dict[str, Any] = {name: getattr(element, name) for name in _ONE_COLUMN}
    row |= zip(_SIDES, element.bbox.as_tuple(), strict=True)
    return row | {
        "ordinal": ordinal,
        "words": words.spans.tobytes() + words.lines.tobytes() + words.boxes.tobytes(),
        "cells": json.dumps(cells, separators=(",", ":")).encode(),
    }


def element_of(row: dict[str, Any]) -> Element:
    """Return the element in a row of `elements`. Raises CollectionDamaged for a row that Vouch never writes."""
    try:
        return _parse_element(row)
    except (ValueError, TypeError, OverflowError) as error:
        raise _damage_error("elements", error) from None


def page_of(row: dict[str, Any]) -> Page:
    """Return the page in a row of `pages`. Raises CollectionDamaged for a row that Vouch never writes."""
    if not all(math.isfinite(row[side]) and row[side] > 0 for side in ("width", "height")):
        raise _damage_error("pages", ValueError(f"a page of {row['width']} x {row['height']}"))
    return Page(**row)


def _damage_error(table: str, error: Exception) -> CollectionDamaged:
    return CollectionDamaged(
        f"the table of {table} cannot be used ({str(error)[:200]!r}): restore the collection from another copy"
    )


def _parse_element(row: dict[str, Any]) -> Element:
    """Return the element in a row, with 28 bytes for each of its words. Raises ValueError, TypeError."""
    if row["kind"] not in _KINDS or row["source"] not in _SOURCES:
        raise ValueError(f"an element of kind {row['kind']!r:.80} from {row['source']!r:.80}")
    bbox, raw = BBox(*(row[side] for side in _SIDES)), row["words"]
    n, rest = divmod(len(raw), 28)
    if rest:
        raise ValueError("the places of its words are cut short")
    words = Words(
        np.frombuffer(raw, np.int32, 2 * n).reshape(n, 2),
        np.frombuffer(raw, np.float32, 4 * n, 12 * n).reshape(n, 4),
        np.frombuffer(raw, np.int32, n, 8 * n),
    )
    cells = tuple(
        Cell(
            index(r), index(c), index(rows), index(cols), index(start), index(end),
            BBox.from_page(x0, y0, x1, y1, 1.0, 1.0) or bbox, bool(header),
        )
        for r, c, rows, cols, start, end, x0, y0, x1, y1, header in parsed_json(row["cells"])
    )  # fmt: skip
    values: dict[str, Any] = {n: tuple(row[n]) if isinstance(row[n], list) else row[n] for n in _ONE_COLUMN}
    if missing := [name for name, value in values.items() if value is None]:
        raise ValueError(f"an element without {missing[0]}")
    return Element(**values | {"bbox": bbox, "words": words, "cells": cells})


def document_of(row: dict[str, Any]) -> Document:
    """Return the document in a row of `documents`. Raises ValueError for a row that has other columns.

    Raises CollectionDamaged for invalid ids, which name files, and for invalid metadata.
    """
    try:
        document_id(row["id"])
        sha256_digest(row["sha256"])
        metadata = Metadata.from_json(row["metadata"])
        return Document(**{**row, "failed_pages": tuple(row["failed_pages"] or ()), "metadata": metadata})
    except ValueError as error:
        raise _damage_error("documents", error) from None
    except (TypeError, KeyError) as error:
        raise ValueError(f"a row of the documents has other columns: {error}") from None


def document_row(document: Document) -> dict[str, Any]:
    """Return a row of `documents`."""
    fields = {name: getattr(document, name) for name in Document.__slots__}
    return fields | {"failed_pages": list(document.failed_pages), "metadata": document.metadata.to_json()}
