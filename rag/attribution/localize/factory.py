"""Settings -> the localizer that they name: by words, by vectors, or by the model's own boxes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from indexing import Collection
from rag.attribution.localize.words import BY_WORDS
from rag.errors import NoModel
from rag.llm import ChatModel, ModelSettings
from rag.settings import RagSettings
from rag.types import Localizer


def localizer_of(collection: Collection, settings: RagSettings, model: Callable[[], ChatModel]) -> Localizer:
    """Return the localizer; `model` is called only where the settings want the model's own boxes.

    Raises NoVisualEmbedder for `patch` where the collection has no pixels, and NoModel for `model` where no model is
    named whose way of writing boxes is known.
    """
    if settings.localizer == "element":
        return BY_WORDS
    if settings.localizer == "patch":
        from rag.attribution.localize.patches import PatchLocalizer

        collection.check_mode("image")
        return PatchLocalizer(collection)
    from rag.attribution.localize.drawn import VisaLocalizer
    from rag.llm import fit_image

    served = drawing_model(settings, "localizer model")
    fit = partial(fit_image, settings=served)
    return VisaLocalizer(collection, model(), served.boxes, fit, settings.writing.page_width)


def drawing_model(settings: RagSettings, who: str) -> ModelSettings:
    """Return the model's settings, which say how it writes boxes. Raise NoModel, which names `who` needs them."""
    if settings.model is None:
        raise NoModel(
            f"{who} needs rag.model in the profile, with the key boxes, which says how the model writes boxes"
        )
    return settings.model
