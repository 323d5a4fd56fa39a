"""Methods of answering, one folder each: quote, write and visa, which never import one another.

The pipeline knows them as `Method`; each makes a `Draft`.
"""

from rag.methods.protocol import Draft, Method, MethodContext, as_printed
