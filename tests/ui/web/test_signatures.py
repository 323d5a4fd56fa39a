"""Signatures: of one home in every run, of no other home, by a key that nobody else may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.web.signatures import Signatures


def test_a_home_has_one_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    first, again = Signatures.of_home(home), Signatures.of_home(home)
    assert again.fit(first.of("a", "b"), "a", "b")
    assert not Signatures.of_home(tmp_path / "other").fit(first.of("a", "b"), "a", "b")
    (key,) = home.iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_signature_is_of_these_texts_in_this_order() -> None:
    made = Signatures(b"k" * 32)
    signature = made.of("a", "b")
    assert made.fit(signature, "a", "b")
    others = [("b", "a"), ("ab",), ("a", "b", ""), ("a", "b\x00"), ('a", "b',)]
    assert not any(made.fit(signature, *said) for said in others)
    assert not made.fit(signature + "0", "a", "b")
    assert not made.fit("é", "a", "b")


@pytest.mark.parametrize("spoiled", ["short", "open"])
def test_a_key_that_is_cut_short_or_open_to_others_is_made_anew(tmp_path: Path, spoiled: str) -> None:
    before = Signatures.of_home(tmp_path).of("a")
    (key,) = tmp_path.iterdir()
    if spoiled == "short":
        key.write_bytes(b"short")
    else:
        key.chmod(0o644)
    after = Signatures.of_home(tmp_path)
    assert not after.fit(before, "a")
    assert Signatures.of_home(tmp_path).fit(after.of("a"), "a")
    assert [f.stat().st_mode & 0o777 for f in tmp_path.iterdir()] == [0o600]
