"""`vouch index` and `vouch reindex`: the report goes to stdout, progress to stderr."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

import samples
from configs import embedder_spec, loads_checkpoint
from indexing import (
    Collection,
    IndexingError,
    SourceFiles,
    discard_reindex,
    list_collections,
    reindex_collection,
)
from rag import Pipeline, load_profile
from ui.cli import terminal
from ui.cli.audit_notes import command_access, note_report
from ui.cli.password import password_of
from ui.cli.progress import graceful_end, shown_progress, status_line
from ui.cli.terminal import print_json, show
from ui.errors import OptionsUnfit
from ui.show import clean
from vouch.hooks import additions, load

if TYPE_CHECKING:
    from indexing import IndexingSettings, IndexReport, Metadata

_SETTINGS = ("visual", "checkpoint", "device", "token_pooling", "pixels", "workers")
"""The options of `vouch index` that are settings of the same names."""
_CHANGES = ("visual", "token_pooling", "pixels", "ocr")
"""The options of `vouch reindex` that change the settings of the same names."""
_IN_PROFILE = ("embedder", "text_checkpoint", "visual", "checkpoint", "token_pooling")
_MOST_PROBLEMS = 5
"""The most problems of describing that are printed."""


def index(args: Namespace) -> int:
    """Run `vouch index`."""
    profile = load_profile(args.profile)
    settings = profile.indexing.with_values(**{key: getattr(args, key) for key in _SETTINGS}).reading_by(args.text)
    name = args.collection or (samples.NAME if args.samples else "default")
    paths = [samples.DOCUMENTS] if args.samples else [Path(p) for p in args.paths]
    source = next((files for one in additions("sources") if (files := load(one.read)(args)) is not None), SourceFiles())
    changed_tags(args)  # refused before the work, as are other options
    password = password_of(args)
    with command_access() as access:  # an audit log that cannot be written is reported before the work, not after it
        access.note("begin-index", name)  # logged first, in case the run is killed
        new = name not in list_collections()
        collection = Collection.create(name, settings=settings)
        before = collection.documents()
        pipeline = Pipeline(collection, profile.rag)
        if args.extract:
            pipeline.check_model()
        try:
            report, failed = _build(args, collection, settings, paths, source, password)
        except IndexingError:  # --on names no cluster, say
            if new:
                _delete_empty(collection)
            raise
        note_report(access, report)
    notes = [note for one in additions("index_notes") for note in load(one.make)(collection, before)]
    report = source.added_to(replace(report, notes=(*report.notes, *notes)))
    descriptions = _describe(pipeline, quiet=args.json) if args.extract and not report.cancelled else None
    if new and not report.cancelled:
        _delete_empty(collection)  # nothing could be read: a mistyped name leaves nothing behind
    code = int(max(report.exit_code, failed, bool(descriptions and descriptions[1])))
    _print_report(report, code, descriptions, as_json=args.json)
    return code


def _build(
    args: Namespace,
    collection: Collection,
    settings: IndexingSettings,
    paths: list[Path],
    source: SourceFiles,
    password: str | None,
) -> tuple[IndexReport, bool]:
    """Index the documents; return the report, and True if a sidecar file could not be read."""
    from indexing import build_index, folder_records

    tags, removed_tags = changed_tags(args)
    with shown_progress(sys.stderr, quiet=args.json) as on_progress, graceful_end() as cancel:
        sidecars = folder_records(paths, settings)
        report = build_index(
            collection,
            [*paths, *source.records],
            ocr=args.ocr,
            password=password,
            on_progress=on_progress,
            cancel=cancel,
            settings=settings,
            records={**sidecars.records, **source.records},
            tags=tags,
            untagged=removed_tags,
            on=args.on,
        )
    notes = (*report.notes, *map(str, sidecars.problems), *_remaining_tags(removed_tags, sidecars.records.values()))
    return replace(report, notes=notes), bool(sidecars.problems)


def changed_tags(args: Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags of `--tag` and of `--untag`. Raises BadSidecar for an invalid tag, and for one in both."""
    from indexing import BadSidecar, clean_tag  # slow: they import the parsers

    to_add, to_remove = tuple(map(clean_tag, args.tag)), tuple(map(clean_tag, args.untag))
    both = next((tag for tag in to_add if tag in to_remove), None)
    if both is not None:
        raise BadSidecar(f"the tag {both!r} is both added and removed: name it in --tag or in --untag, not in both")
    return to_add, to_remove


