"""Models in this process: a GGUF file, looked at before it is loaded, and the engine (llama.cpp) that serves it."""

from rag.llm.local.engine import Engine, check_files, engine_of, settled
from rag.llm.local.gguf import GgufHeader, read_header

__all__ = ["Engine", "GgufHeader", "check_files", "engine_of", "read_header", "settled"]
