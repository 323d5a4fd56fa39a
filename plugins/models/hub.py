"""Fetch a model from the Hugging Face hub, or a mirror: ask what there is, then download it, resumed and verified.

`plan` contacts the hub and downloads nothing but a licence. huggingface_hub downloads; it resumes what was cut off, and
knows HF_ENDPOINT, HF_HUB_OFFLINE, HF_TOKEN and proxies.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from plugins.models.catalogue import BASE, HUB, Entry
from plugins.models.errors import ModelsError
from plugins.models.library import Manifest, check_space, complete, installed_models, part_folder, sha256_of

if TYPE_CHECKING:
    from huggingface_hub import ModelInfo

_MOST_FILES = 200
_MOST_LICENCE = 200_000
"""The most bytes of a licence that is shown."""
_LICENCES = ("LICENSE*", "LICENCE*", "license*")
_SPARE = 0.1
"""The share of a download that must stay free on the disk in addition."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository: its size in bytes, and its SHA-256, or the SHA-1 that git has for a small one."""

    name: str
    size: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """The download of a model: a revision, its files, the name of its licence on the hub, and the text of that.

    `base` is the plan of the model that an adapter changes, which is fetched with it.
    """

    entry: Entry
    revision: str
    files: tuple[RemoteFile, ...]
    licence: str
    licence_text: str
    base: FetchPlan | None = None

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files) + (self.base.size if self.base else 0)


def plan(entry: Entry) -> FetchPlan:
    """Ask the hub for the files of a model; an installed one keeps its revision. Raises ModelsError if that fails."""
    revision = next((m.revision for m in installed_models() if (m.name, m.origin) == (entry.name, entry.repo)), "")
    entry = entry.model_copy(update={"revision": entry.revision or revision})
    info = _model_info(entry)
    names = [sibling.rfilename for sibling in info.siblings or ()]
    selection = choose_files(entry, [name for name in names if _is_safe(name)])
    files = tuple(_remote_file(sibling) for sibling in info.siblings or () if sibling.rfilename in selection)
    licence = str(getattr(info.card_data, "license", None) or "") or _licence_tag(info)
    texts = [name for name in names if "/" not in name and any(fnmatch(name, pattern) for pattern in _LICENCES)]
    text = _licence_text(entry, str(info.sha), texts[0]) if texts else ""
    base_entry = entry.model_copy(update={"repo": entry.base, "revision": entry.base_revision, "base": ""})
    base = plan(base_entry) if entry.base else None
    return FetchPlan(entry, str(info.sha), files, licence or entry.licence, text, base)


def choose_files(entry: Entry, names: list[str]) -> set[str]:
    """Return the files that a model needs; for a writer one of weights and of vision. Raises ModelsError."""
    if entry.role == "writer":
        vision = {name for name in names if "mmproj" in name.lower()}
        selection = set()
        for group in (sorted(set(names) - vision), sorted(vision)):
            matches = [name for pattern in entry.patterns for name in group if fnmatch(name, pattern)]
            selection.update(matches[:1])
        if not selection - vision:
            available = ", ".join(sorted(name for name in names if name.endswith(".gguf"))[:20]) or "none"
            raise ModelsError(f"{entry.repo} has no file {entry.patterns[0]}; its GGUF files: {available}")
        return selection
    selection = {name for name in names if any(fnmatch(name, pattern) for pattern in entry.patterns)}
    if not any(name.endswith((".safetensors", ".onnx")) for name in selection):
        raise ModelsError(f"{entry.repo} has no weights as safetensors or ONNX; no others are read")
    if len(selection) > _MOST_FILES:
        raise ModelsError(f"{entry.repo} has more than {_MOST_FILES} files that match: name another model")
    return selection


def fetch(todo: FetchPlan) -> Manifest:
    """Download and verify the files of a plan, install the model, and return its manifest.

    An interrupted download is resumed by the next call. Raises ModelsError; then an installed model stays as it was.
    """
    folder = part_folder(todo.entry.name)
    present = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    check_space(round((todo.size - min(present, todo.size)) * (1 + _SPARE)))
    digests = {file.name: _download(todo, file, folder) for file in todo.files}
    if todo.base:
        digests |= {f"{BASE}/{f.name}": _download(todo.base, f, folder / BASE) for f in todo.base.files}
    entry = todo.entry
    manifest = Manifest(
        name=entry.name,
        role=entry.role,
        origin=entry.repo,
        revision=todo.revision,
        licence=todo.licence,
        embedder=entry.embedder,
        settings=entry.settings,
        files=digests,
        disk=todo.size,
    )
    complete(manifest)
    return manifest


