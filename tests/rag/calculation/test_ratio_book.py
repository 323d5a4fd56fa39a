"""The list of ratios that ships is whole; one of your own takes its place, and what is wrong with it is told."""

from pathlib import Path

import pytest

from rag.calculation import load_ratios
from rag.errors import ProfileError


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("flows: {a: b}\nratios: {}", "'balances'"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: a / c}", "there is no figure named c"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: __import__('os')}", "is not a formula"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: a /}", "invalid syntax"),
        ("[1, 2]", "own.yaml: "),
        ("a: [", "is not YAML (line 1"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ProfileError, match=r"own\.yaml") as told:
        load_ratios(str(path))
    assert fault in str(told.value)
