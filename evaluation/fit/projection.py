"""Fit the projection of MiniLM's token states (384 -> 128) that `indexing/embed/minilm_axes.npy` holds.

    python -m evaluation.fit projection --pdfs ../shared/eval/mmdocir/pdfs \
        --questions ../shared/train/qa.jsonl.gz --out indexing/embed/minilm_axes.npy

It begins with the leading eigenvectors of the (uncentred) second moment of unit token states over text blocks of the
PDFs: of all projections to 128 dimensions the one that keeps most of the dot products. Then these axes are trained on
open questions with their texts and tables, so that MaxSim puts the text first that answers. One group (document) of ten
is never trained on; the figures printed are of those. The questions that Vouch is measured by are not among them.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pymupdf
from numpy.typing import NDArray

from evaluation.arguments import positive
from evaluation.fit.contrast import Schedule, TrainingQuestion, TrainingText, reciprocal_rank, train
from evaluation.fit.reader import AskedQuestion, Corpus, CorpusPassage, CorpusTable, held_out, read
from evaluation.progress import say
from indexing.embed import minilm

MOST_OF_TABLE = 1200
"""The most characters of a table: about a window of the model."""
LARGE = {"tatqa": 3000, "wtq": 2500, "qamr": 2500, "fetaqa": 2000}
"""The most questions of the large sources, which would drown the others; of those all are taken."""
SAMPLED = 1
"""The seed of the sample."""
AROUND = 8
"""The most texts of a group that are embedded besides those that answer."""
TESTED, TESTED_AMONG = 700, 20
"""The held-out questions that are tested, and the other texts, at most, that each text has to come before."""


def blocks(folder: Path, per_document: int, seed: int = 0) -> list[str]:
    """Return up to `per_document` text blocks of every PDF in the folder, the same ones each time."""
    chosen: list[str] = []
    for path in sorted(folder.glob("*.pdf")):
        with pymupdf.open(path) as document:
            texts = [b[4] for page in document for b in page.get_text("blocks") if len(b[4].split()) >= 4]
        chosen += random.Random(seed).sample(texts, min(per_document, len(texts)))  # noqa: S311  a sample, no secret
    return [" ".join(text.split())[:1000] for text in chosen]


def principal(model: minilm.MiniLM, texts: Iterable[str], dim: int) -> tuple[NDArray[np.float32], float]:
    """Return the axes (384, dim) of a model's unprojected states, and the share of the second moment that they keep."""
    moment = np.zeros((384, 384))
    for text in texts:
        states = model.token_states(text).astype(np.float64)
        moment += states.T @ states
    values, vectors = np.linalg.eigh(moment)
    order = np.argsort(-values)[:dim]
    return vectors[:, order].astype(np.float32), float(values[order].sum() / values.sum())


def training_set(corpus: Corpus, model: minilm.MiniLM) -> tuple[list[TrainingQuestion], list[TrainingText]]:
    """Return questions of every source, and the texts that they are asked of, as unprojected states.

    The texts are those that answer, and some more of each group; of each it is the first window.
    """
    draw = random.Random(SAMPLED)  # noqa: S311  a sample, no secret
    by_source: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in corpus.questions:
        by_source[question.source].append(question)
    asked = [
        q
        for source, own in sorted(by_source.items())
        for q in draw.sample(own, min(LARGE.get(source, len(own)), len(own)))
    ]
    groups = {q.group for q in asked}
    of_group: dict[str, list[tuple[bool, int]]] = defaultdict(list)
    kinds: list[tuple[bool, Sequence[CorpusPassage | CorpusTable]]] = [(False, corpus.passages), (True, corpus.tables)]
    for is_table, of_kind in kinds:
        for n, text in enumerate(of_kind):
            if text.group in groups:
                of_group[text.group].append((is_table, n))
    answering = [_answering(q) for q in asked]
    around = (key for _, own in sorted(of_group.items()) for key in draw.sample(own, min(AROUND, len(own))))
    number = {key: n for n, key in enumerate(dict.fromkeys([*answering, *around]))}
    written = [_written(corpus, *key) for key in number]
    print(f"embedding {len(written)} texts and {len(asked)} questions", flush=True)
    states = [each.astype(np.float16) for each in model.states_of([text for text, _ in written])]
    texts = [TrainingText(own, group) for own, (_, group) in zip(states, written, strict=True)]
    questions = []
    for q, key, own in zip(asked, answering, model.states_of([q.text for q in asked]), strict=True):
        if len(own) and len(texts[number[key]].states):
            weights = model.question_weights(q.text)
            questions.append(TrainingQuestion(own.astype(np.float16), weights, number[key], q.group, q.source))
    return questions, texts


