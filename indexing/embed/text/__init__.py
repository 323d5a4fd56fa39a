"""Text embedders other than MiniLM: late-interaction checkpoints, and embedding servers."""

from indexing.embed.text.checkpoint import Forward, Head, dense_layer, layer_norm, onnx_model, torch_model
from indexing.embed.text.colbert import ColBERT
from indexing.embed.text.served import ServedEmbedder
