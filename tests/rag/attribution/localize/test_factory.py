"""Which localizer the settings name."""

from __future__ import annotations

from typing import Any, cast

import pytest

from indexing import Collection, NoVisualEmbedder
from rag import RagSettings
from rag.attribution.localize import BY_WORDS, localizer_of
from rag.attribution.localize.drawn import VisaLocalizer
from rag.attribution.localize.patches import PatchLocalizer
from rag.errors import NoModel
from tests.support.fakes import ScriptedModel

SETTINGS = RagSettings.model_validate(
    {"model": {"base_url": "http://127.0.0.1:9/v1", "name": "m", "boxes": "relative_1000"}}
)


def made(collection: object, **settings: Any) -> object:
    chosen = SETTINGS.model_copy(update=settings)
    return localizer_of(cast("Collection", collection), chosen, lambda: ScriptedModel(lambda _: ""))


def test_words_vectors_or_the_models_own_boxes(seen: Collection) -> None:
    assert made(seen, localizer="element") is BY_WORDS
    assert isinstance(made(seen, localizer="patch"), PatchLocalizer)
    assert isinstance(made(seen, localizer="model"), VisaLocalizer)


def test_vectors_need_pixels_and_boxes_a_model(plain: Collection) -> None:
    with pytest.raises(NoVisualEmbedder):
        made(plain, localizer="patch")
    with pytest.raises(NoModel, match="localizer model"):
        made(plain, localizer="model", model=None)
