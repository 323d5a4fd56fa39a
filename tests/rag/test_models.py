"""A question names one of the models of the profile: that one writes, plans and judges, and the answer says so."""

from collections.abc import Callable

import pytest

from indexing import Collection
from rag import ModelSettings, NoModel, Pipeline, RagSettings
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.writers import said

BUILT = "The mill was built in 1887 by Anna Holm."
ASK = "When was the mill built?"


def writes(request: Asked) -> Script:
    """A reply to a planner, else an answer."""
    if "text_queries" in str(request.schema):
        return says('{"text_queries": ["mill built"], "image_queries": []}')
    return says(said((BUILT, ["E1"])))


def served(server: ScriptedServer, name: str, **keys: object) -> ModelSettings:
    return ModelSettings.model_validate({"base_url": server.url, "name": name, "retries": 0} | keys)


@pytest.fixture
def two(serve: Callable[..., ScriptedServer]) -> tuple[ScriptedServer, ScriptedServer]:
    return serve(writes), serve(writes)


def settings(first: ScriptedServer, second: ScriptedServer, **more: object) -> RagSettings:
    """Two servers, whose model has the same name on both."""
    values = {"model": served(first, "scripted"), "models": {"other": served(second, "scripted", concurrency=1)}}
    return RagSettings.model_validate({"judge": "rules", "mode": "text"} | values | more)


def test_the_model_that_is_named_writes_and_the_answer_says_which(
    town: Collection, two: tuple[ScriptedServer, ScriptedServer]
) -> None:
    pipeline = Pipeline(town, settings(*two))
    by_default = pipeline.answer(ASK, method="vanilla")
    assert (by_default.model, [len(s.asked) for s in two]) == ("scripted", [1, 0])
    chosen = pipeline.answer(ASK, method="vanilla", model="other")
    assert (chosen.model, [len(s.asked) for s in two]) == ("other", [1, 1])
    assert chosen.to_json()["model"] == "other"
    assert chosen.settings_hash == RagSettings.model_validate(pipeline.settings.with_model("other")).hash
    assert chosen.settings_hash != by_default.settings_hash
    assert pipeline.answer(ASK, method="vanilla", model="scripted").model == "scripted"
    assert pipeline.answer(ASK, method="quote", model="other").model == ""


def test_each_model_has_places_of_its_own_and_is_made_once(
    town: Collection, two: tuple[ScriptedServer, ScriptedServer]
) -> None:
    pipeline = Pipeline(town, settings(*two))
    other = pipeline.model_named("other")
    assert pipeline.model_named("other") is other is not pipeline.model
    assert pipeline.model_named("scripted") is pipeline.model


@pytest.mark.parametrize("method", ["quote", "vanilla"])
def test_a_name_that_the_profile_does_not_have_is_refused_before_any_work(
    town: Collection, two: tuple[ScriptedServer, ScriptedServer], method: str
) -> None:
    with pytest.raises(NoModel, match="it has scripted, other"):
        Pipeline(town, settings(*two)).stream(ASK, method=method, model=two[1].url)  # type: ignore[arg-type]
    assert [len(s.asked) for s in two] == [0, 0]
