"""Fit the projection of MiniLM's token states (384 -> 128) that `indexing/embed/minilm_axes.npy` holds.

    python -m plugins.research.fit projection --pdfs ../shared/eval/mmdocir/pdfs \
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

from evaluation import positive, say
from indexing.embed import minilm
from plugins.research.fit.contrast import Schedule, TrainingQuestion, TrainingText, reciprocal_rank, train
from plugins.research.fit.corpus import Corpus, held_out, read, sample_of

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
    """Return the sample of open questions as unprojected states; of each text it is the first window."""
    sample = sample_of(corpus)
    print(f"embedding {len(sample.texts)} texts and {len(sample.questions)} questions", flush=True)
    states = [each.astype(np.float16) for each in model.states_of([each.text for each in sample.texts])]
    texts = [TrainingText(own, each.group) for own, each in zip(states, sample.texts, strict=True)]
    of_questions = model.states_of([q.text for q in sample.questions])
    questions = []
    for q, right, own in zip(sample.questions, sample.answering, of_questions, strict=True):
        if len(own) and len(texts[right].states):
            weights = model.question_weights(q.text)
            questions.append(TrainingQuestion(own.astype(np.float16), weights, right, q.group, q.source))
    return questions, texts


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
        prog="python -m plugins.research.fit projection",
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
    model = minilm.MiniLM(projection=np.eye(384, dtype=np.float32), trained=False)
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
