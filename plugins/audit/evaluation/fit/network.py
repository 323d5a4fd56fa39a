"""The network that scores labels, in torch: what the reader of fields computes with numpy, to be learnt."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plugins.audit.evaluation.fit.owned import LabelledEntry
from plugins.audit.references.fields import (
    DILATIONS,
    HASHED,
    LABELS,
    POOLED,
    WORD_COLUMNS,
    allowed,
    identified,
    token_columns,
    tokens_of,
)

BATCH, RATE, EMBEDDED, WIDTH = 64, 3e-3, 40, 56
UNSEEN_ENTRIES, UNSEEN_WORDS = 0.35, 0.08
"""The shares of entries, and of words in the others, that are learnt from by shapes and places alone."""
MOST_TOKENS = 160
Arrays = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class EncodedEntry:
    """An entry to learn from: its features, (n, COLUMNS), and its labels, (n,)."""

    columns: NDArray[np.int16]
    labels: NDArray[np.int64]


def samples_of(entries: Sequence[LabelledEntry]) -> list[EncodedEntry]:
    """Return the features and labels of entries, of each the first `MOST_TOKENS`, but for what no chain allows."""
    found, moves = [], allowed()
    for entry in entries:
        pairs = zip((len(LABELS), *entry.labels), entry.labels, strict=False)
        if all(moves[before, label] == 0 for before, label in pairs):
            columns = token_columns(tokens_of(identified(entry.text).masked))
            found.append(EncodedEntry(columns[:MOST_TOKENS], np.array(entry.labels[:MOST_TOKENS])))
    return found


def fit(samples: Sequence[EncodedEntry], epochs: float, seed: int) -> Arrays:
    """Return the weights that make the labels most probable, under the names that `label_scores` reads."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng, drawn = Random(seed), np.random.default_rng(seed)  # noqa: S311  no secret
    parts = _parts(nn)
    learnt = [p for part in parts.values() for p in (part.parameters() if isinstance(part, nn.Module) else [part])]
    steps = max(1, round(epochs * len(samples) / BATCH))
    optimizer = torch.optim.AdamW(learnt, lr=RATE, weight_decay=1e-4)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1, pct_start=0.05)
    step = 0
    while step < steps:
        for batch in _batches(samples, rng):
            columns, labels, held = _padded(batch, drawn)
            scores = _scores(torch, parts, columns, held)
            loss = _loss(torch, scores, parts["moves"], labels, held)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learnt, 5.0)
            optimizer.step()
            rates.step()
            step += 1
            if step % 100 == 0:
                print(f"step {step} of {steps}: loss {loss.item():.3f}", file=sys.stderr)
            if step == steps:
                break
    return _arrays(parts)


def _parts(nn: Any) -> dict[str, Any]:
    """Return the parts of the network before it has learnt anything."""
    import torch

    convolutions = {
        f"convolution {n}": nn.Conv1d(WIDTH, 2 * WIDTH, 3, padding=distance, dilation=distance)
        for n, distance in enumerate(DILATIONS)
    }
    embedding = nn.EmbeddingBag(HASHED, EMBEDDED, mode="sum", padding_idx=0)
    nn.init.normal_(embedding.weight, std=0.1)
    embedding.weight.data[0] = 0
    return {
        "embedding": embedding,
        "input": nn.Linear(EMBEDDED, WIDTH),
        **convolutions,
        "pooled": nn.Linear(2 * WIDTH, WIDTH),
        "output": nn.Linear(WIDTH, len(LABELS)),
        "moves": nn.Parameter(torch.zeros(len(LABELS) + 1, len(LABELS))),
    }


def _batches(samples: Sequence[EncodedEntry], rng: Random) -> Iterator[list[EncodedEntry]]:
    """Yield all samples once in batches of like length, in an order by chance."""
    order = rng.sample(range(len(samples)), len(samples))
    for start in range(0, len(order), BATCH * 40):
        near = sorted(order[start : start + BATCH * 40], key=lambda k: len(samples[k].labels))
        cut = [near[i : i + BATCH] for i in range(0, len(near), BATCH)]
        rng.shuffle(cut)
        yield from ([samples[k] for k in batch] for batch in cut)


