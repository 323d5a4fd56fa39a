"""The schemas of the tables of a collection."""

from __future__ import annotations

import pyarrow as pa

_KNOWLEDGE = "knowledge"
"""The table of `indexing.store.knowledge`."""


def _raw(name: str) -> pa.Field:
    """Return a column of packed vectors, uncompressed: they do not compress, and trying triples the time to read."""
    return pa.field(name, pa.large_binary(), metadata={"lance-encoding:compression": "none"})


def _schemas() -> dict[str, pa.Schema]:
    text, whole, exact = pa.string(), pa.int32(), pa.float64()
    return {
        "documents": pa.schema(
            [("id", text), ("name", text), ("title", text), ("n_pages", whole), ("sha256", text), ("path", text),
             ("n_elements", whole), ("size", pa.int64()), ("indexed_at", text), ("failed_pages", pa.list_(whole)),
             ("metadata", text), ("seen_pages", whole)]
        ),
        "pages": pa.schema(
            [("doc_id", text), ("number", whole), ("width", exact), ("height", exact), ("rotation", whole),
             _raw("vectors"), _raw("spans"), ("codes", pa.binary()), _raw("seen_vectors"), _raw("seen_spans"),
             ("seen_codes", pa.binary()), _raw("residuals"), _raw("seen_residuals"),
             ("seen_boxes", pa.large_binary()), ("names", pa.list_(text)),
             ("name_strengths", pa.list_(pa.float32())), ("labels", pa.list_(whole)), ("pictures", pa.float32()),
             ("tables", pa.float32()), ("label", text)]
        ),
        "elements": pa.schema(
            [("id", text), ("doc_id", text), ("page", whole), ("ordinal", whole), ("kind", text), ("text", text),
             ("x0", exact), ("y0", exact), ("x1", exact), ("y1", exact), ("source", text), ("section", pa.list_(text)),
             ("caption", text), ("parts", pa.list_(text)), ("words", pa.large_binary()), ("cells", pa.large_binary()),
             ("place", text)]
        ),
        _KNOWLEDGE: pa.schema([(n, text) for n in ("element_id", "doc_id", "model", "prompt", "text")]),
    }  # fmt: skip
