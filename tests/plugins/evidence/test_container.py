"""Files that are no packs, and packs that are made to do harm: each is refused in one line, before it can."""

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from plugins.evidence import container, verification
from plugins.evidence.container import MANIFEST, SUMS, checksums, read_pack, written_pack
from plugins.evidence.errors import PackUnusable
from plugins.evidence.verification import verify_pack
from tests.plugins.evidence.conftest import Made
from ui.export import MARK


def packed(members: dict[str, bytes], *, method: int = zipfile.ZIP_STORED, attributes: int = 0o100644 << 16) -> bytes:
    """Another program's zip of these files, with our comment."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, attributes
            archive.writestr(entry, data, compress_type=method)
        archive.comment = MARK.encode()
    return buffer.getvalue()


def twice(members: dict[str, bytes]) -> bytes:
    data = packed({**members, "pages/8.png": b"one", "pages/9.png": b"two"})
    return data.replace(b"pages/9.png", b"pages/8.png")


def many(_: dict[str, bytes]) -> bytes:
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65_000, 65_000, 3_000_000, 0, len(MARK))
    return bytes(3_000_000) + end + MARK.encode()


def changed(members: dict[str, bytes], **values: object) -> bytes:
    manifest = json.loads(members[MANIFEST]) | values
    return summed({**members, MANIFEST: json.dumps(manifest).encode()})


def summed(members: dict[str, bytes]) -> bytes:
    return written_pack({**members, SUMS: checksums(members)})


def picture(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("1", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda _: b"", "not an evidence pack"),
        (lambda _: b"%PDF-1.7 no zip", "not an evidence pack"),
        (lambda m: written_pack(m)[:-9], "cut short"),
        (lambda m: written_pack(m)[1000:], "damaged"),
        (lambda m: b"before" + written_pack(m), "damaged|belong to none"),
        (lambda m: packed({**m, "../../etc/passwd": b""}), r"named '../../etc/passwd'"),
        (lambda m: packed({**m, "/index.html": b""}), "named"),
        (lambda m: packed({**m, "pages/<script>.png": b""}), "named"),
        (lambda m: packed({**m, "notes.txt": b""}), "named 'notes.txt'"),
        (lambda m: packed(m, method=zipfile.ZIP_DEFLATED), "compressed"),
        (lambda m: packed({**m, "pages/9.png": bytes(10**8)}, method=zipfile.ZIP_DEFLATED), "compressed"),
        (lambda m: packed(m, attributes=0o120777 << 16), "packed by another program"),
        (twice, "same name|damaged"),
        (many, "lists more than"),
        (lambda m: written_pack({name: m[name] for name in m if name != SUMS}), "has no SHA256SUMS"),
        (lambda m: changed(m, vouch_pack=2), "manifest"),
        (lambda m: changed(m, more=1), "manifest"),
        (lambda m: changed(m, documents=[]), "does not list"),
        (lambda m: changed(m, answer={}), "manifest"),
        (lambda m: summed({**m, MANIFEST: b"[" * 100_000}), "manifest"),
        (lambda m: summed({**m, "pages/1.png": b"GIF89a"}), "not a picture"),
        (lambda m: summed({**m, "pages/1.png": picture(40_000, 1000)}), "too many pixels"),
    ],
)
def test_a_hostile_file_is_refused(
    made: Made, tmp_path: Path, make: Callable[[dict[str, bytes]], bytes], reason: str
) -> None:
    path = tmp_path / "hostile.vouch"
    path.write_bytes(make(read_pack("answer.vouch", made.path.read_bytes())))
    with pytest.raises(PackUnusable, match=reason) as refused:
        verify_pack(path)
    assert "\n" not in str(refused.value)


def test_a_pack_is_bounded(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "MOST_BYTES", 1000)
    with pytest.raises(PackUnusable, match="larger than"):
        verify_pack(made.path)
    monkeypatch.undo()
    monkeypatch.setattr(verification, "MOST_PIXELS", 10_000)
    with pytest.raises(PackUnusable, match="too many pixels"):
        verify_pack(made.path)
