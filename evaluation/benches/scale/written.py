"""Made pages as a collection on disk, which search opens like any other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluation.benches.scale.made_pages import MadePage, PageMaker
from evaluation.progress import say
from indexing import Collection, Document
from indexing.store import Store

GROUP = 10_000
"""The number of pages that are written in one go, some 500 MB."""


def write_pages(maker: PageMaker, target: Collection, count: int, texts: Sequence[str]) -> None:
    """Write `count` made pages to an empty collection.

    With `texts`, the texts of real elements, their elements are written too, each with one of them and a row for full
    text; without, only their vectors, which is all that the stages of search look at.
    """
    store = Store(target.path / "db", maker.codebook.shape[1])
    documents: dict[str, int] = {}
    group: list[MadePage] = []
    rng = np.random.default_rng(1)
    done = 0
    for block in maker.pages(count):
        group += block
        done += len(block)
        for page in block:
            documents[page.doc] = max(page.number, documents.get(page.doc, 0))
        if len(group) >= GROUP or done >= count:
            store.add(_page_table(group, store), _element_table(group, texts, rng) if texts else [])
            group = []
        say("pages written", done, count)
    print(file=sys.stderr)
    store.publish([Document(own, own, "", n, own * 4, own) for own, n in documents.items()])
    if texts:
        store.optimize()  # not without: it would write all vectors a second time


def _page_table(pages: Sequence[MadePage], store: Store) -> pa.Table:
    n = len(pages)
    columns = {
        "doc_id": [page.doc for page in pages], "number": [page.number for page in pages],
        "width": np.full(n, 595.0), "height": np.full(n, 842.0), "rotation": np.zeros(n, np.int32),
        "vectors": [page.vectors for page in pages], "spans": [page.spans.tobytes() for page in pages],
        "codes": [page.codes for page in pages], "residuals": [page.residuals for page in pages],
        "names": [[] for _ in pages], "name_strengths": [[] for _ in pages], "labels": [[] for _ in pages],
        "pictures": np.zeros(n, np.float32), "tables": np.zeros(n, np.float32), "label": [""] * n,
    }  # fmt: skip
    seen = ("seen_vectors", "seen_spans", "seen_codes", "seen_residuals", "seen_boxes")
    return pa.Table.from_pydict(columns | {name: [b""] * n for name in seen}, schema=store.schema("pages"))


def _element_table(pages: Sequence[MadePage], texts: Sequence[str], rng: np.random.Generator) -> pa.Table:
    counts = [len(page.spans) for page in pages]
    n = sum(counts)
    owner: NDArray[Any] = np.repeat(np.arange(len(pages)), counts)
    ordinal = np.concatenate([page.spans[:, 0] for page in pages])
    ids = [f"{pages[p].doc}/{pages[p].number}/{o}" for p, o in zip(owner.tolist(), ordinal.tolist(), strict=True)]
    box = {name: np.full(n, edge) for name, edge in (("x0", 0.1), ("y0", 0.1), ("x1", 0.9), ("y1", 0.9))}
    columns = {
        "id": ids, "doc_id": pa.array([page.doc for page in pages]).take(pa.array(owner)),
        "page": np.array([page.number for page in pages])[owner], "ordinal": ordinal, "kind": ["paragraph"] * n,
        "text": pa.array(texts).take(pa.array(rng.integers(0, len(texts), n))), **box, "source": ["text"] * n,
        "section": [[]] * n, "caption": [""] * n, "parts": [[]] * n, "words": [b""] * n, "cells": [b"[]"] * n,
        "place": [""] * n,
    }  # fmt: skip
    return pa.table(columns)
