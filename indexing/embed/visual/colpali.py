"""The embedder of pages as patches: ColPali and its kin, by colpali-engine (Faysse et al. 2024).

There is one class for all of them: the checkpoint's configuration says which of the engine's models and processors it
is for. A page gives one vector for each patch, with the patch's box, and a few more for the prompt around it (and for
the view of the whole page, where the model takes one), which count in search and have no place. A question gives one
for each of its tokens and of the engine's query augmentation, which count alike. Rows of padding are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.embed.protocol import SCALE, QueryVectors, RegionVectors, Seeking, VisualKind
from indexing.embed.visual import loading
from indexing.embed.visual.checkpoint_embedder import FromCheckpoint, image_of
from indexing.embed.visual.checkpoints import Checkpoint, tensors
from indexing.embed.visual.patch_grids import boxes_of
from indexing.settings import IndexingSettings
from indexing.types import BBox, ParsedPage
from indexing.vectors import Packing

NAME = "colpali"
FAMILIES = {
    "paligemma": ("ColPali", "ColPaliProcessor"),
    "qwen2_vl": ("ColQwen2", "ColQwen2Processor"),
    "qwen2_5_vl": ("ColQwen2_5", "ColQwen2_5_Processor"),
    "qwen3_vl": ("ColQwen3", "ColQwen3Processor"),
    "qwen3_5": ("ColQwen3_5", "ColQwen3_5Processor"),
    "modernvbert": ("ColModernVBert", "ColModernVBertProcessor"),
    "idefics3": ("ColIdefics3", "ColIdefics3Processor"),
    "gemma3": ("ColGemma3", "ColGemmaProcessor3"),
}
"""The `model_type` of a checkpoint, and the engine's model and processor for it."""
HEAD, HEAD_OF_IDEFICS = "custom_text_proj.weight", "linear.weight"
"""The layer that makes patch vectors, which a plain vision-language model lacks."""
FILLED = 0.5
"""The least share of the rectangle around merged patches that they must fill to stand for it."""
WHOLE_PAGE = BBox(0.0, 0.0, 1.0, 1.0)
_OF_ADAPTER = "base_model.model."
"""The prefix that adapters put before the names of a model's tensors."""