def _remaining_tags(untagged: Sequence[str], records: Iterable[Metadata]) -> list[str]:
    """Return a note for each tag of `--untag` that stays, because a sidecar file has it."""
    tags = {tag for record in records for tag in record.sidecar_tags}
    return [f"the tag {tag!r} comes from a sidecar file and stays: remove it there" for tag in untagged if tag in tags]


def _delete_empty(collection: Collection) -> None:
    """Delete a collection if it has no documents; safe if another process is adding some."""
    with suppress(IndexingError):
        if not collection.documents():
            collection.delete(only_if_empty=True)


def _describe(pipeline: Pipeline, *, quiet: bool) -> tuple[int, list[str]]:
    """Have the model describe figures and tables without a description; return their number, and the problems."""
    done, problems = 0, list[str]()
    with closing(pipeline.describe()) as moments, status_line(quiet=quiet) as status:
        for moment in moments:
            done = moment.done
            problems += [moment.problem] if moment.problem else []
            status(f"describing figures and tables: {done}/{moment.total}")
    return done, problems


def _print_report(
    report: IndexReport, code: int, descriptions: tuple[int, list[str]] | None = None, *, as_json: bool
) -> None:
    """Print the report of a run; `descriptions` is the result of `_describe`."""
    number, problems = descriptions or (0, [])
    if as_json:
        more = {"described": {"pictures": number, "problems": problems}} if descriptions else {}
        print_json(report.to_json() | more | {"exit_code": code})
        return
    lines = [f"Described: {number - len(problems)} of {number} figures and tables."] if descriptions else []
    lines += [f"Not described: {problem}" for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        lines.append(f"and {len(problems) - _MOST_PROBLEMS} more")
    show([*terminal.report(report), *(Text(clean(line)) for line in lines)])


def reindex(args: Namespace) -> int:
    """Run `vouch reindex`: rebuild the collection, or discard an unfinished run."""
    changes = _changes(args)
    if args.discard:
        return _discard(args, changes)
    profile = load_profile(args.profile)
    if args.profile != "default":  # a profile of one's own changes the collection; that of Vouch does not
        keys = profile.indexing.model_fields_set.intersection(_IN_PROFILE)
        changes = {name: getattr(profile.indexing, name) for name in sorted(keys)} | changes
    password = password_of(args)
    with (
        command_access() as access,
        shown_progress(sys.stderr, quiet=args.json) as on_progress,
        graceful_end() as cancel,
    ):
        access.note("begin-reindex", args.collection)
        report = reindex_collection(
            args.collection,
            settings=profile.indexing.with_values(device=args.device, workers=args.workers),
            changes=changes,
            parse=args.parse,
            password=password,
            on_progress=on_progress,
            cancel=cancel,
        )
    if not report.files and not report.cancelled:  # nothing to do
        if args.json:
            _print_report(report, 0, as_json=True)
        else:
            show([Text(f"Note: {clean(note)}") for note in report.notes])
        return 0
    _print_report(report, report.exit_code, as_json=args.json)
    return report.exit_code


def _changes(args: Namespace) -> dict[str, Any]:
    """Return the settings that the options of `vouch reindex` change. Raises OptionsUnfit for an unused checkpoint."""
    changes = {name: getattr(args, name) for name in _CHANGES if getattr(args, name) is not None}
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
    discarded = discard_reindex(args.collection)
    if args.json:
        print_json({"discarded": discarded})
    elif discarded:
        print(f"{clean(args.collection)}: The reindex was discarded; the collection answers as before.")
    else:
        print(f"{clean(args.collection)}: There was no reindex to discard.")
    return 0
