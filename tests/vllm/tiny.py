"""Vision-language models of random numbers, saved as real checkpoints: `python -m tests.vllm.tiny FOLDER qwen3_vl ...`.

Run with the Python of the vLLM environment, whose transformers saves what its vLLM loads. What such a model says means
nothing, and that is the point: whatever the grammar lets through, it says.
"""

import sys
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
           "<|video_pad|>")  # fmt: skip
TEXT = (
    "Sallow Bay cancelled 118 of 4,212 departures in 1987, most of them for fog. See table E3 and figure E12.",
    '{"answerable": true, "sentences": [{"text": "The mill grinds rye.", "labels": ["E1", "E2"]}], "facts": []}',
    "Which page tells of the lighthouse, and when was it lit? Read the labels, then answer in one sentence.",
)
CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'text' %}{{ part['text'] }}"
    "{% else %}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}{% endif %}{% endfor %}{% endif %}"
    "{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
PIXELS = {"shortest_edge": 65_536, "longest_edge": 1_048_576}
"""As in ModelSettings, so that what is refused here would be refused by the real ones."""


def tokenizer() -> Any:
    """Byte-level, with a few merges of three sentences; every byte is a token, so that anything can be said."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=480, special_tokens=list(SPECIAL), initial_alphabet=alphabet)
    made.train_from_iterator(TEXT, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=32_768
    )


def text_config(vocabulary: int, **rope: Any) -> dict[str, Any]:
    """Two layers of 64; heads of 32, the smallest that vLLM has a kernel for on a CPU."""
    return {
        "vocab_size": vocabulary, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 32, "max_position_embeddings": 32_768,
        "tie_word_embeddings": False, "bos_token_id": None, "eos_token_id": 2, "pad_token_id": 0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [8, 4, 4]} | rope,
    }  # fmt: skip


def roles(made: Any) -> dict[str, int]:
    """The ids that a model's configuration wants of its tokenizer."""
    names = {"image": "<|image_pad|>", "video": "<|video_pad|>", "vision_start": "<|vision_start|>",
             "vision_end": "<|vision_end|>"}  # fmt: skip
    return {f"{name}_token_id": made.convert_tokens_to_ids(token) for name, token in names.items()}


def qwen3_vl(folder: Path) -> None:
    """Qwen3-VL: patches of 16, merged in fours, so 32 pixels a token."""
    made = tokenizer()
    vision = {"depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2, "out_hidden_size": 64,
              "patch_size": 16, "num_position_embeddings": 256, "deepstack_visual_indexes": [0]}  # fmt: skip
    config = transformers.Qwen3VLConfig(
        text_config=text_config(len(made), mrope_interleaved=True), vision_config=vision, **roles(made)
    )
    images = transformers.Qwen2VLImageProcessor(patch_size=16, size=PIXELS)
    save(
        folder,
        transformers.Qwen3VLForConditionalGeneration(config),
        transformers.Qwen3VLProcessor(images, made, transformers.Qwen3VLVideoProcessor(), chat_template=CHAT),
    )


def qwen2_5_vl(folder: Path) -> None:
    """Qwen2.5-VL: patches of 14, merged in fours, so 28 pixels a token."""
    made = tokenizer()
    vision = {"depth": 2, "hidden_size": 64, "intermediate_size": 128, "num_heads": 2, "out_hidden_size": 64,
              "patch_size": 14, "window_size": 112, "fullatt_block_indexes": [1]}  # fmt: skip
    config = transformers.Qwen2_5_VLConfig(text_config=text_config(len(made)), vision_config=vision, **roles(made))
    images = transformers.Qwen2VLImageProcessor(patch_size=14, size=PIXELS)
    save(
        folder,
        transformers.Qwen2_5_VLForConditionalGeneration(config),
        transformers.Qwen2_5_VLProcessor(images, made, transformers.Qwen2VLVideoProcessor(), chat_template=CHAT),
    )


def save(folder: Path, model: Any, processor: Any) -> None:
    """Random weights, the same every time, large enough that no token is certain."""
    drawn = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.copy_(torch.randn(weight.shape, generator=drawn) / weight[0].numel() ** 0.5)
    model.eval().to(torch.bfloat16).save_pretrained(folder)
    processor.save_pretrained(folder)


if __name__ == "__main__":
    for chosen in sys.argv[2:]:
        {"qwen3_vl": qwen3_vl, "qwen2_5_vl": qwen2_5_vl}[chosen](Path(sys.argv[1]) / chosen)
