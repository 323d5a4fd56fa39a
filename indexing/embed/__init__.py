"""Embed texts and pages as multi-vectors with rows of unit length."""

from indexing.embed import minilm
from indexing.embed.factory import (
    check_same,
    check_same_text,
    new_record,
    packing_of,
    probe_text,
    probe_visual,
    text_embedder,
    text_packing_of,
    visual_embedder,
)
from indexing.embed.minilm import (
    BATCH_TOKENS,
    MODEL_SHA256,
    MiniLM,
)
from indexing.embed.protocol import (
    SCALE,
    Embedder,
    PageEmbedder,
    QueryVectors,
    RegionVectors,
    TextEmbedder,
    TokenVectors,
    VisualEmbedder,
    VisualKind,
    context,
    passage,
)
from indexing.embed.record import EmbedderRecord, TextRecord
from indexing.embed.weights import read_json, read_json_object
