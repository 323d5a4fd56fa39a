"""The container of a pack: a zip in one exact form, which can hide no data and no decompression bomb; its manifest.

Its files are stored without compression, in a fixed order, with fixed times. A reader writes the pack again from the
files that it has read: if any byte differs, the pack is unusable.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field

from indexing import sha256_digest
from plugins.evidence.errors import PackUnusable
from rag import Answer
from ui import KeptUnreadable
from ui.export import MARK
from ui.state import read_form

MANIFEST, INDEX, SUMS = "manifest.json", "index.html", "SHA256SUMS"
MOST_FILES, MOST_BYTES = 2000, 256 << 20
"""The most files and bytes of a pack, which is read into memory."""
_MEMBER = re.compile(r"manifest\.json|index\.html|SHA256SUMS|(?:pages|crops)/[1-9]\d{0,3}\.png")
_COMMENT = MARK.encode()
_END, _END64_LOCATOR = struct.Struct("<4s4H2LH"), b"PK\x06\x07"
Members = Mapping[str, bytes]
"""The files of a pack by their names."""


def written_pack(members: Members) -> bytes:
    """Return the bytes of a pack with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, members[name])
        archive.comment = _COMMENT
    return buffer.getvalue()


def read_pack(pack: str, data: bytes) -> dict[str, bytes]:
    """Return the files of a pack by their names; `pack` is its name in messages. Raises PackUnusable."""
    end = len(data) - len(_COMMENT) - _END.size
    if end < 0 or not data.endswith(_COMMENT) or not data.startswith(b"PK\x05\x06", end):
        raise PackUnusable(f"{pack}: not an evidence pack, or cut short: get it again")
    *_, entries, directory, _, _ = _END.unpack_from(data, end)  # before zipfile reads the whole list into memory
    if entries > MOST_FILES or directory > MOST_FILES * 128 or _END64_LOCATOR in data[max(0, end - 20) : end]:
        raise PackUnusable(f"{pack}: lists more than {MOST_FILES:,} files, the most of an evidence pack")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = dict(_files_of(pack, archive))
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise PackUnusable(f"{pack}: damaged ({error!s:.80}): get it again") from None
    if missing := {MANIFEST, INDEX, SUMS} - set(members):
        raise PackUnusable(f"{pack}: has no {min(missing)}: it is not an evidence pack")
    if written_pack(members) != data:
        reason = "has bytes that belong to none of its files, or was packed by another program"
        raise PackUnusable(f"{pack}: {reason}: get the file as Vouch wrote it")
    return members


def read_file(path: Path) -> bytes:
    """Return the bytes of a file that is small enough for a pack. Raises PackUnusable, OSError."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise PackUnusable(f"{path.name}: larger than {MOST_BYTES >> 20} MB, the most of an evidence pack")
    return data


def _files_of(pack: str, archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a zip. Raises PackUnusable for names, sizes or compression that no pack has."""
    entries = archive.infolist()
    names = [entry.orig_filename for entry in entries]
    if strange := [name for name in names if not _MEMBER.fullmatch(name)]:
        raise PackUnusable(f"{pack}: has a file named {strange[0]!a:.60}, which no pack has")
    if len(set(names)) < len(names):
        raise PackUnusable(f"{pack}: has two files of the same name")
    stored = all(e.compress_type == zipfile.ZIP_STORED and e.file_size == e.compress_size for e in entries)
    if not stored or sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise PackUnusable(f"{pack}: its files are compressed, or larger than the pack: get it as Vouch wrote it")
    yield from ((entry.filename, archive.read(entry)) for entry in entries)


def checksums(members: Members) -> bytes:
    """Return the SHA-256 of all files but SHA256SUMS, in the form of `sha256sum`."""
    names = sorted(set(members) - {SUMS})
    return "".join(f"{hashlib.sha256(members[name]).hexdigest()}  {name}\n" for name in names).encode()


def wrong_files(members: Members) -> list[str]:
    """Return the names of files that differ from SHA256SUMS of a pack: changed, not listed, or missing."""
    lines = set(checksums(members).splitlines()) ^ set(members[SUMS].splitlines())
    return sorted({line.decode("ascii", "replace")[66:126] for line in lines})


MOST_MANIFEST = 8 << 20
"""The most bytes of a manifest."""
_Text = Annotated[str, Field(max_length=2000)]


class PackedDocument(BaseModel, extra="forbid", frozen=True, strict=True):
    """A cited document: its id in the answer, its name, and the SHA-256 and size in bytes of its file, 0 if unknown."""

    id: _Text
    name: _Text
    sha256: Annotated[str, AfterValidator(sha256_digest)]
    size: int


class PackManifest(BaseModel, extra="forbid", frozen=True, strict=True):
    """A manifest: `answer` is the answer as `ui.state` stores it, `made_by` the versions of the packages that made it.

    `pages` are the cited pages that could be drawn, by the id of their document and their number, from 1. The picture
    of the n-th (from 1) is pages/n.png, the crop of the n-th citation of the answer crops/n.png.
    """

    vouch_pack: Literal[1] = 1
    made_at: _Text
    made_by: dict[str, _Text]
    settings: dict[str, _Text]
    documents: tuple[PackedDocument, ...]
    pages: tuple[tuple[_Text, int], ...]
    answer: dict[str, Any]


class PackedAnswer(NamedTuple):
    """A manifest, with the answer in it and the anchors of its citations."""

    manifest: PackManifest
    answer: Answer
    anchors: tuple[str, ...]

    def picture(self, doc_id: str, number: int) -> str:
        """Return the name of the picture of a page; "" where it could not be drawn."""
        pages = self.manifest.pages
        return f"pages/{pages.index((doc_id, number)) + 1}.png" if (doc_id, number) in pages else ""


def read_manifest(pack: str, members: Members) -> PackedAnswer:
    """Return the answer of a pack. Raises PackUnusable, also if it cites nothing or a document that is not listed."""
    try:
        manifest = PackManifest.model_validate_json(members[MANIFEST][: MOST_MANIFEST + 1])
        form = read_form(json.dumps(manifest.answer))
    except (ValueError, KeptUnreadable, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise PackUnusable(f"{pack}: its manifest cannot be read ({reason:.160}): get the pack again") from None
    doc_ids = {citation.doc_id for citation in form.answer.citations}
    if not doc_ids or not doc_ids <= {document.id for document in manifest.documents}:
        raise PackUnusable(f"{pack}: its manifest cites nothing, or a document that it does not list: get it again")
    return PackedAnswer(manifest, form.answer, form.anchors)


def this_program() -> dict[str, str]:
    """Return the versions of the packages that read and draw pages here; other versions may differ in small details."""
    return {name: version(name) for name in ("vouch", "pymupdf", "pillow", "onnxruntime", "rapidocr", "jinja2")}
