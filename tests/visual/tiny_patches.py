"""Tiny checkpoints of the ColPali family, one maker each: `MAKERS[name](folder)` saves model and processor there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import colpali_engine.models as engine
import transformers

from tests.visual.tiny import calm, tokenizer_of

QWEN = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
        "<|video_pad|>")  # fmt: skip
IDEFICS = ("<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "<end_of_utterance>", "<image>",
           "<fake_token_around_image>", "<global-img>",
           *(f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7)))  # fmt: skip
GEMMA = ("<pad>", "<eos>", "<bos>", "<image>", "<start_of_image>", "<end_of_image>", "<image_soft_token>",
         "<start_of_turn>", "<end_of_turn>")  # fmt: skip
GEMMA_CHAT = (
    "{{ bos_token }}{% for message in messages %}{{ '<start_of_turn>' + message['role'] + '\n' }}"
    "{% for item in message['content'] %}{% if item['type'] == 'image' %}{{ '<start_of_image>' }}"
    "{% else %}{{ item['text'] }}{% endif %}{% endfor %}{{ '<end_of_turn>\n' }}{% endfor %}"
)
LAYERS = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 64}
SIGLIP = {**LAYERS, "image_size": 56, "patch_size": 14}


def _save(folder: Path, model: Any, processor: Any) -> None:
    calm(model).save_pretrained(folder)
    processor.save_pretrained(folder)


def qwen_tokenizer() -> tuple[Any, dict[str, int]]:
    tokenizer = tokenizer_of(QWEN, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    names = ("image", "video", "vision_start", "vision_end")
    tokens = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
    return tokenizer, {f"{n}_token_id": tokenizer.convert_tokens_to_ids(t) for n, t in zip(names, tokens, strict=True)}


def text_config(tokenizer: Any, **more: Any) -> dict[str, Any]:
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
    return {
        **LAYERS, "vocab_size": len(tokenizer), "num_key_value_heads": 2, "head_dim": 16,
        "max_position_embeddings": 8192, "rope_parameters": rope,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, **more,
    }  # fmt: skip


def colqwen2(folder: Path) -> None:
    tokenizer, ids = qwen_tokenizer()
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 4, "mlp_ratio": 1, "patch_size": 14}
    config = transformers.Qwen2VLConfig(text_config=text_config(tokenizer), vision_config=vision, **ids)
    images = transformers.Qwen2VLImageProcessor(min_pixels=4 * 28 * 28, max_pixels=200 * 28 * 28)
    video = transformers.Qwen2VLVideoProcessor()
    _save(folder, engine.ColQwen2(config), engine.ColQwen2Processor(images, tokenizer, video))


def colqwen2_5(folder: Path) -> None:
    tokenizer, ids = qwen_tokenizer()
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 32, "num_heads": 4, "out_hidden_size": 64,
              "patch_size": 14, "window_size": 56, "fullatt_block_indexes": [1]}  # fmt: skip
    config = transformers.Qwen2_5_VLConfig(text_config=text_config(tokenizer), vision_config=vision, **ids)
    images = transformers.Qwen2VLImageProcessor(min_pixels=4 * 28 * 28, max_pixels=200 * 28 * 28)
    video = transformers.Qwen2VLVideoProcessor()
    _save(folder, engine.ColQwen2_5(config), engine.ColQwen2_5_Processor(images, tokenizer, video))


def qwen3_vision() -> dict[str, Any]:
    return {"depth": 2, "hidden_size": 32, "intermediate_size": 32, "num_heads": 4, "out_hidden_size": 64,
            "patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}  # fmt: skip


def qwen3_parts() -> tuple[Any, dict[str, int], Any, Any]:
    tokenizer, ids = qwen_tokenizer()
    size = {"shortest_edge": 4 * 32 * 32, "longest_edge": 200 * 32 * 32}
    images = transformers.Qwen2VLImageProcessor(patch_size=16, size=size)
    return tokenizer, ids, images, transformers.Qwen3VLVideoProcessor()


def colqwen3(folder: Path) -> None:
    tokenizer, ids, images, video = qwen3_parts()
    config = transformers.Qwen3VLConfig(text_config=text_config(tokenizer), vision_config=qwen3_vision(), **ids)
    _save(folder, engine.ColQwen3(config), engine.ColQwen3Processor(images, tokenizer, video))


def colqwen3_5(folder: Path) -> None:
    tokenizer, ids, images, video = qwen3_parts()
    linear = {"linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16,
              "linear_value_head_dim": 16, "layer_types": ["linear_attention", "full_attention"]}  # fmt: skip
    vision = {k: v for k, v in qwen3_vision().items() if k != "deepstack_visual_indexes"}
    config = transformers.Qwen3_5Config(text_config=text_config(tokenizer, **linear), vision_config=vision, **ids)
    _save(folder, engine.ColQwen3_5(config), engine.ColQwen3_5Processor(images, tokenizer, video))


def _idefics_parts() -> tuple[Any, Any]:
    tokenizer = tokenizer_of(
        IDEFICS, bos_token="<|im_start|>", eos_token="<end_of_utterance>", pad_token="<|endoftext|>"
    )
    images = transformers.Idefics3ImageProcessor(size={"longest_edge": 336}, max_image_size={"longest_edge": 56})
    return tokenizer, images


def colidefics3(folder: Path) -> None:
    tokenizer, images = _idefics_parts()
    image = tokenizer.convert_tokens_to_ids("<image>")
    text = {"model_type": "llama", **text_config(tokenizer)}
    config = transformers.Idefics3Config(
        image_token_id=image, text_config=text, vision_config=SIGLIP, scale_factor=2, pad_token_id=0
    )
    _save(folder, engine.ColIdefics3(config), engine.ColIdefics3Processor(images, tokenizer, image_seq_len=4))


def colmodernvbert(folder: Path) -> None:
    tokenizer, images = _idefics_parts()
    image = tokenizer.convert_tokens_to_ids("<image>")
    text = {**LAYERS, "model_type": "modernbert", "vocab_size": len(tokenizer), "max_position_embeddings": 8192,
            "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3, "cls_token_id": 1, "sep_token_id": 3}  # fmt: skip
    vision = {"model_type": "siglip_vision_model", **SIGLIP}
    config = transformers.ModernVBertConfig(
        text_config=text, vision_config=vision, image_token_id=image, pixel_shuffle_factor=2
    )
    _save(folder, engine.ColModernVBert(config), engine.ColModernVBertProcessor(images, tokenizer, image_seq_len=4))


def colpali(folder: Path) -> None:
    tokenizer = tokenizer_of(GEMMA, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>")
    images = transformers.SiglipImageProcessor(size={"height": 112, "width": 112})
    images.image_seq_length = 64
    config = transformers.PaliGemmaConfig(
        text_config={"model_type": "gemma", **text_config(tokenizer, pad_token_id=0, eos_token_id=1, bos_token_id=2)},
        vision_config={"model_type": "siglip_vision_model", **SIGLIP, "image_size": 112},
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"), projection_dim=64, hidden_size=64,
    )  # fmt: skip
    _save(folder, engine.ColPali(config), engine.ColPaliProcessor(images, tokenizer))


def colgemma3(folder: Path) -> None:
    roles = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
    tokenizer = tokenizer_of(
        GEMMA,
        bos_token="<bos>",
        eos_token="<eos>",
        pad_token="<pad>",
        extra_special_tokens=roles,
        chat_template=GEMMA_CHAT,
    )
    config = transformers.Gemma3Config(
        text_config=text_config(tokenizer, pad_token_id=0, eos_token_id=1, bos_token_id=2),
        vision_config={"model_type": "siglip_vision_model", **SIGLIP, "image_size": 112}, mm_tokens_per_image=16,
        image_token_index=tokenizer.convert_tokens_to_ids("<image_soft_token>"),
        boi_token_index=tokenizer.convert_tokens_to_ids("<start_of_image>"),
        eoi_token_index=tokenizer.convert_tokens_to_ids("<end_of_image>"),
    )  # fmt: skip
    images = transformers.Gemma3ImageProcessor(size={"height": 112, "width": 112})
    _save(folder, engine.ColGemma3(config), engine.ColGemmaProcessor3(images, tokenizer, image_seq_length=16))


MAKERS: dict[str, Callable[[Path], None]] = {
    maker.__name__: maker
    for maker in (colpali, colqwen2, colqwen2_5, colqwen3, colqwen3_5, colmodernvbert, colidefics3, colgemma3)
}