def _answering(question: AskedQuestion) -> tuple[bool, int]:
    return (False, question.passage) if question.passage >= 0 else (True, question.table)


def _written(corpus: Corpus, is_table: bool, n: int) -> tuple[str, str]:
    """Return a text as Vouch would embed it, and its group."""
    if not is_table:
        return corpus.passages[n].text, corpus.passages[n].group
    table = corpus.tables[n]
    rows = "\n".join(" | ".join(row) for row in table.rows)
    return "\n".join(filter(None, (table.title, rows)))[:MOST_OF_TABLE], table.group


def report(axes: NDArray[np.float32], asked: Sequence[TrainingQuestion], texts: Sequence[TrainingText]) -> str:
    """Return the mean reciprocal rank of the text that answers, by source.

    It has to come before others of its group, and before texts that answer other held-out questions of the source.
    """
    of_group: dict[str, list[int]] = defaultdict(list)
    for n, text in enumerate(texts):
        of_group[text.group].append(n)
    of_source: dict[str, list[TrainingQuestion]] = defaultdict(list)
    for question in asked:
        of_source[question.source].append(question)
    told = []
    for source, own in sorted(of_source.items()):
        strangers = [q.text for q in own[:TESTED_AMONG]]
        among = [sorted({q.text, *of_group[q.group][:TESTED_AMONG], *strangers}) for q in own]
        ranks = [reciprocal_rank(axes, q, texts, each) for q, each in zip(own, among, strict=True)]
        told.append((source, float(np.mean(ranks)), len(own)))
    mean = sum(rank for _, rank, _ in told) / max(len(told), 1)
    return "  ".join([f"{source} {rank:.3f} ({n})" for source, rank, n in told] + [f"mean {mean:.3f}"])


def main(argv: Sequence[str] | None = None) -> None:
    """Fit, save, and print the hash that minilm.py checks."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.fit projection",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pdfs", type=Path, required=True)
    parser.add_argument("--questions", type=Path, help="train on these; without them the principal axes are kept")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dim", type=positive, default=minilm.DIM)
    parser.add_argument("--blocks", type=positive, default=150, help="how many text blocks are taken of each document")
    parser.add_argument("--steps", type=positive, default=600, help="how many batches are trained on")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    corpus = read(args.questions) if args.questions else None
    model = minilm.MiniLM(projection=np.eye(384, dtype=np.float32))
    texts = blocks(args.pdfs, args.blocks)
    axes, kept = principal(model, texts, args.dim)
    print(f"{len(texts)} blocks; {args.dim} axes keep {kept:.1%}")
    if corpus is not None:
        axes = trained(axes, *training_set(corpus, model), Schedule(args.steps, seed=args.seed))
    np.save(args.out, axes.astype(np.float16))
    print(f"PROJECTION_SHA256 = {hashlib.sha256(args.out.read_bytes()).hexdigest()}")


def trained(
    axes: NDArray[np.float32],
    asked: Sequence[TrainingQuestion],
    texts: Sequence[TrainingText],
    schedule: Schedule,
) -> NDArray[np.float32]:
    """Return the axes after training on all groups but those held out; print the figures of these, before and after."""
    mine = [q for q in asked if not held_out(q.group)]
    theirs = [q for q in asked if held_out(q.group)]
    tested = random.Random(schedule.seed).sample(theirs, min(TESTED, len(theirs)))  # noqa: S311  a sample, no secret
    print(f"{len(mine)} questions to train on, {len(tested)} held out; their mean reciprocal ranks, before and after:")
    print(report(axes, tested, texts))
    axes = train(axes, mine, texts, schedule, lambda step, loss: say("steps", step, schedule.steps, f"loss {loss:.2f}"))
    print(report(axes, tested, texts))
    return axes
