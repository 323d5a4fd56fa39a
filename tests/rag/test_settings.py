"""Profiles: what they hold, and errors that name the key and the nearest known one."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag import Profile, ProfileError, RagSettings, load_profile


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
        ("rag:\n  top_k: 0", r"rag\.top_k: .*greater than or equal to 1"),
        ("rag:\n  top_k: many", r"rag\.top_k: .*integer"),
        ("indexing:\n  embedder: colpali", r"indexing\.embedder: .*'minilm'"),
        ("rag: [1, 2]", r"rag: "),
        ("just words", r"the profile: "),
        ("- a\n- b", r"the profile: "),
        ("rag: {top_k: ", r"is not YAML \(line 1, column \d+: .*\): correct it there"),
        ("a: !!python/object/apply:os.system ['true']", "is not YAML"),
        ("rag: " + "[" * 5000, r"is not YAML \(its values nest too deep\)"),
        ("ui: " + "{a: " * 5000 + "1" + "}" * 5000, r"is not YAML \(its values nest too deep\)"),
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


def test_settings_cannot_be_changed_afterwards() -> None:
    with pytest.raises(ValueError, match="frozen"):
        RagSettings().top_k = 3  # type: ignore[misc]
