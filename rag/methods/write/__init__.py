"""Method write: a language model writes the answer and names its evidence by label."""

from rag.methods.write.method import WriteMethod

__all__ = ["WriteMethod"]
