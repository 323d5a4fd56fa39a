"""The command `vouch models`: what each of its verbs does and prints."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.models.errors import ModelsError

if TYPE_CHECKING:
    from plugins.models.hub import FetchPlan
    from plugins.models.library import Manifest

_LICENCE_LINES = 12
"""The lines of a licence that are shown; the whole text has the address."""


def run(args: Namespace) -> int:
    """Run a verb of `vouch models`. Raises ModelsError."""
    verbs = {
        "get": _get,
        "use": _use,
        "import": _import,
        "pack": _pack,
        "remove": _remove,
        "compare": _compare,
        "calibrate": _calibrate,
        "suggest": _suggest,
    }
    return verbs.get(args.verb or "", _list)(args)


def _list(args: Namespace) -> int:
    from plugins.models.advice import cost, facts, fits, minutes
    from plugins.models.catalogue import ROLES, catalogue
    from plugins.models.library import installed_models, models_folder
    from plugins.models.profile import uses
    from rag import load_profile
    from ui.show import clean, size

    manifests, profile = {manifest.name: manifest for manifest in installed_models()}, load_profile()
    entries = {entry.name: entry for entry in catalogue()}
    if args.json:
        values = {
            "folder": str(models_folder()),
            "here": [m.model_dump() | {"used": uses(profile, m)} for m in manifests.values()],
            "known": [e.model_dump(exclude={"sha256"}) | {"fits": fits(e)} for e in entries.values()],
        }
        print(json.dumps(values, indent=2))
        return 0
    print(f"Models on this machine ({clean(str(models_folder()))}):")
    for manifest in manifests.values():
        used = ", in use" if uses(profile, manifest) else ""
        entry = entries.get(manifest.name)
        more = f", about {size(entry.memory)} of memory; {facts(entry)}" if entry else ""
        print(
            f"  {manifest.name}: {ROLES[manifest.role]}, {clean(manifest.licence) or 'licence not known'}, "
            f"{size(manifest.disk)} on disk{more}; {clean(manifest.speed) or 'not tried yet'}{used}"
        )
    if not manifests:
        print("  none; answers are quotes, which need none")
    for role, does in ROLES.items():
        print(f"\nCan be had: {does}")
        for entry in entries.values():
            if entry.role == role and entry.name not in manifests:
                short = "" if fits(entry) else "; too large for the memory of this machine"
                speed = f"; {minutes(entry)}" if role == "writer" else ""
                print(f"  {entry.name}: {entry.summary}; {cost(entry)}{short}{speed}; {facts(entry)}")
    print("\nvouch models get NAME fetches one; nothing is contacted before.")
    return 0


def _get(args: Namespace) -> int:
    from plugins.models.catalogue import entry_of
    from plugins.models.hub import endpoint, fetch, plan
    from plugins.models.library import models_folder
    from ui.show import clean, size

    entry = entry_of(args.name)
    todo = plan(entry)
    print(f"{entry.name}: {entry.summary}")
    for part in (todo, *([todo.base] if todo.base else [])):
        print(f"  from {endpoint()}/{part.entry.repo} at revision {part.revision}")
        for file in part.files:
            digest = file.sha256 or entry.sha256.get(file.name, "")
            print(f"  {clean(file.name)}: {size(file.size)}{f', sha256 {digest[:16]}...' if digest else ''}")
        print(f"  licence: {clean(part.licence) or 'the hub names none: read the page of the model'}")
    for line in todo.licence_text.splitlines()[:_LICENCE_LINES]:
        print(f"    {clean(line)}")
    check_licence(todo, args.accept)
    if not args.yes and not _agrees(f"Fetch {size(todo.size)} into {models_folder() / entry.name}?"):
        print("Nothing was fetched.")
        return 1
    manifest = fetch(todo)
    print(f"{manifest.name} is here, and every file has its hash: {models_folder() / manifest.name}")
    if args.use:
        return _use_model(manifest)
    print(f"Next: vouch models use {manifest.name}")
    return 0


def check_licence(todo: FetchPlan, consent: str | None) -> None:
    """Raise ModelsError for a licence that forbids commercial use or has changed, unless it is accepted by name."""
    licence = todo.licence.lower()
    forbids = not todo.entry.commercial or "-nc" in licence or "noncommercial" in licence
    if forbids and (consent or "").lower() != licence:
        raise ModelsError(
            f"the licence {todo.licence} forbids commercial use: if yours is none, add --accept {todo.licence}"
        )
    before = todo.entry.licence.lower()
    if before and licence and licence != before and (consent or "").lower() != licence:
        raise ModelsError(
            f"the licence of {todo.entry.repo} was {before} and is {licence} now: read it, then add --accept {licence}"
        )
    if todo.base:
        check_licence(todo.base, consent)


def _agrees(question: str) -> bool:
    """Ask on the terminal; return True for yes. Raises ModelsError without a terminal."""
    if not sys.stdin.isatty():
        raise ModelsError("there is no terminal to ask on: add --yes to fetch it")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def _use(args: Namespace) -> int:
    from plugins.models.library import installed_model
    from plugins.models.profile import QUOTES, WITHOUT, write_changes

    if args.without:
        print(f"Without a {args.without} again: {write_changes(WITHOUT[args.without])}")
        return 0
    if args.quotes:
        print(f"Answers are quotes again: {write_changes(QUOTES)}")
        return 0
    if not args.name:
        raise ModelsError("name the model to use (vouch models lists them), or --quotes or --without")
    manifest, _ = installed_model(args.name)
    return _use_model(manifest, args.collection)


def _use_model(manifest: Manifest, collection: str | None = None) -> int:
    """Load a model and measure it; write it into the profile, or reindex `collection` with an embedder."""
    import shlex

    from plugins.models.library import write_manifest
    from plugins.models.profile import reindex_options, try_model, write_changes
    from ui.cli import main
    from ui.show import clean

    for_all = manifest.role not in ("text", "visual")
    if for_all and collection:
        raise ModelsError(f"{manifest.name} works for all collections: leave out --collection")
    changes, speed = try_model(manifest, lambda finding: print(f"  {clean(finding)}", flush=True))
    if changes:
        print(f"  written: {write_changes(changes)}")
    write_manifest(manifest.model_copy(update={"speed": speed}))
    print(f"{manifest.name}: {speed}")
    if manifest.role == "writer":
        print('Next: vouch ask "your question"   (back to quotes: vouch models use --quotes)')
        return 0
    if manifest.role == "verifier" and "threshold" not in manifest.settings:
        print(f"Next: vouch models calibrate {manifest.name} --pairs FILE   (until then its threshold is 0.5)")
    if for_all:
        print(f"Without it again: vouch models use --without {manifest.role}")
        return 0
    options = reindex_options(manifest)
    if collection:
        return main(["reindex", "--collection", collection, *options])
    print(f"Next, for documents of a new collection:  vouch index PATH --collection NAME {shlex.join(options)}")
    print(f"      for a collection that is here:      vouch models use {manifest.name} --collection NAME")
    return 0


def _import(args: Namespace) -> int:
    from plugins.models.importing import import_model
    from plugins.models.library import models_folder

    vision = Path(args.mmproj) if args.mmproj else None
    for manifest in import_model(Path(args.path), args.name or "", vision, args.role):
        print(f"{manifest.name} is here: {models_folder() / manifest.name}")
        print(f"Next: vouch models use {manifest.name}")
    return 0


def _pack(args: Namespace) -> int:
    from plugins.models.library import pack
    from ui.show import size

    n_bytes = pack(args.names, Path(args.to))
    print(f"{args.to}: {size(n_bytes)}. On the other machine: vouch models import {Path(args.to).name}")
    return 0


def _remove(args: Namespace) -> int:
    from plugins.models.library import installed_models, remove
    from plugins.models.profile import uses
    from rag import load_profile
    from ui.show import size

    used = [m.name for m in installed_models() if m.name == args.name and uses(load_profile(), m)]
    if used:
        raise ModelsError(f"your profile uses {used[0]}: use another model first, or vouch models use --quotes")
    print(f"{args.name} is removed; {size(remove(args.name))} are free again.")
    return 0


def _suggest(_: Namespace) -> int:
    from plugins.models.advice import cost, minutes, suggestion

    best = suggestion("writer")
    print("A model that writes the answers, in one of three ways:")
    ways = [(f"vouch models get {best.name} --use", f"{cost(best)}; {minutes(best)}")] if best is not None else []
    ways += [
        ("vouch connect", "a server that runs here: Ollama, LM Studio, llama.cpp, vLLM"),
        ("vouch connect https://HOST/v1 --key-env VARIABLE", "an address; the variable holds its key"),
    ]
    for command, says in ways:
        print(f"  {command:50} {says}")
    print("The page of vouch serve has the same under Models.")
    return 0


def _calibrate(args: Namespace) -> int:
    from plugins.models.calibration import calibrate

    return calibrate(args)


def _compare(args: Namespace) -> int:
    from plugins.models.compare import compare

    return compare(args)
