"""Signatures that other programs made are read as minisign reads them, and nothing else passes for one."""

import sys
from pathlib import Path

import pytest

from indexing import ExtraMissing
from plugins.evidence.errors import PackUnusable
from plugins.evidence.signature import check_signature, public_key
from plugins.evidence.verification import _signature_finding
from ui.cli import main

KEY = """untrusted comment: minisign public key 8B76E2610D3645A9
RWSpRTYNYeJ2i2/NkCbj30wNSSfRERh13ZORu7RUZ2p+Zn623Fh6W5QO
"""
DATA = b"nine barrels of cider\n"
SIGNATURE = """untrusted comment: by minisign 0.11
RUSpRTYNYeJ2iyfrTfHnNeQkFwKWxSWUIa0WSzel3fpEg+V1Fif8270+muj3/f+nng8B1qSwq/3upzCLKjoTTuQ2mcj50IQ9VQQ=
trusted comment: signed for a test
oL8wgpz2VpxO4wM9tXU7is6UUlZm3QF35RmUP4w8CsYE7b0NZUyg7Yy5ZY/YIq7ezmiDDqWAo608o/jUvQveCg==
"""
README_KEY = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"


def test_a_signature_of_minisign_holds() -> None:
    assert check_signature(SIGNATURE, DATA, public_key(KEY)) == (True, "8B76E2610D3645A9 (signed for a test)")
    assert check_signature(SIGNATURE, b"", None) == (False, "8B76E2610D3645A9")


@pytest.mark.parametrize(
    ("signature", "data", "key"),
    [
        (SIGNATURE, DATA + b" ", KEY),
        (SIGNATURE.replace("for a test", "for a fest"), DATA, KEY),
        (SIGNATURE, DATA, README_KEY),
    ],
)
def test_another_file_comment_or_key_does_not_hold(signature: str, data: bytes, key: str) -> None:
    assert not check_signature(signature, data, public_key(key))[0]


@pytest.mark.parametrize(
    "text", ["", "RW", SIGNATURE.replace("RUS", "RWS"), SIGNATURE * 40, SIGNATURE.partition("oL8")[0]]
)
def test_what_is_no_signature_or_key_is_refused(text: str) -> None:
    with pytest.raises(PackUnusable, match="signature is damaged"):
        check_signature(text, DATA, public_key(KEY))
    with pytest.raises(PackUnusable, match="not a public key"):
        public_key(text)


def test_without_the_package_the_next_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(ExtraMissing, match=r"vouch\[signatures\]"):
        check_signature(SIGNATURE, DATA, public_key(KEY))


def test_a_key_is_made_once_and_signs_as_minisign_does(tmp_path: Path) -> None:
    """Minisign 0.11 verified such a signature, and signed with such a key (2026-11-30)."""
    pack, key = tmp_path / "answer.vouch", tmp_path / "me.key"
    pack.write_bytes(DATA)
    words = ["sign", str(pack), "--key", str(key)]
    assert main(words) == 0
    secret, public = key.read_text(), public_key((tmp_path / "me.key.pub").read_text())
    assert key.stat().st_mode & 0o777 == 0o600
    assert main(words) == 0
    assert key.read_text() == secret
    signature = (tmp_path / "answer.vouch.minisig").read_text()
    assert check_signature(signature, DATA, public)[0]
    assert not check_signature(signature, DATA, public_key(KEY))[0]
    key.write_text(KEY)
    assert main(words) == 2


def test_a_key_that_was_asked_for_has_to_have_signed_the_pack(tmp_path: Path) -> None:
    path, key = tmp_path / "answer.vouch", public_key(KEY)

    def states(data: bytes) -> list[str]:
        return [_signature_finding(path, data, chosen).state for chosen in (None, key)]

    assert states(DATA) == ["open", "fails"]
    (tmp_path / "answer.vouch.minisig").write_text(SIGNATURE)
    assert states(DATA) == ["open", "holds"]
    assert states(b"another pack") == ["open", "fails"]
    (tmp_path / "answer.vouch.minisig").write_text("nothing")
    assert states(DATA) == ["fails", "fails"]
