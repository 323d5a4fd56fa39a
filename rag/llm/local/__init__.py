"""Run a model in this process: check a GGUF file and serve it with llama.cpp."""

from rag.llm.local.engine import Engine, check_files, engine_of, limit_context
from rag.llm.local.gguf import GgufHeader, read_header

__all__ = ["Engine", "GgufHeader", "check_files", "engine_of", "limit_context", "read_header"]
