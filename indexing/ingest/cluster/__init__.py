"""Index on the nodes of a Ray cluster: files travel there, pages and rows come back."""

from indexing.ingest.cluster.ray_executor import RayExecutor

__all__ = ["RayExecutor"]
