"""The widgets that the tabs share: the box of models shows their names and nothing else of them."""

from __future__ import annotations

from rag import ModelSettings, RagSettings
from ui.web.frame import models

BIG = ModelSettings(base_url="http://127.0.0.1:9/v1", name="big")


def test_a_box_of_models_is_shown_where_there_is_a_choice() -> None:
    long = "x" * 80
    box = models(RagSettings(model=BIG, models={long: BIG}), "v-model")
    assert (box.visible, box.value, box.label) == (True, "big", "Model")
    assert list(box.choices) == [("big", "big"), ("x" * 39 + "…", long)]
    assert "127.0.0.1" not in str(box.get_config())


def test_without_a_choice_no_box_is_shown() -> None:
    for rag, value in ((RagSettings(), None), (RagSettings(model=BIG), "big")):
        box = models(rag, "v-model")
        assert (box.visible, box.value) == (False, value)
