"""Text embedders other than MiniLM: late-interaction checkpoints, and embedding servers."""

from indexing.embed.text.checkpoint import dense_layer, layer_norm
from indexing.embed.text.colbert import ColBERT
from indexing.embed.text.models import Forward, Head, onnx_model, torch_model
from indexing.embed.text.served import ServedEmbedder
