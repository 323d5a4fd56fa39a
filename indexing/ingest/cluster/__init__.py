"""A cluster of machines: files travel to its nodes, which open, parse and embed them as this machine would."""

from indexing.ingest.cluster.ray_executor import RayExecutor

__all__ = ["RayExecutor"]