class ColPali(FromCheckpoint):
    """The visual embedder of the ColPali family. Safe to use from several threads."""

    name = NAME
    visual_kind: VisualKind = "patches"

    def __init__(self, settings: IndexingSettings) -> None:
        """Find the checkpoint and look at it. Raises ExtraMissing, CheckpointMissing, CheckpointUnfit."""
        super().__init__(settings, settings.token_pooling)
        self._family = _family(self.checkpoint)
        self.dim = _dimension(self.checkpoint)
        self.packing = Packing(self.dim)

    def embed_pages(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        """Return a multi-vector for each page; one without rows for a page that was not drawn."""
        images = [page for page in pages if page.image]
        embeddings = iter(loading.in_batches(images, self.batch_size, self._embed))
        return [next(embeddings) if page.image else _no_regions(self.dim) for page in pages]

    def embed_query(self, question: str, seeking: Seeking = "any") -> QueryVectors:  # noqa: ARG002  it has no instruction
        """Return the multi-vector of a question with the engine's query augmentation."""
        with self._locked_model() as vlm:
            batch = vlm.processor.process_queries([loading.plain(question)])
            rows = vlm.model(**loading.to_device(batch, vlm.device, vlm.model.dtype))[0]
        mask = batch["attention_mask"][0].bool()
        tokens = vlm.processor.tokenizer.convert_ids_to_tokens(batch["input_ids"][0][mask].tolist())
        vectors = self._unit(rows[mask.to(rows.device)])
        return QueryVectors(vectors, np.full(len(vectors), 1 / max(len(vectors), 1), np.float32), tuple(tokens))

    def _embed(self, pages: Sequence[ParsedPage]) -> list[RegionVectors]:
        images = [image_of(page) for page in pages]
        with self._locked_model() as vlm:
            batch = vlm.processor.process_images(images)
            rows = vlm.model(**loading.to_device(batch, vlm.device, vlm.model.dtype))
        image_token = vlm.model.config.image_token_id  # ColGemma3's processor has another under that name
        results = []
        for index, image in enumerate(images):
            mask = batch["attention_mask"][index].bool()
            patches = (batch["input_ids"][index][mask] == image_token).numpy()
            vectors = self._unit(rows[index][mask.to(rows.device)])
            boxes = self._boxes(batch, index, image.size, int(patches.sum()))
            results.append(self._regions(vectors, np.flatnonzero(patches)[: len(boxes)], boxes))
        return results

    def _boxes(self, batch: Any, index: int, size: tuple[int, int], n_patches: int) -> tuple[BBox, ...]:
        try:
            return boxes_of(self._loaded_model.processor, batch, index, size, n_patches)
        except ValueError as error:
            raise self.checkpoint.unfit(NAME, str(error)) from None

    def _regions(
        self, vectors: NDArray[np.float32], patches: NDArray[np.intp], boxes: tuple[BBox, ...]
    ) -> RegionVectors:
        """Return a region for each patch, pooled if so set, then one for all other vectors, the whole page."""
        others = np.delete(vectors, patches, axis=0)
        patch_vectors, patch_boxes = vectors[patches], boxes
        if self._settings.token_pooling > 1:
            patch_vectors, patch_boxes = pool_tokens(patch_vectors, boxes, self._settings.token_pooling)
        counts = np.array([1] * len(patch_vectors) + [len(others)], np.int32)
        region_vectors = np.concatenate([patch_vectors, others]) * np.float32(SCALE)
        return RegionVectors(region_vectors, counts, (*patch_boxes, WHOLE_PAGE))

    def _load(self, device: str) -> tuple[Any, Any]:
        with loading.importing(NAME):
            import colpali_engine.models as engine
        model_name, processor_name = self._family
        model = loading.load(getattr(engine, model_name), self.checkpoint, NAME, device)
        processor = loading.processor(getattr(engine, processor_name), self.checkpoint, NAME)
        images = processor.image_processor
        if hasattr(images, "max_image_size"):  # cut into tiles, before which small pages would be blown up
            images.size = {"longest_edge": min(images.size["longest_edge"], self._settings.page_pixels)}
        if model.dim != self.dim:
            raise self.checkpoint.unfit(
                NAME, f"{model_name} produces vectors of {model.dim} dimensions, not {self.dim}"
            )
        return model, processor


def _family(checkpoint: Checkpoint) -> tuple[str, str]:
    """Return the class names of the engine's model and processor for a checkpoint. Raises CheckpointUnfit."""
    kind = str(checkpoint.config.get("model_type"))
    architecture = str((checkpoint.config.get("architectures") or [""])[0])
    if architecture == "NVMMEmbedModel":
        raise checkpoint.unfit(NAME, "it is MM-Embed: use --visual mm_embed")
    if kind in ("colpali", "colqwen2", "colmodernvbert") or architecture.endswith("ForRetrieval"):
        raise checkpoint.unfit(
            NAME,
            "it is saved for transformers' own classes: use the one for colpali-engine (without -hf in its name)",
        )
    if architecture.startswith("Bi"):
        raise checkpoint.unfit(
            NAME, f"{architecture} produces one vector per page: use a checkpoint whose name begins with Col"
        )
    if kind not in FAMILIES:
        raise checkpoint.unfit(NAME, f"its model_type is {kind!r}; supported are {', '.join(FAMILIES)}")
    return FAMILIES[kind]


def _dimension(checkpoint: Checkpoint) -> int:
    """Return the dimension of its vectors: the height of its head. Raises CheckpointUnfit for a model without one."""
    shapes = tensors(checkpoint.base) | tensors(checkpoint.folder)
    heads = [
        shape[0]
        for name, shape in shapes.items()
        if name.endswith(HEAD) or name.removeprefix(_OF_ADAPTER) == HEAD_OF_IDEFICS
    ]
    if not heads:
        raise checkpoint.unfit(
            NAME, "it has no layer that produces patch vectors (custom_text_proj): it is a plain vision-language model"
        )
    return heads[0]


def _no_regions(dim: int) -> RegionVectors:
    return RegionVectors(np.zeros((0, dim), np.float32), np.zeros(0, np.int32), ())


def pool_tokens(
    vectors: NDArray[np.float32], boxes: tuple[BBox, ...], factor: int
) -> tuple[NDArray[np.float32], tuple[BBox, ...]]:
    """Merge unit rows (n, d) with their boxes to about n / factor of them (token pooling, Clavié et al. 2024).

    The engine clusters by Ward's method over the whole page, so white margins become one vector and print keeps its
    own. The box of a merged vector is the rectangle around its patches if they fill it well, else the patch most like
    it.
    """
    if len(vectors) < 2 * factor:
        return vectors, boxes
    import torch
    from colpali_engine.compression.token_pooling import HierarchicalTokenPooler

    output = HierarchicalTokenPooler().pool_embeddings(
        [torch.from_numpy(vectors)], return_dict=True, pool_factor=factor
    )
    groups = [members[0].numpy() for members in output.cluster_id_to_indices[0].values() if len(members[0])]
    rows: NDArray[np.float32] = output.pooled_embeddings[0].numpy()
    return rows, tuple(
        _merged_box(vectors[ids] @ vector, [boxes[n] for n in ids]) for ids, vector in zip(groups, rows, strict=True)
    )


def _merged_box(similarities: NDArray[np.float32], boxes: list[BBox]) -> BBox:
    around = BBox.union(boxes)
    return around if sum(box.area for box in boxes) >= FILLED * around.area else boxes[int(similarities.argmax())]
