"""The work of a GPU of a node: pages are embedded by a visual embedder with a model, which is loaded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing import IndexingSettings, ParsedPage
from plugins.cluster.connection import NodeReport, node_report

if TYPE_CHECKING:
    from indexing.embed import RegionVectors, VisualEmbedder


@dataclass(frozen=True, slots=True)
class GpuReport:
    """The state of a GPU that has loaded the model: its node, the hash of the weights, and the pages per batch."""

    node: NodeReport
    fingerprint: str
    batch_size: int


class GpuWork:
    """The work of one GPU, in a process of the cluster that Ray shows no other GPU."""

    def __init__(self, settings: IndexingSettings) -> None:
        """Keep the settings; the first call loads the model from a checkpoint on this machine."""
        self._settings = settings
        self._embedder: VisualEmbedder | None = None

    def report(self) -> GpuReport:
        """Load the model and return the report. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        embedder = self._load_embedder()
        return GpuReport(node_report(), embedder.fingerprint, embedder.batch_size)

    def embed(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page, in order."""
        return self._load_embedder().embed_pages(pages)

    def _load_embedder(self) -> VisualEmbedder:
        """Return the embedder; a process that Ray has restarted loads it again."""
        if self._embedder is None:
            from indexing.embed import text_embedder, visual_embedder

            self._embedder = visual_embedder(self._settings, lambda: text_embedder(self._settings))
            assert self._embedder is not None  # noqa: S101  a GPU is started for settings that name one
        return self._embedder
