"""Exact search over a whole collection in numpy, nothing left out: the reference of the search in stages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing import SearchSettings
from indexing.embed import QueryVectors
from indexing.store import Snapshot
from indexing.vectors import segment_max, token_scores

ELEMENT_WEIGHT = SearchSettings().element_weight
PAGES_READ = 256
"""The number of pages read from the store at a time."""


@dataclass(frozen=True, slots=True)
class Everything:
    """The token vectors of a collection, all in memory.

    `vectors` (n, d) int8, page after page; `page_starts` (p,) and `element_starts` (m,) are rows of it, `owners` (m,)
    the page of each element, `rows` (m,) its LanceDB row; `names` (p,) are (document id, page from 1).
    """

    vectors: NDArray[np.int8]
    page_starts: NDArray[np.int64]
    element_starts: NDArray[np.int64]
    owners: NDArray[np.int64]
    rows: NDArray[np.int64]
    names: tuple[tuple[str, int], ...]

    def page_scores(self, query: QueryVectors, *, weighted: bool = True) -> NDArray[np.float32]:
        """Return MaxSim (p,) of a question with every page; unweighted, the sum over its tokens of cosines."""
        cosines = token_scores(query.vectors, self.vectors)
        if not weighted:
            norms = np.linalg.norm(self.vectors.astype(np.float32), axis=1, keepdims=True) / 127.0
            cosines /= np.maximum(norms, 1e-9)
        best = segment_max(cosines, self.page_starts)
        return best @ (query.weights if weighted else np.ones_like(query.weights))

    def element_scores(self, query: QueryVectors) -> NDArray[np.float32]:
        """Return the score (m,) of every element by the formula of `indexing.search`."""
        best = segment_max(token_scores(query.vectors, self.vectors), self.element_starts)
        first = np.searchsorted(self.owners, np.arange(len(self.page_starts)))
        pages = segment_max(best, first) @ query.weights
        scores: NDArray[np.float32] = (
            ELEMENT_WEIGHT * (best @ query.weights) + (1 - ELEMENT_WEIGHT) * pages[self.owners]
        )
        return scores


def everything(snapshot: Snapshot) -> Everything:
    """Read a collection; pages without a searched element are left out, as they cannot be found."""
    whole = {document.id for document in snapshot.documents()}
    keys = snapshot.page_keys()
    pages = [
        (row, (doc, number))
        for row, doc, number in zip(*(keys[c].to_pylist() for c in ("_rowid", "doc_id", "number")), strict=True)
        if doc in whole
    ]
    keys = snapshot.element_keys()
    columns = (keys[c].to_pylist() for c in ("_rowid", "doc_id", "page", "ordinal"))
    element_row = {(doc, page, ordinal): row for row, doc, page, ordinal in zip(*columns, strict=True)}
    parts, names = [np.zeros((0, 0), np.int8)], list[tuple[str, int]]()
    starts, owners, rows, page_starts = list[int](), list[int](), list[int](), list[int]()
    at = 0
    for first in range(0, len(pages), PAGES_READ):
        chunk = pages[first : first + PAGES_READ]
        found = snapshot.vectors([row for row, _ in chunk])
        for (_, name), (vectors, spans) in zip(chunk, found, strict=True):
            if not len(spans):
                continue
            page_starts.append(at)
            starts += (spans[:, 1] + at).tolist()
            rows += [element_row[*name, ordinal] for ordinal in spans[:, 0].tolist()]
            owners += [len(names)] * len(spans)
            names.append(name)
            parts.append(vectors)
            at += len(vectors)
    return Everything(
        np.concatenate(parts[1:] or parts),
        np.array(page_starts, np.int64),
        np.array(starts, np.int64),
        np.array(owners, np.int64),
        np.array(rows, np.int64),
        tuple(names),
    )


def best(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the positions of the `count` highest scores, best first."""
    count = min(count, len(scores))
    top = np.argpartition(-scores, count - 1)[:count] if count else np.zeros(0, np.int64)
    return top[np.argsort(-scores[top], kind="stable")]


def recall(found: NDArray[np.float32], exact: NDArray[np.float32], count: int, slack: float = 1e-4) -> float:
    """Return the share of the exact top `count` that was found, from the exact scores of both; ties are no loss.

    `slack` is the difference in score that counts as a tie.
    """
    target = min(count, len(exact))
    if not target:
        return 1.0
    least = float(np.sort(exact)[-target]) - slack
    return min(int((found >= least).sum()), target) / target
