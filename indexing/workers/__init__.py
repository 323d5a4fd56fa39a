"""Workers: processes that open, parse, draw and annotate files, and can be killed."""

from indexing.workers.pool import Job, Opened, Workers, result_of

__all__ = ["Job", "Opened", "Workers", "result_of"]
