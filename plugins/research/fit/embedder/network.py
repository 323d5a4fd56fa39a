"""The embedder as a network in two parts: layers that stay as they are, and the last ones, which are trained."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import BertModel
from transformers.utils import logging

BATCH_TOKENS = 4096
"""The most tokens, padding counted, that go through the layers together."""
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]


def load(weights: Path) -> BertModel:
    """Load the sentence encoder (a BERT) in the folder `weights`, without dropout."""
    logging.set_verbosity_error()  # of a pooler that is not asked for
    bert = BertModel.from_pretrained(weights, add_pooling_layer=False, attn_implementation="sdpa")
    return bert.eval().requires_grad_(False)


class LastLayers(nn.Module):
    """The last layers of a BERT, and the axes (h, d) on which the states of its tokens are projected."""

    def __init__(self, bert: BertModel, count: int, axes: Floats) -> None:
        """Copy the last `count` layers of a BERT; it is not changed."""
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(layer) for layer in bert.encoder.layer[-count:]).requires_grad_(True)
        self.axes = nn.Parameter(torch.from_numpy(axes.astype(np.float32).copy()))

    def states(self, below: Tensor, mask: Tensor) -> Tensor:
        """Return the unit states (b, n, h) of tokens, of the states below the layers (b, n, h) and the mask (b, n)."""
        shut = torch.zeros(mask.shape).masked_fill(mask == 0, torch.finfo(torch.float32).min)[:, None, None, :]
        for layer in self.layers:
            below = layer(below, attention_mask=shut)
        return nn.functional.normalize(below, dim=-1)

    def forward(self, below: Tensor, mask: Tensor) -> Tensor:
        """Return the unit token vectors (b, n, d) that are compared."""
        return nn.functional.normalize(self.states(below, mask) @ self.axes, dim=-1)


def below(weights: Path, count: int, rows: Sequence[Sequence[int]]) -> Iterator[tuple[int, Halves]]:
    """Give the number of each row of token ids, and its states (n, h) below the last `count` layers.

    Rows come from short to long, so that little is padded.
    """
    lower = load(weights)
    lower.encoder.layer = lower.encoder.layer[:-count]
    for chosen in batches([len(row) for row in rows], BATCH_TOKENS):
        ids = torch.zeros((len(chosen), max(len(rows[n]) for n in chosen)), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for k, n in enumerate(chosen):
            ids[k, : len(rows[n])] = torch.tensor(list(rows[n]))
            mask[k, : len(rows[n])] = 1
        with torch.inference_mode():
            states = lower(input_ids=ids, attention_mask=mask).last_hidden_state
        for k, n in enumerate(chosen):
            yield n, states[k, : len(rows[n])].numpy().astype(np.float16)


def padded(rows: Sequence[Halves]) -> tuple[Tensor, Tensor]:
    """Join states (n, h) of rows to one batch (b, n, h) with its mask (b, n), 0 behind the end of a row."""
    states = torch.zeros((len(rows), max(map(len, rows)), rows[0].shape[1]))
    mask = torch.zeros(states.shape[:2], dtype=torch.long)
    for k, row in enumerate(rows):
        states[k, : len(row)] = torch.from_numpy(row.astype(np.float32))
        mask[k, : len(row)] = 1
    return states, mask


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Give the numbers of rows in batches of at most `most` tokens, padding counted, from short to long."""
    batch: list[int] = []
    for n in sorted(range(len(lengths)), key=lambda n: lengths[n]):
        if batch and (len(batch) + 1) * lengths[n] > most:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch
