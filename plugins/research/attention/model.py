"""A vision-language model on this machine that answers while its attention is watched: Qwen2.5-VL and Qwen3-VL.

The prompt is read with the fast attention, which keeps no weights. Then the answer's tokens are fed one by one with the
plain one (`eager`), and of each layer's weights (1, heads, 1, tokens) only the sums over the items are kept: memory
grows with the length of the prompt, never with its square or with the number of layers.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.visual import checkpoints, fingerprint, loading, locate
from plugins.research.attention.shares import Shares, Span, item_shares

if TYPE_CHECKING:
    from PIL import Image

NAME = "the analysis of attention"
LEAST_PIXELS, MOST_PIXELS = 65_536, 1_048_576
"""The least and most pixels of an image, as in ModelSettings."""
NEEDED = ("torch", "torchvision", "transformers")
ARCHITECTURES = {
    "qwen2_5_vl": "Qwen2_5_VLForConditionalGeneration",
    "qwen3_vl": "Qwen3VLForConditionalGeneration",
}
"""The classes of transformers by the model_type of a checkpoint's configuration."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt, in the order in which the model reads them; a named part is found again under its name."""

    content: str | Image.Image
    name: str = ""


@dataclass(frozen=True, slots=True)
class Watched:
    """An answer and the attention of its tokens.

    `pieces`: the text of each token of the answer. `spans`: the tokens of named parts, of an image its placeholders.
    `shares` (answer tokens, layers, spans): attention on each of them, averaged over heads; `prompt` (answer tokens,
    layers): on the whole prompt, so that 1 less this lies on the answer itself.
    """

    pieces: tuple[str, ...]
    prompt_tokens: int
    spans: Mapping[str, Span]
    shares: NDArray[np.float64]
    prompt: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Prompt:
    """The input of the model (tensors by name), and the places of the named parts."""

    inputs: Mapping[str, Any]
    spans: Mapping[str, Span]


