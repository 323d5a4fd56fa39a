"""Eyes for SmolLM2-135M: a tiny vision tower of random weights in LLaVA's form, which gives 16 tokens an image."""

from pathlib import Path

from tests.support.gguf_files import written

LAYERS, WIDTH, INNER, SIDE, PATCH = 2, 32, 64, 64, 16
OUT = 576
"""The width of SmolLM2-135M's embeddings."""


def eyes(path: Path) -> Path:
    """Write the file (1.6 MB)."""
    vision = {
        "image_size": SIDE,
        "patch_size": PATCH,
        "embedding_length": WIDTH,
        "feed_forward_length": INNER,
        "projection_dim": OUT,
        "block_count": LAYERS,
        "attention.head_count": 2,
        "attention.layer_norm_epsilon": 1e-5,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
    }
    keys: dict[str, object] = {
        "general.architecture": "clip",
        "general.type": "mmproj",
        "clip.has_vision_encoder": True,
        "clip.projector_type": "mlp",
        "clip.use_gelu": True,
        **{f"clip.vision.{name}": value for name, value in vision.items()},
    }
    shapes: dict[str, tuple[int, ...]] = {
        "v.patch_embd.weight": (PATCH, PATCH, 3, WIDTH),
        "v.patch_embd.bias": (WIDTH,),
        "v.position_embd.weight": (WIDTH, (SIDE // PATCH) ** 2),
    }
    for layer in range(LAYERS):
        block = f"v.blk.{layer}"
        parts = {**dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_out"), (WIDTH, WIDTH))}
        parts |= {"ffn_up": (WIDTH, INNER), "ffn_down": (INNER, WIDTH)}
        for name, (wide, high) in parts.items():
            shapes |= {f"{block}.{name}.weight": (wide, high), f"{block}.{name}.bias": (high,)}
        for name in ("ln1", "ln2"):
            shapes |= {f"{block}.{name}.weight": (WIDTH,), f"{block}.{name}.bias": (WIDTH,)}
    for number, wide in ((0, WIDTH), (2, OUT)):
        shapes |= {f"mm.{number}.weight": (wide, OUT), f"mm.{number}.bias": (OUT,)}
    return written(path, keys, shapes)
