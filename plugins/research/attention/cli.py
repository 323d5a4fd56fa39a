"""`vouch eval attention`: where a model on this machine looks while it answers from MCiteBench's items.

The items of every question are shown as `vouch eval mcitebench --method vanilla` shows them, under their names ([2],
Figure 3), in a random order, and the model answers with the names of its sources. For every layer a line keeps the
share of the attention of the answer's tokens on each item, on the items' names, on the rest of the prompt and on the
answer so far; and the same for the tokens alone that name a source. `plugins/research/attention/shares.py` says how
the shares are made, and from which paper.

--answers figure asks the paper's RQ3: the model is made to say "According to Figure", and the attention is that of the
last of these tokens alone, from which the next one comes. Questions with a figure among their evidence are asked.

--out is a folder: attention.jsonl has a line a question and is only appended to; report.md and report.html have the
tables and plots, and are written anew each time. The model is loaded with transformers (Qwen2.5-VL, Qwen3-VL): this
needs the extra `visual` and, for real models, a GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation import Unshowable, positive, say
from evaluation.harness import Predictions, picture, rubric_prompt
from evaluation.tasks import Gold, GoldQuestion, SourceItem, items_of, mcitebench, name_spans
from indexing import default_home, machine_folder
from plugins.research.attention.model import MOST_PIXELS, NAME, Part, Watched, Watcher
from plugins.research.attention.report import write_report
from rag.llm import in_line

PROMPT = "mcite_answer"
DIGITS = 7
ACCORDING = "According to Figure"
"""The beginning of an answer whose next token names a figure (RQ3)."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="PATH", help="MCiteBench: its folder, or its file of questions")
    add("--documents", type=Path, metavar="DIR", help="the folder of its images (default: next to the data)")
    add("--checkpoint", required=True, metavar="MODEL", help="a Qwen2.5-VL or Qwen3-VL: its folder or hub name")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the results and the report")
    add("--answers", choices=("generated", "gold", "figure"), default="generated", help="the answers to measure: the "
        f"model's own, the gold ones, or what follows {ACCORDING!r}")  # fmt: skip
    add("--tokens", type=positive, default=256, metavar="N", help="the most tokens of an answer")
    add("--pixels", type=positive, default=MOST_PIXELS, metavar="N", help="the most pixels of an image")
    add("--device", default="auto", help="the device: cpu, cuda, or auto, which means the GPU if there is one")
    add("--seed", type=int, default=0, help="the seed of the order of the items")
    add("--limit", type=positive, metavar="N", help="ask only the first N questions")
    add("--resume", action="store_true", help="continue the run in --out")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections, where texts are kept as documents")


def attention(asked: argparse.Namespace) -> int:
    """Watch the questions not yet watched and write the report; 0 when done, 1 when nothing could be watched."""
    home = asked.home or default_home()
    gold = mcitebench.load(asked.data, asked.documents, machine_folder(home) / "eval-material", None)
    for problem in gold.problems:
        print(f"left out: {problem}", file=sys.stderr)
    questions = [q for q in gold.questions if asked.answers != "figure" or _proves_by_figure(q)][: asked.limit]
    watcher = Watcher(asked.checkpoint, asked.device, asked.pixels)
    with Predictions(asked.out / "attention.jsonl", run_of(asked, watcher, gold.sha256), resume=asked.resume) as kept:
        rest = [question for question in questions if question.qid not in kept.rows]
        for number, question in enumerate(rest, 1):
            kept.add(watched_row(watcher, question, gold, asked))
            say("attention: questions", number, len(rest))
        if rest:
            print(file=sys.stderr)
        rows = [kept.rows[question.qid] for question in questions]
    failed = [f"{row['qid']}: {row['error']}" for row in rows if "error" in row]
    for problem in failed:
        print(f"not measured: {problem}", file=sys.stderr)
    seen = [row for row in rows if "error" not in row]
    if not seen:
        return 1
    about = f"{watcher.checkpoint.name} on {asked.data.name}: {len(seen)} questions, answers {asked.answers}"
    write_report(seen, asked.out, about, [*gold.problems, *failed])
    return 0


def run_of(asked: argparse.Namespace, watcher: Watcher, data: str) -> str:
    """Return twelve hex digits for everything that a line depends on besides its question."""
    depends = [data, watcher.fingerprint, asked.answers, asked.tokens, asked.seed, rubric_prompt(PROMPT).version]
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:12]


def watched_row(watcher: Watcher, question: GoldQuestion, gold: Gold, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the line of a question; one that cannot be watched is a line too, with the reason."""
    items = mcitebench.as_shown(question, asked.seed)
    answer = {"gold": question.answer, "figure": ACCORDING}.get(asked.answers)
    try:
        seen = watcher.watch(list(parts_of(question, items, gold)), answer, asked.tokens)
    except (ValueError, Unshowable) as error:
        return {"qid": question.qid, "question": question.text, "error": f"{NAME}: {error}"}
    count = len(seen.pieces)
    return {
        "qid": question.qid,
        "question": question.text,
        "answer": "".join(seen.pieces),
        "groups": {name: list(groups) for name, groups in question.groups.items()},
        "prompt_tokens": seen.prompt_tokens,
        "items": [
            {
                "document": item.document,
                "kind": item.kind,
                "gold": item.document in question.more["gold"],
                "tokens": seen.spans[f"item {n}"][1] - seen.spans[f"item {n}"][0],
            }
            for n, item in enumerate(items)
        ],
        "all": shares_of(seen, [asked.answers != "figure" or n + 1 == count for n in range(count)]),
        "naming": shares_of(seen, naming(seen.pieces)),
    }


def parts_of(question: GoldQuestion, items: Sequence[SourceItem], gold: Gold) -> Iterator[Part]:
    """Yield the prompt: every item under its name, then the question."""
    for n, item in enumerate(items):
        yield Part(item.name, f"label {n}")
        yield Part(f": {in_line(item.caption)}\n" if item.caption else "\n")
        yield Part(in_line(item.text) if item.text else picture(gold.files[item.document]), f"item {n}")
        yield Part("\n\n")
    yield Part(rubric_prompt(PROMPT).filled(question=in_line(question.text)))


def _proves_by_figure(question: GoldQuestion) -> bool:
    """Return True if a figure is among the question's evidence."""
    return any(items_of(question)[document].kind == "figure" for document in question.more["gold"])


def naming(pieces: Sequence[str]) -> list[bool]:
    """Return for each token of an answer if it names sources.

    >>> naming(["Nine", " [", "2", "]."])
    [False, True, True, True]
    >>> naming(["As", " Figure", " ", "3", " shows"])
    [False, True, True, True, False]
    """
    text = "".join(pieces)
    spans = name_spans(text)
    found, at = [], 0
    for piece in pieces:
        found.append(any(at < end and at + len(piece) > start for start, end in spans))
        at += len(piece)
    return found


def shares_of(seen: Watched, chosen: Sequence[bool]) -> dict[str, Any] | None:
    """Return attention by layer, averaged over the chosen tokens of the answer; None when there are none."""
    rows = np.asarray(chosen)
    if not rows.any():
        return None
    names = list(seen.spans)
    shares = seen.shares[rows].mean(axis=0)

    def of(kind: str) -> list[list[float]]:
        columns = [number for number, name in enumerate(names) if name.startswith(kind)]
        return [[round(float(v), DIGITS) for v in layer] for layer in shares[:, columns]]

    prompt = [round(float(v), DIGITS) for v in seen.prompt[rows].mean(axis=0)]
    return {"tokens": int(rows.sum()), "items": of("item "), "labels": of("label "), "prompt": prompt}
