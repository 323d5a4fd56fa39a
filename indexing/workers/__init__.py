"""Open, parse, draw and annotate files in worker processes that can be killed."""

from indexing.workers.pool import PoolLease, Workers, result_of
from indexing.workers.tasks import Job, OpenedFile, stamp_of
