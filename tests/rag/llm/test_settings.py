"""The settings of a model: what has to be given, errors that name the key, and no secret anywhere."""

from pathlib import Path

import pytest

from rag import Profile, ProfileError, load_profile
from rag.errors import BadCredentials
from rag.llm.requests import key_of
from rag.llm.settings import ModelSettings

ADDRESS = "http://127.0.0.1:8000/v1"


def loaded(path: Path, model: str) -> Profile:
    (path / "mine.yaml").write_text(f"rag:\n  model: {model}\n")
    return load_profile(str(path / "mine.yaml"))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("{base_ur: x, name: tiny}", r"rag\.model\.base_ur: no such key, did you mean base_url\?"),
        (f"{{base_url: '{ADDRESS}', name: t, pach: 3}}", r"rag\.model\.pach: no such key, did you mean patch\?"),
        (f"{{base_url: '{ADDRESS}'}}", r"rag\.model\.name: Field required"),
        (f"{{base_url: '{ADDRESS}', name: t, boxes: yx}}", r"rag\.model\.boxes: .*'relative_1000_yx'"),
        (f"{{base_url: '{ADDRESS}', name: t, retries: -1}}", r"rag\.model\.retries: .*greater"),
        ("{base_url: 'localhost:8000', name: t}", r"rag\.model\.base_url: .*give one such as http"),
        ("{base_url: 'file:///etc/passwd', name: t}", r"rag\.model\.base_url: .*is not an address"),
        ("{base_url: 'http://host:99999/v1', name: t}", r"rag\.model\.base_url: .*is not an address"),
        ("tiny", r"rag\.model: "),
    ],
)
def test_what_does_not_fit_is_told_where(tmp_path: Path, model: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        loaded(tmp_path, model)


@pytest.mark.parametrize(
    "model",
    [
        "{base_url: 'http://me:hunter2@host/v1', name: t}",
        "{base_url: 'http://host/v1?key=hunter2', name: t}",
        f"{{base_url: '{ADDRESS}', name: t, api_key_env: sk-hunter2}}",
    ],
)
def test_a_secret_in_a_profile_is_refused_and_not_repeated(tmp_path: Path, model: str) -> None:
    with pytest.raises(ProfileError, match="api_key_env") as caught:
        loaded(tmp_path, model)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("value", [None, "", "  ", "schlüssel", "two\nlines"])
def test_a_key_that_cannot_be_one_names_its_variable(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    settings = ModelSettings(base_url=ADDRESS, name="tiny", api_key_env="TINY_KEY")
    monkeypatch.delenv("TINY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("TINY_KEY", value)
    with pytest.raises(BadCredentials, match="TINY_KEY") as caught:
        key_of(settings)
    assert not (value or "").strip() or value not in str(caught.value)
