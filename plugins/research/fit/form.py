"""Fit the form of an answer (the coefficients in `rag/methods/quote/form.py`) on open questions with their texts.

    python -m plugins.research.fit form --questions ../shared/train/qa.jsonl.gz

The sentences of a question's text, and of two other texts of its group, are the candidates; the right ones hold the
answer. A conditional logit (which of the candidates is right?) weighs MaxSim, the question's own words, and the form of
the sentence. Weights are printed in units of MaxSim. Groups are held out, a fifth at a time, for the figures; the
questions of documents that Vouch is measured by are not among these.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed import MiniLM
from rag import sentence_spans
from rag.methods.quote import FORM_FEATURES, form_of, held_by, rarity_of

Array = NDArray[np.float64]

NAMES = ("MaxSim", "words", *FORM_FEATURES)
FOLDS, OTHERS, AROUND, RIDGE, SEED = 5, 2, 12, 3.0, 20261123
"""Folds; other texts of the group; sentences before and after the answer of a long text; the ridge; the seed."""


@dataclass(frozen=True, slots=True)
class SentenceChoice:
    """A question with its candidates: values (n, f), a mask (n,) of the right ones, and its fold."""

    source: str
    fold: int
    values: Array
    right: NDArray[np.bool_]


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the questions that have a text and an answer in it."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["context"] and row["answers"] and any(str(a) in row["context"] for a in row["answers"]):
                yield row


def choices(rows: Sequence[dict[str, Any]], each: int) -> Iterator[SentenceChoice]:
    """Yield at most `each` questions of every source, drawn by the seed, as choices between sentences."""
    draw = random.Random(SEED)  # noqa: S311  a sample, no secret
    groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for row in rows:
        groups[row["source"], row["group"]][row["context"]] = None
    order = sorted(groups)
    draw.shuffle(order)
    folds = {group: n % FOLDS for n, group in enumerate(order)}
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_source[row["source"]].append(row)
    model = MiniLM()
    for source, own in sorted(by_source.items()):
        for row in draw.sample(own, min(each, len(own))):
            group = (source, row["group"])
            others = [text for text in groups[group] if text != row["context"]]
            choice = _choice(model, row, draw.sample(others, min(OTHERS, len(others))), folds[group])
            if choice is not None:
                yield choice


def _choice(model: MiniLM, row: dict[str, Any], others: Iterable[str], fold: int) -> SentenceChoice | None:
    texts: list[tuple[str, list[tuple[int, int]], list[bool]]] = []
    spans = sentence_spans(row["context"])
    right = [any(str(a) in row["context"][s:e] for a in row["answers"]) for s, e in spans]
    first = right.index(True) if True in right else -1
    if first < 0:
        return None
    low = max(0, first - AROUND)
    texts.append((row["context"], spans[low : first + AROUND], right[low : first + AROUND]))
    texts += [(text, own := sentence_spans(text)[:AROUND], [False] * len(own)) for text in others]
    query = model.embed_query(row["question"])
    rarity = rarity_of(row["question"], [text[s:e] for text, own, _ in texts for s, e in own])
    values, gold = [], []
    for text, own, marks in texts:
        if not own:
            continue
        part = text[own[0][0] : own[-1][1]]
        (tokens,) = model.embed_passages([part])
        similar = (tokens.vectors.astype(np.float32) / 127) @ query.vectors.T
        for (start, end), mark in zip(own, marks, strict=True):
            a, b = start - own[0][0], end - own[0][0]
            inside = similar[(tokens.offsets[:, 0] < b) & (tokens.offsets[:, 1] > a)]
            score = float(inside.max(axis=0) @ query.weights) if len(inside) else 0.0
            words = held_by(text[start:end], rarity)
            values.append((score, words, *form_of(row["question"], text[start:end])))
            gold.append(mark)
    if len(gold) < 2 or all(gold):
        return None
    return SentenceChoice(row["source"], fold, np.array(values), np.array(gold))


def fit(asked: Sequence[SentenceChoice], columns: Sequence[int]) -> Array:
    """Return the weights (f,) of a conditional logit over the columns, by Newton's method; the others are 0."""
    beta = np.zeros(len(columns))
    for _ in range(30):
        gradient, hessian = -RIDGE * beta, RIDGE * np.eye(len(columns))
        for choice in asked:
            x = choice.values[:, columns]
            odds = x @ beta
            p = np.exp(odds - odds.max())
            p /= p.sum()
            q = p * choice.right
            q /= q.sum()
            gradient += x.T @ (q - p)
            centred = x - p @ x
            hessian += (centred * p[:, None]).T @ centred
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    whole = np.zeros(len(NAMES))
    whole[list(columns)] = beta
    return whole


def first_right(asked: Sequence[SentenceChoice], columns: Sequence[int]) -> list[bool]:
    """Return, for each question, whether its best sentence is right, fitted on the other folds."""
    found = []
    for fold in range(FOLDS):
        beta = fit([c for c in asked if c.fold != fold], columns)
        found += [bool(c.right[int((c.values @ beta).argmax())]) for c in asked if c.fold == fold]
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Collect, fit, and print the figures and the coefficients."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit form",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--questions", type=Path, required=True, help="the questions, JSON lines, gzipped")
    parser.add_argument("--each", type=int, default=600, help="the most questions of a source (600)")
    args = parser.parse_args(argv)
    asked = list(choices(list(rows_of(args.questions)), args.each))
    print(f"{len(asked)} questions, {sum(len(c.right) for c in asked)} sentences")
    everything = range(len(NAMES))
    for name, columns in (("MaxSim", [0]), ("and words", [0, 1]), ("and form", list(everything))):
        marks = first_right(asked, columns)
        print(f"{name:10} first sentence right, held out: {100 * sum(marks) / len(marks):.1f}%")
    beta = fit(asked, list(everything))
    print(f"one unit of MaxSim is {beta[0]:.2f} of log-odds")
    for name, weight in zip(NAMES, beta / beta[0], strict=True):
        print(f"{name:10} {weight:7.3f}")