def endpoint() -> str:
    """Return the address of the hub: that of a mirror, where HF_ENDPOINT names one."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB


def _model_info(entry: Entry) -> ModelInfo:
    import huggingface_hub
    from huggingface_hub.utils import httpx  # exported when asked for

    if huggingface_hub.is_offline_mode():
        raise ModelsError(
            "HF_HUB_OFFLINE is set, so nothing is fetched: unset it, or bring the model in a file "
            "(vouch models pack, vouch models import)"
        )
    try:
        api = huggingface_hub.HfApi(endpoint=endpoint())
        return api.model_info(entry.repo, revision=entry.revision or None, files_metadata=True, timeout=30)
    except (OSError, ValueError, httpx.HTTPError) as error:
        raise _hub_error(error, entry.repo) from None


def _hub_error(error: Exception, what: str) -> ModelsError:
    """Return the error of a failed call of the hub, with the next step."""
    from huggingface_hub import errors

    where = endpoint()
    if isinstance(error, errors.GatedRepoError):
        return ModelsError(f"{what} asks you to accept its terms: open {where}/{what}, then set HF_TOKEN and try again")
    if isinstance(error, errors.RevisionNotFoundError):
        return ModelsError(f"{what} has no such revision any more at {where}: its maker removed it; tell us, please")
    if isinstance(error, errors.RepositoryNotFoundError):
        return ModelsError(f"there is no {what} at {where}: check the name (or HF_TOKEN, if it is private)")
    if isinstance(error, errors.EntryNotFoundError):
        return ModelsError(f"{what} is not there any more at {where}: try again")
    if isinstance(error, OSError) and error.errno:
        return ModelsError(
            f"{what} cannot be stored ({error.strerror}): free some space, and run the same command again"
        )
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
    return ModelsError(
        f"{where} cannot be reached, or broke off ({reason}): check the network, or set HF_ENDPOINT to a mirror; "
        "what is here already is kept, and the same command goes on from there"
    )


def _download(todo: FetchPlan, file: RemoteFile, folder: Path) -> str:
    """Download a file unless it is present, and return its SHA-256. Raises ModelsError; a damaged file is deleted."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import httpx  # exported when asked for

    path = folder / file.name
    is_complete = path.is_file() and path.stat().st_size == file.size
    digest = _verified_digest(path, file, todo.entry) if is_complete else ""
    if not digest:
        try:
            hf_hub_download(
                todo.entry.repo, file.name, revision=todo.revision, local_dir=folder, endpoint=endpoint(),
                force_download=path.is_file(),
            )  # fmt: skip
        except (OSError, ValueError, RuntimeError, httpx.HTTPError) as error:  # RuntimeError: from hf_xet
            raise _hub_error(error, todo.entry.repo) from None
        digest = _verified_digest(path, file, todo.entry)
        if not digest:
            path.unlink(missing_ok=True)
            raise ModelsError(
                f"{file.name} of {todo.entry.repo} is not the file that was expected (its SHA-256 differs), and was "
                "deleted: run the same command again; if it happens again, do not use this source"
            )
    return digest


def _verified_digest(path: Path, file: RemoteFile, entry: Entry) -> str:
    """Return the SHA-256 of a file; "" if it differs from that of the catalogue, or from the hub's hash."""
    digest = sha256_of(path)
    is_right = digest == entry.sha256.get(file.name, digest)
    if file.sha256:
        is_right = is_right and digest == file.sha256
    elif file.git_sha1:
        is_right = is_right and _git_sha1(path) == file.git_sha1
    return digest if is_right else ""


def _git_sha1(path: Path) -> str:
    """Return the hash that git computes for a file's content."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _remote_file(sibling: Any) -> RemoteFile:
    lfs = sibling.lfs
    return RemoteFile(
        sibling.rfilename,
        int(sibling.size or 0),
        str(lfs.sha256) if lfs else "",
        "" if lfs else str(sibling.blob_id or ""),
    )


def _is_safe(name: str) -> bool:
    """Return True for a path that stays in the folder it is written to."""
    path = PurePosixPath(name)
    return name.isprintable() and "\\" not in name and not path.is_absolute() and not {"..", ".cache"} & set(path.parts)


def _licence_tag(info: ModelInfo) -> str:
    tags = (tag.removeprefix("license:") for tag in info.tags or () if tag.startswith("license:"))
    return next(tags, "")


def _licence_text(entry: Entry, revision: str, name: str) -> str:
    """Return the text of the licence file, "" if it cannot be downloaded."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import httpx  # exported when asked for

    try:
        with tempfile.TemporaryDirectory() as folder:
            path = hf_hub_download(entry.repo, name, revision=revision, local_dir=folder, endpoint=endpoint())
            return Path(path).read_bytes()[:_MOST_LICENCE].decode("utf-8", "replace")
    except (OSError, ValueError, httpx.HTTPError):  # the name of the licence is shown anyway
        return ""
