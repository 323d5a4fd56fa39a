"""A language model that says whether a text answers a question, by its logits of yes and no: Qwen3-Reranker."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from indexing import CheckpointUnfit
from indexing.embed import minilm
from indexing.embed.text import Forward

_CACHE, _ENDS = "past_key_values.", ("before", "after")

Ids = NDArray[np.int64]


class YesOrNo:
    """The prompt of Qwen3-Reranker as tokens. `tokens` are the ids of no and yes."""

    def __init__(self, tokenizer: Any, most: int, unfit: Callable[[str], CheckpointUnfit]) -> None:
        """Keep the tokenizer; a prompt has at most `most` tokens. Raises CheckpointUnfit for other model families."""
        ids = [tokenizer.token_to_id(word) for word in ("no", "yes", "<|im_start|>", "<|im_end|>")]
        if None in ids:
            raise unfit("it is a language model of another family than Qwen3-Reranker")
        self.tokens = ids[:2]
        tokenizer.no_truncation()
        prompt = yaml.safe_load(resources.files("plugins.models").joinpath("qwen3_reranker.yaml").read_text("utf-8"))
        self._query, self._document = prompt["query"], prompt["document"]
        self._before, self._after = (tokenizer.encode(prompt[part], add_special_tokens=False) for part in _ENDS)
        tokenizer.encode_special_tokens = True  # special tokens in a document must not end a turn
        self._tokenizer, self._most = tokenizer, most - len(self._before.ids) - len(self._after.ids)

    def encode(self, question: str, text: str) -> Any:
        """Return the prompt for a question and a text, whose end is cut off where it is too long."""
        body = self._tokenizer.encode(f"{self._query}{question}{self._document}{text}", add_special_tokens=False)
        body.truncate(self._most)
        return type(body).merge([self._before, body, self._after], growing_offsets=False)


def onnx_language_model(file: Path, unfit: Callable[[str], CheckpointUnfit]) -> Forward:
    """Return a language model in ONNX that gives the logits (b, vocabulary) after the last token of each row.

    Its file may take positions, and a cache of what it read before, which is empty. Each row is read by itself: not
    all such files know of padding before a text. Raises CheckpointUnfit.
    """
    try:
        session = minilm.onnx_session(str(file))
    except Exception as error:  # noqa: BLE001  the library raises nothing more special
        raise unfit(f"{file.name} cannot be loaded ({str(error)[:200]}): download it again") from None
    inputs = {each.name: each for each in session.get_inputs()}
    input_names = {"input_ids", "attention_mask", "position_ids"}
    if "input_ids" not in inputs or any(name not in input_names and not name.startswith(_CACHE) for name in inputs):
        raise unfit(f"{file.name} takes inputs that are not those of a language model")
    cache = {name: _empty(each) for name, each in inputs.items() if name.startswith(_CACHE)}

    def logits(ids: Ids) -> NDArray[np.float32]:
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "position_ids": np.arange(ids.shape[1])[None]}
        outputs = session.run(None, {name: feed[name] for name in input_names & set(inputs)} | cache)[0]
        return np.asarray(outputs[0, -1], np.float32)

    def forward(ids: Ids, mask: Ids, types: Ids | None = None) -> NDArray[np.float32]:
        del types
        return np.stack([logits(row[-int(length) :][None]) for row, length in zip(ids, mask.sum(axis=1), strict=True)])

    return forward


def _empty(model_input: Any) -> NDArray[Any]:
    """Return an empty cache for a model's input: batch size 1, and 0 for every axis without a fixed size."""
    sizes = [size if isinstance(size, int) else 0 for size in model_input.shape]
    return np.zeros([1, *sizes[1:]], np.float16 if "float16" in model_input.type else np.float32)
