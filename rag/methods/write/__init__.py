"""Answer with a language model, which names its evidence by label."""

from rag.methods.write.method import WriteMethod, write_method, write_method_in_steps
