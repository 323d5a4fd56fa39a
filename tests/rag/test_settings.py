"""Profiles: what they hold, and errors that name the key and the nearest known one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag import ModelSettings, NoModel, Profile, ProfileError, RagSettings, load_profile


def test_the_shipped_default_is_the_default() -> None:
    profile = load_profile()
    assert profile == load_profile("default")
    assert profile.rag == RagSettings()
    assert profile.indexing.embedder == "minilm"


def test_a_profile_of_ones_own_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("rag:\n  top_k: 3\nindexing:\n  ocr: never\n")
    profile = load_profile(str(path))
    assert (profile.rag.top_k, profile.indexing.ocr) == (3, "never")
    assert profile.rag.max_sentences == RagSettings().max_sentences


def test_an_empty_profile_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("")
    assert load_profile(str(tmp_path / "empty.yaml")) == Profile()


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


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("defualt", r"no profile 'defualt' \(there are: cpu-visual, default, embedded, [^)]*compatible\)"),
        ("nowhere.yaml", "cannot be read"),
        ("../default", "no profile"),
    ],
)
def test_a_missing_profile_is_told_with_those_that_exist(name: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        load_profile(name)


def test_a_profile_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"\xff\xfe\x00rag")
    with pytest.raises(ProfileError, match=r"mine\.yaml"):
        load_profile(str(tmp_path / "mine.yaml"))


def test_settings_that_differ_have_different_hashes() -> None:
    hashes = {RagSettings().hash, RagSettings(top_k=9).hash, RagSettings(min_confidence=0.4).hash}
    assert len(hashes) == 3
    assert all(len(h) == 12 for h in hashes)
    assert RagSettings().hash == RagSettings().hash


MODEL = ModelSettings(base_url="http://127.0.0.1:9/v1", name="default-model")
OTHER = ModelSettings(base_url="http://127.0.0.1:9/v1", name="served-as")


def test_further_models_are_chosen_by_their_names_in_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    at = "base_url: 'http://127.0.0.1:9/v1'"
    path.write_text(f"rag:\n  model: {{{at}, name: default-model}}\n  models:\n    fast: {{{at}, name: served-as}}\n")
    rag = load_profile(str(path)).rag
    assert rag.model_names == ("default-model", "fast")
    assert rag.with_model("fast").model == OTHER
    assert rag.with_model(None) is rag.with_model("default-model") is rag
    assert rag.with_model("fast").with_model("fast") == rag.with_model("fast")
    assert RagSettings().model_names == ()


def test_the_hash_is_that_of_the_model_that_writes_whoever_else_could() -> None:
    both = RagSettings(model=MODEL, models={"fast": OTHER})
    assert both.hash == RagSettings(model=MODEL).hash
    assert both.with_model("fast").hash == RagSettings(model=OTHER).hash != both.hash


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
