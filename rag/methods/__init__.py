"""Methods of answering, each a folder: quote, write, visa. They know nothing of one another.

The pipeline knows them as `Method`; each makes a `Draft`.
"""

from rag.methods.protocol import Draft, Method

__all__ = ["Draft", "Method"]
