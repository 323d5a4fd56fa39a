"""Settings of answering, and the models that a profile names."""

from collections.abc import Callable
from pathlib import Path

import pytest

from indexing import Collection
from rag import ModelSettings, NoModel, Pipeline, ProfileError, RagSettings, load_profile
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import Asked, Script, says
from tests.support.writers import said


def test_the_shipped_default_is_the_default() -> None:
    profile = load_profile()
    assert profile == load_profile("default")
    assert profile.rag == RagSettings()
    assert profile.indexing.embedder == "minilm"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rag:\n  topk: 3", r"rag\.topk: no such key, did you mean top_k\?"),
        ("indexing:\n  page_second: 3", r"indexing\.page_second: no such key, did you mean page_seconds\?"),
        ("indexin: {}", r"indexin: no such key, did you mean indexing\?"),
        ("audit:\n  netwrk: []", r"audit\.netwrk: no such key, did you mean network\?"),
        ("audit:\n  network: [crosref]", r"audit\.network\.0: .*'crossref'"),
        ("audit:\n  network: [doi, doi]", r"audit\.network: names doi twice"),
        ("audit:\n  network: crossref", r"audit\.network: must be a list: write \[crossref\]"),
        ("audit:\n  mailto: nobody", r"audit\.mailto: 'nobody' is not an e-mail address"),
        ('audit:\n  mailto: "a@b.example\\r\\nHost: x"', r"audit\.mailto: .*is not an e-mail address"),
        ("audit:\n  cache_days: -1", r"audit\.cache_days: .*greater than or equal to 0"),
        ("rag:\n  top_k: 0", r"rag\.top_k: .*greater than or equal to 1"),
        ("rag:\n  top_k: many", r"rag\.top_k: .*integer"),
        ("indexing:\n  embedder: colpali", r"indexing\.embedder: .*'minilm'"),
        ("rag: [1, 2]", r"rag: "),
        ("just words", r"the profile: "),
        ("- a\n- b", r"the profile: "),
        ("rag: {top_k: ", r"is not YAML \(line 1, column \d+: .*\): correct it there"),
        ("a: !!python/object/apply:os.system ['true']", "is not YAML"),
        ("rag: " + "[" * 5000, r"is not YAML \(its values are nested too deeply\)"),
        ("rag: 2026-99-99", r"is not YAML \(month must be in 1\.\.12\)"),
        ("rag: " + "1" * 5000, r"is not YAML \(Exceeds the limit"),
    ],
)
def test_a_profile_that_does_not_fit_is_told_where(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ProfileError, match=said) as caught:
        load_profile(str(path))
    assert str(path) in str(caught.value)


MODEL = ModelSettings(base_url="http://127.0.0.1:9/v1", name="default-model")
OTHER = ModelSettings(base_url="http://127.0.0.1:9/v1", name="served-as")


@pytest.mark.parametrize(
    ("settings", "name", "said"),
    [
        (RagSettings(), "fast", "no model 'fast'; it has none: see rag.model"),
        (RagSettings(model=MODEL), "served-as", "it has default-model"),
        (RagSettings(model=MODEL, models={"fast": OTHER}), "fats", "it has default-model, fast: .* did you mean fast"),
        (RagSettings(model=MODEL, models={"fast": OTHER}), "http://127.0.0.1:9/v1", "no model 'http"),
    ],
)
def test_a_model_that_the_profile_does_not_name_is_refused(settings: RagSettings, name: str, said: str) -> None:
    with pytest.raises(NoModel, match=said):
        settings.with_model(name)


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ("rag: {models: {fast: {base_url: 'http://h/v1', name: x}}}", "models also needs model"),
        ("rag: {MODEL, models: {x: {base_url: 'http://h/v1', name: y}}}", "'x', which is the name of the default"),
        (
            "rag: {MODEL, models: {fast: {base_url: 'http://h/v1', nmae: y}}}",
            r"fast\.nmae: .* did you mean name",
        ),
        ("rag: {MODEL, models: {fast: {base_url: 'h', name: y}}}", r"rag\.models\.fast\.base_url: is not an address"),
        ("rag: {MODEL, models: {' fast': {base_url: 'http://h/v1', name: y}}}", "' fast' cannot be the name"),
        ('rag: {MODEL, models: {"a\\nb": {base_url: "http://h/v1", name: y}}}', "cannot be the name"),
        ("rag: {MODEL, models: {auto: {base_url: 'http://h/v1', name: y}}}", "not auto, which stands for the default"),
        ("rag: {MODEL, models: {'': {base_url: 'http://h/v1', name: y}}}", "'' cannot be the name"),
        ("rag: {MODEL, models: [fast]}", r"rag\.models: "),
        (
            "rag: {MODEL, models: {"
            + ", ".join(f"m{n}: {{base_url: 'http://h/v1', name: y}}" for n in range(31))
            + "}}",
            "holds 31 models, the limit is 30",
        ),
    ],
)
def test_models_that_cannot_be_told_apart_are_told(tmp_path: Path, models: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(models.replace("MODEL", "model: {base_url: 'http://h/v1', name: x}"))
    with pytest.raises(ProfileError, match=said):
        load_profile(str(path))


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


def test_each_model_is_made_once(town: Collection, two: tuple[ScriptedServer, ScriptedServer]) -> None:
    pipeline = Pipeline(town, settings(*two))
    other = pipeline.model_named("other")
    assert pipeline.model_named("other") is other is not pipeline.model
    assert pipeline.model_named("scripted") is pipeline.model


@pytest.mark.parametrize("method", ["quote", "vanilla"])
def test_an_unknown_name_is_refused(town: Collection, two: tuple[ScriptedServer, ScriptedServer], method: str) -> None:
    with pytest.raises(NoModel, match="it has scripted, other"):
        Pipeline(town, settings(*two)).stream(ASK, method=method, model=two[1].url)  # type: ignore[arg-type]
    assert [len(s.asked) for s in two] == [0, 0]