class Watcher:
    """A model that is watched, for one thread."""

    def __init__(self, checkpoint: str, device: str = "auto", most_pixels: int = MOST_PIXELS) -> None:
        """Load a folder's or a hub's checkpoint. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        checkpoints.require_packages(NEEDED, NAME)
        self.checkpoint = locate(checkpoint, NAME)
        self.fingerprint = fingerprint(self.checkpoint, NAME, most_pixels)
        kind = self.checkpoint.config.get("model_type")
        if kind not in ARCHITECTURES:
            known = "only Qwen2.5-VL (qwen2_5_vl), Qwen3-VL (qwen3_vl) can be used: choose one of these"
            raise self.checkpoint.unfit(NAME, f"its model_type is {kind!r}, and {known}")
        with loading.importing(NAME):
            import transformers

            self.device = loading.device_of(device)
            model = getattr(transformers, ARCHITECTURES[kind])
        self.model = loading.load(model, self.checkpoint, NAME, self.device, words=True, attn_implementation="sdpa")
        self.processor = loading.processor(transformers.AutoProcessor, self.checkpoint, NAME)
        size = {"shortest_edge": min(LEAST_PIXELS, most_pixels), "longest_edge": most_pixels}
        self.processor.image_processor.size = size

    def watch(self, parts: Sequence[Part], answer: str | None, max_tokens: int) -> Watched:
        """Let the model answer, with the likeliest tokens, or say `answer`: at most `max_tokens` tokens.

        Raises ValueError for a prompt that there is no room for, and for an answer without a token.
        """
        import torch

        prompt = self._prompt(parts)
        length = prompt.inputs["input_ids"].shape[1]
        most = self.model.config.text_config.max_position_embeddings
        if length + max_tokens > most:
            raise ValueError(f"{length} tokens of prompt and {max_tokens} of answer exceed its limit of {most}")
        said = None if answer is None else self._tokenizer(answer, add_special_tokens=False)["input_ids"][:max_tokens]
        try:
            with torch.inference_mode(), contextlib.closing(self._steps(prompt, said)) as spoken:
                steps = list(itertools.islice(spoken, max_tokens))
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            raise ValueError(f"{length} tokens of prompt need more memory than there is: use fewer --pixels") from None
        if not steps:
            raise ValueError("the answer has no tokens")
        tokens, shares, on_prompt = zip(*steps, strict=True)
        return Watched(self._pieces(tokens), length, prompt.spans, np.stack(shares), np.stack(on_prompt))

    def _steps(self, prompt: _Prompt, said: Sequence[int] | None) -> Generator[tuple[int, Shares, Shares]]:
        """Yield the tokens of an answer, with attention on the spans (layers, spans) and the prompt (layers,)."""
        ids = prompt.inputs["input_ids"]
        positions, _ = self.model.model.get_rope_index(
            ids, prompt.inputs["mm_token_type_ids"], image_grid_thw=prompt.inputs.get("image_grid_thw")
        )
        state = self._read(prompt, positions)
        following = int(positions.max()) + 1
        with self._plainly(), self._watched([*prompt.spans.values()], ids.shape[1]) as rows:
            for number in itertools.count():
                if said is not None and number == len(said):
                    break
                token = int(state.logits[0, -1].argmax()) if said is None else said[number]
                if said is None and token in self._ends:
                    break
                state = self._fed(token, state.past_key_values, following + number)
                yield token, np.stack([row for row, _ in rows]), np.array([whole for _, whole in rows])

    # ---- the prompt ------------------------------------------------------------------------------------------------

    def _prompt(self, parts: Sequence[Part]) -> _Prompt:
        """Return the tensors of a user's message of these parts, and the places of the named ones in its tokens."""
        said = [part.content for part in parts]
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in said]
        text = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        images = [part for part in said if not isinstance(part, str)]
        batch = self.processor(text=[text], images=images or None, return_tensors="pt")
        merged = self.processor.image_processor.merge_size**2
        pads = [int(grid.prod()) // merged for grid in batch.get("image_grid_thw", ())]
        pad = self.processor.image_token
        pieces = text.split(pad)
        if len(pieces) != len(pads) + 1:
            raise self.checkpoint.unfit(NAME, f"its template has {len(pieces) - 1} places for {len(pads)} images")
        whole = pieces[0] + "".join(pad * count + piece for count, piece in zip(pads, pieces[1:], strict=True))
        told = self._tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
        if told["input_ids"] != batch["input_ids"][0].tolist():
            raise self.checkpoint.unfit(NAME, "its processor and its tokenizer make different tokens of a prompt")
        spans = token_spans(told["offset_mapping"], self._characters(parts, pads, whole))
        inputs = loading.to_device(batch, self.device, self.model.dtype)
        return _Prompt(inputs, spans)

    def _characters(self, parts: Sequence[Part], pads: Sequence[int], whole: str) -> dict[str, Span]:
        """Return the places of the named parts in the text of the prompt, its images spelt out as placeholders."""
        opens, pad, closes = "<|vision_start|>", self.processor.image_token, "<|vision_end|>"
        left = iter(pads)
        written, found = "", {}
        for part in parts:
            is_text = isinstance(part.content, str)
            said = str(part.content) if is_text else pad * next(left)
            written += "" if is_text else opens
            if part.name:
                found[part.name] = (len(written), len(written) + len(said))
            written += said if is_text else said + closes
        if whole.count(written) != 1:
            raise self.checkpoint.unfit(NAME, "its chat template writes more than the parts of a message, one by one")
        begin = whole.index(written)
        return {name: (begin + start, begin + end) for name, (start, end) in found.items()}

    # ---- the model -------------------------------------------------------------------------------------------------

    def _read(self, prompt: _Prompt, positions: Any) -> Any:
        """Return the model's state after the prompt."""
        return self.model(
            **{k: v for k, v in prompt.inputs.items() if k != "attention_mask"},
            position_ids=positions,
            use_cache=True,
            logits_to_keep=1,
        )

    def _fed(self, token: int, past: Any, position: int) -> Any:
        """Return the model's state after one more token, whose place is given: the model may keep an earlier one."""
        import torch

        ids = torch.tensor([[token]], device=self.device)
        place = torch.full((3, 1, 1), position, device=self.device)
        return self.model(input_ids=ids, position_ids=place, past_key_values=past, use_cache=True, logits_to_keep=1)

    @contextlib.contextmanager
    def _plainly(self) -> Iterator[None]:
        """Compute attention inside so that there are weights to be seen."""
        before = self.model.config.text_config._attn_implementation  # noqa: SLF001  there is no other name for it
        self.model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self.model.set_attn_implementation(before)

    @contextlib.contextmanager
    def _watched(self, spans: Sequence[Span], length: int) -> Iterator[list[tuple[Shares, float]]]:
        """Fill the list inside, for the last step, layer by layer, with the shares (spans,) and the prompt's share."""
        layers = self.model.model.language_model.layers
        nothing: Shares = np.zeros(len(spans))
        rows = [(nothing, 0.0)] * len(layers)

        def hook(layer: int) -> Any:
            def keep(_module: Any, _given: Any, output: Any) -> None:
                weights = output[1].float().cpu().numpy()
                rows[layer] = item_shares(weights, spans)[0], float(item_shares(weights, [(0, length)])[0, 0])

            return keep

        handles = [layer.self_attn.register_forward_hook(hook(number)) for number, layer in enumerate(layers)]
        try:
            yield rows
        finally:
            for handle in handles:
                handle.remove()

    @property
    def _tokenizer(self) -> Any:
        return self.processor.tokenizer

    @property
    def _ends(self) -> set[int]:
        """The tokens with which an answer ends."""
        told = self.model.generation_config.eos_token_id
        return {self._tokenizer.eos_token_id, *(told if isinstance(told, list) else [told])}

    def _pieces(self, tokens: Sequence[int]) -> tuple[str, ...]:
        """Return the text of each token, so that all together are the answer; a letter of several is in its last."""
        texts = [self._tokenizer.decode(tokens[: n + 1]) for n in range(len(tokens))]
        whole = [*(text.rstrip("\ufffd") for text in texts[:-1]), texts[-1]]
        return tuple(b[len(a) :] for a, b in itertools.pairwise(["", *whole]))


def token_spans(offsets: Sequence[Span], characters: Mapping[str, Span]) -> dict[str, Span]:
    """Return the tokens with a character of each span of characters. Raises ValueError for one without a token.

    >>> token_spans([(0, 2), (2, 5), (5, 6)], {"a": (0, 3), "b": (5, 6)})
    {'a': (0, 2), 'b': (2, 3)}
    """
    found = {}
    for name, (start, end) in characters.items():
        inside = [n for n, (first, last) in enumerate(offsets) if first < end and last > start]
        if not inside:
            raise ValueError(f"{name} has no tokens in the prompt: it is empty")
        found[name] = (inside[0], inside[-1] + 1)
    return found
