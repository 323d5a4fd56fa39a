"""`vouch doctor`: check everything that a profile needs, and print what to change."""

from __future__ import annotations

import errno
import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from indexing import (
    Collection,
    Home,
    IndexingError,
    IndexingSettings,
    default_home,
    probe_text,
    probe_visual,
    unreadable_collections,
)
from rag import ModelSettings, Profile, RagError, load_profile, probe_images, probe_name, probe_schema
from rag.llm import served_model
from ui.cli.terminal import State, print_json, state_mark
from ui.show import clean, count_of, size
from vouch.hooks import VARIABLE, additions, load, load_installed, names

_LEAST_DISK = 500_000_000
"""The bytes that some hundred pages with their vectors need, with room for a compaction."""
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: its subject, its state, and what was found, or what to change."""

    check: str
    state: State
    says: str


def doctor(args: Namespace) -> int:
    """Run `vouch doctor`: print a line for each check as it is made; return 0 if all is well, else 1."""
    findings = []
    for finding in examine(args.profile, args.collection):
        findings.append(finding)
        if not args.json:
            mark = state_mark(finding.state, sys.stdout.encoding)
            print(f"{mark} {clean(finding.check)}: {clean(finding.says)}", flush=True)
    problems = sum(f.state == "problem" for f in findings)
    if args.json:
        print_json({"ok": not problems, "checks": [asdict(f) for f in findings]})
    else:
        print(f"\n{count_of(problems, 'problem')}." if problems else "\nAll is well.")
    return min(problems, 1)


def examine(profile: str, collection: str | None = None, home: Home | None = None) -> Iterator[Finding]:
    """Check home folder and disk, the profile, its embedders, plugins and models, and the collection if one is named.

    Otherwise each collection that cannot be opened is a problem.
    """
    home = home or default_home()
    yield _run_check("home folder", lambda: _check_home(home))
    yield _run_check("disk", lambda: _disk(home))
    try:
        settings = load_profile(profile)
    except RagError as error:
        yield Finding("profile", "problem", str(error))
        return
    yield Finding("profile", "good", profile)
    yield _run_check("text embedder", lambda: probe_text(settings.indexing))
    yield _run_check("visual embedder", lambda: probe_visual(settings.indexing))
    yield from _plugins(settings)
    yield from _models(settings)
    if collection is not None:
        yield _run_check("collection", lambda: _collection(collection, settings.indexing, home))
        return
    try:
        yield from (Finding(f"collection {name}", "problem", why) for name, why in unreadable_collections(home).items())
    except (IndexingError, OSError) as error:
        yield Finding("collections", "problem", str(error))


def _plugins(profile: Profile) -> Iterator[Finding]:
    """List plugins and readable file extensions; report plugins that fail to load; run the checks of plugins."""
    from indexing.parse import readable_formats  # brings in what reads documents

    plugins = load_installed()
    yield Finding("plugins", "good", ", ".join(names(plugins.plugins)) or "none")
    for problem in plugins.problems:
        yield Finding("plugins", "problem", f"{problem}: install it, or leave it out of {VARIABLE}")
    yield Finding("files", "good", ", ".join(sorted(suffix.removeprefix(".") for suffix in readable_formats())))
    for check in additions("checks"):
        try:
            yield from (Finding(*finding) for finding in load(check.run)(profile))
        except Exception as error:  # noqa: BLE001 - the code is a stranger's, and its failure is a finding
            problem = f"the check failed ({type(error).__name__}: {error}): install its plugin again"
            yield Finding(check.name, "problem", problem)


def _models(profile: Profile) -> Iterator[Finding]:
    """Check the profile's first model, then its further models, by their names."""
    rag = profile.rag
    if rag.model is None:
        yield Finding("model", "skipped", "none in the profile (rag.model): answers are quotes, which need no model")
        return
    yield from _model(rag.model)
    for name, settings in rag.models.items():
        for finding in _model(settings):
            yield replace(finding, check=f"{finding.check} of {name}" if finding.check != "model" else f"model {name}")


def _model(settings: ModelSettings) -> Iterator[Finding]:
    """Check that a model answers, then that it supports schemas and images; skip these if it does not answer."""
    try:
        patience = {"retries": 0, "timeout": min(settings.timeout, _PATIENCE)}  # a person sits before the terminal
        model = served_model(settings.model_copy(update=patience))
    except RagError as error:
        yield Finding("model", "problem", str(error))
        return
    model_name = _run_check("model", lambda: probe_name(model))
    yield model_name
    for check, probe in (("structured output", probe_schema), ("images", probe_images)):
        if model_name.state == "problem":
            yield Finding(check, "skipped", "not tested, since the model did not answer")
        else:
            yield _run_check(check, lambda probe=probe: probe(model))  # type: ignore[misc]
    model.close()


def _run_check(check: str, probe: Callable[[], str]) -> Finding:
    """Return the finding of a check: good with the text of `probe`, or a problem with the message of its error."""
    try:
        return Finding(check, "good", probe())
    except (RagError, IndexingError) as error:
        return Finding(check, "problem", str(error))
    except OSError as error:
        return Finding(check, "problem", f"{error.filename or ''}: {error.strerror or error}".lstrip(": "))


def _check_home(home: Path) -> str:
    """Test that the home folder is writable and private; return its path. Raises OSError."""
    folder = _nearest(home)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: make it writable, or set VOUCH_HOME", str(folder)) from None
    _require_private(home, f"chmod 700 {home}")
    return f"{home}" if home.is_dir() else f"{home} will be created"


def _require_private(folder: Path, step: str) -> None:
    """Raise OSError, with the next step, for a folder that other users can read."""
    if folder.is_dir() and folder.stat().st_mode & 0o077:
        raise OSError(errno.EPERM, f"other users of this machine can read it: {step}", str(folder))


def _disk(home: Path) -> str:
    """Return the free disk space as text. Raises OSError if it is too little."""
    folder = _nearest(home)
    free = shutil.disk_usage(folder).free
    if free < _LEAST_DISK:
        raise OSError(28, f"only {size(free)} free: make room, or set VOUCH_HOME to another disk", str(folder))
    return f"{size(free)} free"


def _nearest(path: Path) -> Path:
    """Return the folder itself, or the nearest one above it that exists."""
    return next(p for p in (path, *path.absolute().parents) if p.exists())


def _collection(name: str, settings: IndexingSettings, home: Home) -> str:
    """Open a collection; return its number of documents. Raises OSError if others can read it, or decrypted copies."""
    collection = Collection.open(name, home, settings)
    documents = collection.documents()
    _require_private(collection.path, f"close it with vouch compact --collection {name}")
    names = [d.name for d in documents if collection.originals.differs(d)]
    if names and not settings.keep_decrypted:
        problem = f"decrypted copies of {', '.join(names[:5])}{' ...' * (len(names) > 5)}"
        raise OSError(errno.EPERM, f"{problem}: index the files again, or set keep_decrypted", str(collection.path))
    return f"{name} has {count_of(len(documents), 'document')}"
