"""Tiny checkpoints of the universal embedders, in the layouts of the published ones.

MM-Embed's is written tensor by tensor, under the names and with the configuration that nvidia/MM-Embed has; also its
`text_config`, which is that of another language model than the one in the weights.
"""

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file

from tests.visual.tiny import calm, tokenizer_of
from tests.visual.tiny_patches import qwen3_parts, qwen3_vision, qwen_tokenizer, text_config

MISTRAL = ("<unk>", "<s>", "</s>")
DIM, HEADS, LAYERS, LATENTS, SIDE, PATCH, VISION = 32, 4, 2, 6, 28, 14, 16
QWEN_CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' }}{% for item in message['content'] %}"
    "{% if item['type'] == 'image' %}{{ '<|vision_start|><|image_pad|><|vision_end|>' }}{% else %}{{ item['text'] }}"
    "{% endif %}{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    """The tensors of nvidia/MM-Embed, on a small scale."""
    latent, language, vision = "latent_attention_model.", "language_model.", "vision_tower.vision_model."
    found: dict[str, tuple[int, ...]] = {
        "image_newline": (DIM,),
        "multi_modal_projector.linear_1.weight": (DIM, VISION), "multi_modal_projector.linear_1.bias": (DIM,),
        "multi_modal_projector.linear_2.weight": (DIM, DIM), "multi_modal_projector.linear_2.bias": (DIM,),
        f"{language}embed_tokens.weight": (vocabulary, DIM), f"{language}norm.weight": (DIM,),
        f"{vision}embeddings.class_embedding": (VISION,),
        f"{vision}embeddings.patch_embedding.weight": (VISION, 3, PATCH, PATCH),
        f"{vision}embeddings.position_embedding.weight": ((SIDE // PATCH) ** 2 + 1, VISION),
        f"{latent}latents": (LATENTS, DIM),
        f"{latent}cross_attend_blocks.0.fn.to_q.weight": (8 * DIM, DIM),
        f"{latent}cross_attend_blocks.0.fn.to_kv.weight": (16 * DIM, DIM),
        f"{latent}cross_attend_blocks.0.fn.to_out.weight": (DIM, 8 * DIM),
        f"{latent}cross_attend_blocks.1.fn.net.0.weight": (8 * DIM, DIM),
        f"{latent}cross_attend_blocks.1.fn.net.0.bias": (8 * DIM,),
        f"{latent}cross_attend_blocks.1.fn.net.2.weight": (DIM, 4 * DIM),
        f"{latent}cross_attend_blocks.1.fn.net.2.bias": (DIM,),
    }  # fmt: skip
    for norm in ("0.norm", "0.norm_context", "1.norm"):
        found |= {f"{latent}cross_attend_blocks.{norm}.{part}": (DIM,) for part in ("weight", "bias")}
    for norm in ("pre_layrnorm", "post_layernorm"):
        found |= {f"{vision}{norm}.{part}": (VISION,) for part in ("weight", "bias")}
    for layer in range(LAYERS):
        own = f"{language}layers.{layer}."
        found |= {f"{own}self_attn.{p}_proj.weight": (DIM // (2 if p in "kv" else 1), DIM) for p in "qkvo"}
        found |= {f"{own}mlp.{p}_proj.weight": (2 * DIM, DIM) for p in ("gate", "up")}
        found |= {f"{own}mlp.down_proj.weight": (DIM, 2 * DIM), f"{own}input_layernorm.weight": (DIM,)}
        found |= {f"{own}post_attention_layernorm.weight": (DIM,)}
        own = f"{vision}encoder.layers.{layer}."
        for name in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"):
            found |= {f"{own}{name}.weight": (VISION, VISION), f"{own}{name}.bias": (VISION,)}
        for name in ("layer_norm1", "layer_norm2"):
            found |= {f"{own}{name}.weight": (VISION,), f"{own}{name}.bias": (VISION,)}
        found |= {f"{own}mlp.fc1.weight": (2 * VISION, VISION), f"{own}mlp.fc1.bias": (2 * VISION,)}
        found |= {f"{own}mlp.fc2.weight": (VISION, 2 * VISION), f"{own}mlp.fc2.bias": (VISION,)}
    return found


def mm_embed(folder: Path, **changes: Any) -> None:
    """A checkpoint like nvidia/MM-Embed; `changes` are made to its configuration."""
    tokenizer = tokenizer_of((*MISTRAL,))
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    image = tokenizer.convert_tokens_to_ids("<image>")
    drawn = torch.Generator().manual_seed(1)
    weights = {name: 0.3 * torch.randn(shape, generator=drawn) for name, shape in shapes(image).items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    config = {
        "_name_or_path": "myshare/NV-MMEmbed-v1", "add_eos_token": True, "architectures": ["NVMMEmbedModel"],
        "auto_map": {"AutoModel": "modeling_nvmmembed.NVMMEmbedModel"}, "global_image_patch_only": True,
        "ignore_index": -100, "image_grid_pinpoints": [[SIDE, 2 * SIDE], [2 * SIDE, SIDE]], "image_token_index": image,
        "model_type": "llava_next", "padding_side": "right", "projector_hidden_act": "gelu",
        "retriever": "nvidia/NV-Embed-v1", "tie_word_embeddings": False, "torch_dtype": "float16",
        "transformers_version": "4.42.4", "use_image_newline_parameter": True, "vision_feature_layer": -2,
        "vision_feature_select_strategy": "default",
        "text_config": {
            "architectures": ["MistralForCausalLM"], "model_type": "mistral", "hidden_size": DIM,
            "intermediate_size": 2 * DIM, "num_attention_heads": HEADS, "num_key_value_heads": HEADS // 2,
            "num_hidden_layers": LAYERS, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "vocab_size": image + 64,
            "sliding_window": None, "max_position_embeddings": 32768,
        },
        "vision_config": {
            "hidden_size": VISION, "image_size": SIDE, "intermediate_size": 2 * VISION, "patch_size": PATCH,
            "model_type": "clip_vision_model", "num_attention_heads": 2, "num_hidden_layers": LAYERS,
            "projection_dim": 8, "vocab_size": 32000,
        },
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    tokenizer.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(
        json.dumps({
            "image_processor_type": "LlavaNextImageProcessor", "size": {"shortest_edge": SIDE},
            "image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711],
        })
    )  # fmt: skip


def plain_llava_next(folder: Path) -> None:
    """What MM-Embed is silently taken for without its own code: the weights of a LLaVA-NeXT under its configuration."""
    mm_embed(folder)
    told = json.loads((folder / "config.json").read_text())
    kept = ("image_grid_pinpoints", "image_token_index", "projector_hidden_act")
    config = transformers.LlavaNextConfig(
        text_config=told["text_config"], vision_config=told["vision_config"], **{key: told[key] for key in kept}
    )
    calm(transformers.LlavaNextForConditionalGeneration(config)).save_pretrained(folder)


def qwen2_5_vl(folder: Path) -> None:
    """A Qwen2.5-VL that writes."""
    tokenizer, ids = qwen_tokenizer()
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 32, "num_heads": 4, "out_hidden_size": 64,
              "patch_size": 14, "window_size": 56, "fullatt_block_indexes": [1]}  # fmt: skip
    config = transformers.Qwen2_5_VLConfig(text_config=text_config(tokenizer), vision_config=vision, **ids)
    calm(transformers.Qwen2_5_VLForConditionalGeneration(config)).save_pretrained(folder)
    parts = (transformers.Qwen2VLImageProcessor(), tokenizer, transformers.Qwen2VLVideoProcessor())
    transformers.Qwen2_5_VLProcessor(*parts, chat_template=QWEN_CHAT).save_pretrained(folder)


def qwen3_vl_embedding(folder: Path) -> None:
    """A Qwen3-VL as Qwen3-VL-Embedding is published: the generating model, with a chat template."""
    tokenizer, ids, images, video = qwen3_parts()
    config = transformers.Qwen3VLConfig(text_config=text_config(tokenizer), vision_config=qwen3_vision(), **ids)
    calm(transformers.Qwen3VLForConditionalGeneration(config)).save_pretrained(folder)
    transformers.Qwen3VLProcessor(images, tokenizer, video, chat_template=QWEN_CHAT).save_pretrained(folder)


MAKERS = {maker.__name__: maker for maker in (mm_embed, plain_llava_next, qwen2_5_vl, qwen3_vl_embedding)}
