"""Checkpoints of a few thousand random weights, in the layouts of the real ones: their architecture, nothing learnt.

Their layers move tokens little, so that a patch vector is mostly of its own patch: what stands where can then be seen.
"""

from collections.abc import Iterable
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

TEXT = ["The mill grinds rye by the river.", "Query: which page tells of the lighthouse, and when was it lit in 1887?"]
MIXING = 0.05
"""What the outputs of attention and feed-forward layers are multiplied by."""


def tokenizer_of(special: Iterable[str], **roles: Any) -> Any:
    """A byte-level tokenizer trained on two sentences, with control tokens."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(TEXT, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, **roles)


def calm(model: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
    """Random weights that are the same every time, layers that mix little."""
    drawn = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.copy_(torch.randn(weight.shape, generator=drawn) / weight[0].numel() ** 0.5)
                if name.endswith(("o_proj.weight", "out_proj.weight", "down_proj.weight", "fc2.weight", "Wo.weight",
                                  "attn.proj.weight", "linear_fc2.weight")):  # fmt: skip
                    weight.mul_(MIXING)
    return model.eval()
