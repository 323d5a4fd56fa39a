"""The base class of visual embedders with a checkpoint, which loads on first use, and the images that they see."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexing.crops import crop
from indexing.embed.visual import loading
from indexing.embed.visual.checkpoints import fingerprint, locate, require_extra
from indexing.settings import IndexingSettings
from indexing.types import BBox, ParsedPage

if TYPE_CHECKING:
    from PIL import Image


LONGEST = 50
"""The longest ratio of a page's sides; longer pages are squeezed to it: models refuse them, at 200."""
LEAST_PIXELS = 28
"""The least side of a crop in pixels: smaller ones show nothing; models take none below a patch."""


def image_of(page: ParsedPage) -> Image.Image:
    """Return the displayed page in RGB, its shorter side stretched if the longer is over LONGEST times as long."""
    from PIL import Image

    image = Image.open(BytesIO(page.image)).convert("RGB")
    width, height = image.size
    least = -(-max(width, height) // LONGEST)
    return image if min(width, height) >= least else image.resize((max(width, least), max(height, least)))


def crop_of(image: Image.Image, box: BBox) -> Image.Image | None:
    """Return the crop of a box of the page; None if a side is shorter than LEAST_PIXELS."""
    region = crop(image, box)
    return region if min(region.size) >= LEAST_PIXELS else None


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model on its device, the processor that makes its input, and the number of pages that fit in memory."""

    model: Any
    processor: Any
    device: str
    pages: int


class FromCheckpoint(ABC):
    """A visual embedder with a checkpoint. Safe to use from several threads: one computes at a time."""

    name: str
    dim: int

    def __init__(self, settings: IndexingSettings, *shaping: object) -> None:
        """Locate the checkpoint; `shaping` are settings on which its vectors depend.

        Raises ExtraMissing, CheckpointMissing, CheckpointUnfit.
        """
        require_extra(self.name)
        self._settings = settings
        self.checkpoint = locate(settings.checkpoint, self.name)
        self.weights = self.checkpoint.name
        self.fingerprint = fingerprint(self.checkpoint, self.name, *shaping)
        self._lock = threading.RLock()
        self._cache: LoadedModel | None = None

    @property
    def device(self) -> str:
        """The device on which it computes."""
        return self._loaded_model.device

    @property
    def batch_size(self) -> int:
        """The number of pages per batch: the setting, or as many as fitted into memory when the model was loaded."""
        return self._settings.page_batch or self._loaded_model.pages

    def codebook(self) -> None:
        """Return None: the distribution of its vectors depends on the checkpoint."""
        return

    @abstractmethod
    def _load(self, device: str) -> tuple[Any, Any]:
        """Return the model, loaded on that device, and the processor that makes its input from texts and images."""

    @property
    def _loaded_model(self) -> LoadedModel:
        with self._lock:
            if self._cache is None:
                with loading.importing(self.name):
                    device = loading.device_of(self._settings.device)
                self._cache = LoadedModel(*self._load(device), device, loading.pages_at_once(device))
            return self._cache

    @contextlib.contextmanager
    def _locked_model(self) -> Iterator[LoadedModel]:
        """Yield the model for exclusive use by this thread, without gradients."""
        with self._lock:
            vlm = self._loaded_model
            with loading.inference():
                yield vlm

    def _unit(self, rows: Any) -> NDArray[np.float32]:
        """Return a tensor's rows (n, d) as unit vectors. Raises CheckpointUnfit for values that are no numbers."""
        try:
            return loading.unit_rows(rows)
        except ValueError as error:
            raise self.checkpoint.unfit(self.name, f"{error} on {self.device}") from None
