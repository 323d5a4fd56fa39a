"""The reader as a network: MiniLM over question, sentence and region, and a head for each thing that it says."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertModel

DROPOUT = 0.1


class ReaderNetwork(nn.Module):
    """A network that says of each row whether its region answers, where, and what it does to the sentence.

    The heads for answering and support read the first token's state, behind a layer of their own; the one for the place
    reads every token's.
    """

    def __init__(self, weights: Path) -> None:
        """Start from the sentence encoder (a BERT) in the folder `weights`; the heads start at random."""
        super().__init__()
        self.bert = BertModel.from_pretrained(weights, add_pooling_layer=False, attn_implementation="sdpa")
        size = self.bert.config.hidden_size
        self.pool = nn.Linear(size, size)
        self.answers = nn.Linear(size, 1)
        self.support = nn.Linear(size, 3)
        self.span = nn.Linear(size, 2)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Give logits for rows (b, n): of answering (b,), of start and of end (b, n), of support (b, 3)."""
        states = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        first = self.dropout(torch.tanh(self.pool(states[:, 0])))
        start, end = self.span(self.dropout(states)).unbind(-1)
        return self.answers(first).squeeze(-1), start, end, self.support(first)

    def freeze_words(self) -> None:
        """Leave the embeddings of words as they are: most of them never come up in training."""
        self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
