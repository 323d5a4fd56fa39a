"""The cost of reducing and quantising MiniLM's token vectors: page recall against kilobytes a page.

    python -m evaluation.benches.vectors --gold ../shared/eval/mmdocir/dev.jsonl --collection dev [--max-pages 60]

It reads the elements of an indexed collection, embeds them at full precision (384 float32 a token), and searches
each question's own document exactly: a page scores as in `indexing.search` (its best element and itself). Recall is the
share of gold pages among the first k, averaged over questions (MMDocIR's page-level recall).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.baselines import ELEMENT_WEIGHT
from indexing import SILENT_KINDS, Collection
from indexing.embed import context, minilm, passage
from indexing.vectors import segment_max

Array = NDArray[np.float32]
KS = (1, 3, 5)
WIDTH = 384


def unit(rows: Array) -> Array:
    """Scale rows to length 1."""
    lengths: Array = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return (rows / lengths).astype(np.float32)


def rounded(rows: Array, bits: int, reach: float) -> Array:
    """Return rows as they come back from `bits` bits a component, which span -reach to reach."""
    most = 2 ** (bits - 1) - 1
    whole: Array = np.clip(np.rint(rows / reach * most), -most, most) * np.float32(reach / most)
    return whole


def variants(axes: Array) -> dict[str, tuple[int, Callable[[Array], Array]]]:
    """Return name -> bytes a token and the function applied to a passage's unit rows (n, 384)."""
    made: dict[str, tuple[int, Callable[[Array], Array]]] = {"384 x float32": (1536, lambda r: r)}
    for dim in (128, 96, 80, 64, 48):
        made[f"{dim} x int8"] = (dim, _reduction(axes[:, :dim], 8, 1.0))
    made["128 x int4"] = (64, _reduction(axes, 4, 35 / 127))
    made["96 x int4"] = (48, _reduction(axes[:, :96], 4, 0.35))
    return made


def _reduction(axes: Array, bits: int, reach: float) -> Callable[[Array], Array]:
    return lambda rows: rounded(unit(rows @ axes), bits, reach)


def recall(pages: list[int], gold: set[int]) -> list[float]:
    """Return the share of gold pages among the first k, for each k of `KS`."""
    return [len(gold & set(pages[:k])) / len(gold) for k in KS]


class Bench:
    """The sums over all questions, a row a variant; `without` leaves the context's tokens out."""

    def __init__(self) -> None:
        """Load the model twice: as it is for weights, and at full width for vectors."""
        self.model = minilm.MiniLM(projection=np.eye(384, dtype=np.float32))
        self.axes = minilm.axes()
        self.variants = variants(self.axes)
        self.sums = {(name, kept): np.zeros(len(KS)) for name in self.variants for kept in (True, False)}
        self.tokens = {True: 0, False: 0}
        self.questions = 0
        self.pages = 0

    def document(self, collection: Collection, doc_id: str, n_pages: int, questions: list[Any]) -> None:
        """Add a document and its questions."""
        rows: list[Array] = []
        keep: list[NDArray[np.bool_]] = []
        owners: list[tuple[int, int]] = []
        for number in range(1, n_pages + 1):
            elements = [e for e in collection.page_elements(doc_id, number) if e.kind not in SILENT_KINDS and e.text]
            for n, element in enumerate(elements):
                states = self.model.token_states(passage(element))
                if len(states):
                    rows.append(states)
                    keep.append(self.model.offsets(passage(element))[:, 1] > len(context(element)))
                    owners += [(number, n)] * len(states)
        if not rows:
            return
        states, own = np.concatenate(rows), np.concatenate(keep)
        self.tokens[True] += len(own)
        self.tokens[False] += int(own.sum())
        self.pages += n_pages
        asked = [(self.model.embed_query(q["question"]), set(q["pages"])) for q in questions if q["pages"]]
        self.questions += len(asked)
        for name, kept in self.sums:
            mask = np.ones(len(own), bool) if kept else own
            _, change = self.variants[name]
            reduced = change(states[mask])
            where = np.array(owners)[mask]
            for query, gold in asked:
                vectors = self._query(query.vectors, reduced.shape[1])
                self.sums[name, kept] += recall(_ranked(reduced @ vectors.T, where, query.weights), gold)

    def _query(self, vectors: Array, dim: int) -> Array:
        return vectors if dim == WIDTH else unit(vectors @ self.axes[:, :dim])


def _ranked(cosines: Array, owners: NDArray[np.int64], weights: Array) -> list[int]:
    """Return pages, best first, as `indexing.search` scores their best element."""
    new_element = np.flatnonzero(np.r_[True, np.any(owners[1:] != owners[:-1], axis=1)])
    best = segment_max(cosines, new_element)
    pages = owners[new_element, 0]
    new_page = np.flatnonzero(np.r_[True, pages[1:] != pages[:-1]])
    of_page = segment_max(best, new_page) @ weights
    of_element = np.maximum.reduceat(best @ weights, new_page)
    scores = ELEMENT_WEIGHT * of_element + (1 - ELEMENT_WEIGHT) * of_page
    return [int(p) for p in pages[new_page][np.argsort(-scores)]]


def main() -> None:
    """Print recall and size of every variant, with and without the vectors of the context."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--home", type=Path, default=None)
    parser.add_argument("--max-pages", type=int, default=10_000, help="leave out longer documents")
    args = parser.parse_args()
    collection = Collection.open(args.collection, args.home)
    documents = {d.name: d for d in collection.documents() if d.n_pages <= args.max_pages}
    bench = Bench()
    for line in filter(str.strip, args.gold.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        if row["doc"] in documents:
            document = documents[row["doc"]]
            bench.document(collection, document.id, document.n_pages, row["questions"])
    print(f"{bench.questions} questions, {bench.pages} pages; page recall at {KS}, KB a page")
    for (name, kept), total in bench.sums.items():
        size = bench.variants[name][0] * bench.tokens[kept] / max(bench.pages, 1) / 1024
        values = "  ".join(f"{100 * v:5.1f}" for v in total / max(bench.questions, 1))
        print(f"{name:14s} {'with context' if kept else 'text only   '}  {values}  {size:7.1f} KB")


if __name__ == "__main__":
    main()
