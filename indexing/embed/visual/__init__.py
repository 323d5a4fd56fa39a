"""Embed page images with vision models, each loaded from a checkpoint."""

from indexing.embed.visual import checkpoints, loading
from indexing.embed.visual.checkpoints import Checkpoint, fingerprint, locate, require_extra
from indexing.embed.visual.colpali import ColPali
from indexing.embed.visual.mm_embed import MMEmbed
from indexing.embed.visual.qwen3_vl_embedding import Qwen3VLEmbedding
