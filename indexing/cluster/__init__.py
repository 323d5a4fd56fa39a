"""Connect to a Ray cluster, and check that a node is fit for work."""

from indexing.cluster.connection import connected
from indexing.cluster.failures import last_line, unwrapped
from indexing.cluster.membership import NodeReport, installed_version, node_report, refusal

__all__ = ["NodeReport", "connected", "installed_version", "last_line", "node_report", "refusal", "unwrapped"]
