"""Answer with a language model, which names its evidence by label."""

from rag.methods.write.method import WriteMethod

__all__ = ["WriteMethod"]
