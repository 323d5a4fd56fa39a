"""Answer with a language model, which names its evidence by label."""

from rag.methods.write.evidence_views import evidence_views
from rag.methods.write.method import WriteMethod
from rag.methods.write.prompt import WritingTask, messages_of

__all__ = ["WriteMethod", "WritingTask", "evidence_views", "messages_of"]