def _padded(batch: Sequence[EncodedEntry], drawn: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return features (b, t, COLUMNS), labels and what is held (b, t); some words are left out by chance."""
    import torch

    longest = max(len(sample.labels) for sample in batch)
    columns = np.zeros((len(batch), longest, batch[0].columns.shape[1]), np.int64)
    labels, held = np.zeros((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.float32)
    for n, sample in enumerate(batch):
        size = len(sample.labels)
        columns[n, :size], labels[n, :size], held[n, :size] = sample.columns, sample.labels, 1
    unseen = drawn.random((len(batch), 1, 1)) < UNSEEN_ENTRIES
    unseen = unseen | (drawn.random((len(batch), longest, 1)) < UNSEEN_WORDS)
    columns[:, :, WORD_COLUMNS] = np.where(unseen, 0, columns[:, :, WORD_COLUMNS])
    return torch.from_numpy(columns), torch.from_numpy(labels), torch.from_numpy(held)


def _scores(torch: Any, parts: Mapping[str, Any], columns: Any, held: Any, *, learning: bool = True) -> Any:
    """Return the score of every label for every token, (b, t, L): what `label_scores` computes."""
    count, longest, width = columns.shape
    embedded = parts["embedding"](columns.view(-1, width)).view(count, longest, -1)
    state = torch.relu(parts["input"](embedded)).transpose(1, 2) * held[:, None]
    for n in range(len(DILATIONS)):
        value, gate = parts[f"convolution {n}"](torch.nn.functional.dropout(state, 0.1, learning)).chunk(2, 1)
        state = (state + value * torch.sigmoid(gate)) * held[:, None]
        if n == POOLED:
            mean = state.sum(2) / held.sum(1)[:, None]
            most = (state - 1e4 * (1 - held[:, None])).max(2).values
            whole = torch.relu(parts["pooled"](torch.cat([mean, most], 1)))
            state = (state + whole[:, :, None]) * held[:, None]
    return parts["output"](state.transpose(1, 2))


def _loss(torch: Any, scores: Any, moves: Any, labels: Any, held: Any) -> Any:
    """Return the mean negative logarithm of the probability of the true paths."""
    moves = moves + torch.from_numpy(allowed())
    inner = moves[:-1]
    chosen = scores.gather(2, labels[:, :, None])[:, :, 0]
    reached = moves[-1] + scores[:, 0]
    true = moves[-1][labels[:, 0]] + chosen[:, 0]
    for i in range(1, scores.shape[1]):
        following = torch.logsumexp(reached[:, :, None] + inner[None], 1) + scores[:, i]
        reached = torch.where(held[:, i : i + 1] > 0, following, reached)
        true = true + held[:, i] * (inner[labels[:, i - 1], labels[:, i]] + chosen[:, i])
    return (torch.logsumexp(reached, 1) - true).mean()


def _arrays(parts: Mapping[str, Any]) -> Arrays:
    """Return the weights under their names."""
    found: Arrays = {"moves": parts["moves"].detach().numpy()}
    for name, part in parts.items():
        if name != "moves":
            found[name] = part.weight.detach().numpy()
        if getattr(part, "bias", None) is not None:
            found[f"{name}/bias"] = part.bias.detach().numpy()
    return found


def write(weights: Arrays, out: Path) -> None:
    """Write the weights: whole numbers of eight bits with one scale for each array."""
    stored: dict[str, NDArray[np.int8] | np.float32] = {}
    for name, values in weights.items():
        scale = float(np.abs(values).max()) / 127 or 1.0
        stored[name] = np.rint(values / scale).astype(np.int8)
        stored[f"{name}/scale"] = np.float32(scale)
    np.savez_compressed(out, allow_pickle=False, **stored)
    print(f"{out.name}: {out.stat().st_size / 1000:.0f} kB", file=sys.stderr)
