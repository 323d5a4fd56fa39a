"""The exact search of LanceDB itself over multi-vectors, as its users would set it up: a reference for ours.

There is one row a page with all its token vectors (float16), no vector index, so every page is scored. With the metric
"dot" the query's weights go into its vectors and the score is our weighted MaxSim of a page; "cosine" ignores weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import lancedb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Metric = Literal["dot", "cosine"]
BATCH = 256
"""The number of pages written at a time."""


class LancePages:
    """A table of pages in `folder`: `vectors` (n, d) int8, page p's from row `starts[p]` on."""

    def __init__(self, folder: Path, vectors: NDArray[np.int8], starts: NDArray[np.int64], metric: Metric) -> None:
        """Write the table."""
        self._metric = metric
        ends = np.append(starts[1:], len(vectors))
        dim = vectors.shape[1]
        schema = pa.schema([("page", pa.int64()), ("vectors", pa.list_(pa.list_(pa.float16(), dim)))])
        self._table = lancedb.connect(str(folder)).create_table("pages", schema=schema)
        for at in range(0, len(starts), BATCH):
            last = min(at + BATCH, len(starts))
            flat = (vectors[starts[at] : ends[last - 1]].astype(np.float32) / 127.0).astype(np.float16).reshape(-1)
            offsets = pa.array(np.append(starts[at:last], ends[last - 1]) - starts[at], pa.int32())
            rows = pa.ListArray.from_arrays(offsets, pa.FixedSizeListArray.from_arrays(pa.array(flat), dim))
            self._table.add(pa.table({"page": pa.array(range(at, last), pa.int64()), "vectors": rows}, schema=schema))

    def search(self, query: NDArray[np.float32], weights: NDArray[np.float32], limit: int) -> Sequence[int]:
        """Return the best pages for the query vectors (q, d), best first."""
        vectors = query * weights[:, None] if self._metric == "dot" else query
        found = self._table.search(vectors, vector_column_name="vectors").distance_type(self._metric).limit(limit)
        pages: list[int] = found.select(["page", "_distance"]).to_arrow()["page"].to_pylist()
        return pages
