"""`vouch reindex` itself: the report goes to stdout, progress to stderr, as those of `vouch index` do."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from rich.console import Console
from rich.text import Text

from configs import embedder_spec, loads_checkpoint
from indexing import discard_reindex, reindex_collection
from rag import load_profile
from ui.cli import terminal
from ui.cli.admin import command_audit
from ui.cli.folders import ended_gently
from ui.cli.password import password_of
from ui.cli.progress import shown_progress
from ui.errors import OptionsUnfit
from ui.show import clean

_NAMED = ("visual", "token_pooling", "pixels", "shards", "ocr")
"""The options of the same names as the settings that they change."""
_IN_PROFILE = ("embedder", "text_checkpoint", "visual", "checkpoint", "token_pooling", "shards")


def run(args: Namespace) -> int:
    """Reindex the collection, or discard an unfinished run; return the exit code, as for `vouch index`."""
    changes = _changes(args)
    if args.discard:
        return _discard(args, changes)
    profile = load_profile(args.profile)
    if args.profile != "default":  # what a profile of one's own says is asked for; that of Vouch says nothing
        keys = profile.indexing.model_fields_set.intersection(_IN_PROFILE)
        changes = {name: getattr(profile.indexing, name) for name in sorted(keys)} | changes
    password = password_of(args)
    settings = profile.indexing.with_values(device=args.device, workers=args.workers)
    with (
        command_audit() as audit,
        shown_progress(sys.stderr, quiet=args.json) as on_progress,
        ended_gently() as ended,
    ):
        audit.note("begin-reindex", args.collection)
        report = reindex_collection(
            args.collection,
            settings=settings,
            changes=changes,
            parse=args.parse,
            password=password,
            on_progress=on_progress,
            cancel=ended,
        )
    code = report.exit_code if report.files or report.cancelled else 0
    if args.json:
        print(json.dumps(report.to_json() | {"exit_code": code}, indent=2, ensure_ascii=True))
        return code
    width = None if sys.stdout.isatty() else 200
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    for line in terminal.report(report) if report.files else [Text(f"Note: {clean(n)}") for n in report.notes]:
        console.print(line, soft_wrap=not sys.stdout.isatty() and not terminal.is_table(line))
    return code


def _changes(args: Namespace) -> dict[str, Any]:
    """Return the settings that the options change. Raises OptionsUnfit for a checkpoint of nobody."""
    changes = {name: getattr(args, name) for name in _NAMED if getattr(args, name) is not None}
    if args.text is not None:
        changes["embedder"] = args.text
    if args.checkpoint is not None:
        if args.visual and loads_checkpoint(args.visual):
            changes["checkpoint"] = args.checkpoint
        elif args.text and embedder_spec("text", args.text).weights != "included":
            changes["text_checkpoint"] = args.checkpoint
        else:
            raise OptionsUnfit(
                "--checkpoint gives the weights for --text colbert or openai, or for --visual colpali, mm_embed or "
                "qwen3_vl_embedding: add one of these"
            )
    return changes


def _discard(args: Namespace, changes: dict[str, Any]) -> int:
    if changes or args.parse:
        raise OptionsUnfit("--discard cannot be combined with other options: leave them out")
    there = discard_reindex(args.collection)
    message = (
        "The reindex was discarded; the collection answers as before." if there else "There was no reindex to discard."
    )
    print(json.dumps({"discarded": there}) if args.json else f"{clean(args.collection)}: {message}")
    return 0
