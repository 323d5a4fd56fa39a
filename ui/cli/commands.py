"""The `vouch` commands: each calls indexing or rag, prints the result, and returns the exit code.

0 is success, 1 a run in which something failed, 2 an error, 130 stopped by the user.
"""

from __future__ import annotations

import errno
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

import samples
from configs import method_options, method_spec
from indexing import Collection, CollectionError, DocumentMissing, IndexingError, default_home, list_collections
from rag import Anchor, AnchorLost, AnswerOptions, Pipeline, RagError, Resolved, SearchOptions, load_profile
from rag import resolve as find
from ui.cli import terminal
from ui.cli.audit_notes import command_access
from ui.cli.parser import main
from ui.cli.password import password_of
from ui.cli.progress import follow_answer
from ui.cli.terminal import console, fail, print_json, show
from ui.errors import UiError
from ui.export import export, form_of
from ui.show import KIND_NAMES, clean, count_of, save_overlays, shorten, size
from vouch.hooks import load, names

if TYPE_CHECKING:
    from rag import Answer, Profile
    from rag.attribution import Ablated


STOPPED = 130


def run(args: Namespace) -> int:
    """Run the parsed command, and return its exit code; errors of ours become one line on stderr, and 2."""
    before = os.umask(0o077)  # only the user can read the files that are written
    try:
        code: int = load(args.run)(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return fail("stopped.", STOPPED)
    except BrokenPipeError:
        # The reader (head, less) has gone; Python must not complain about it while shutting down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (IndexingError, RagError, UiError) as error:
        return fail(str(error))
    except OSError as error:
        return fail(_with_next_step(error))
    finally:
        os.umask(before)
    return code


_NEXT_STEPS = {
    errno.EACCES: "choose a place where you may write, or change its permissions",
    errno.EPERM: "choose a place where you may write, or change its permissions",
    errno.EROFS: "choose a place where you may write",
    errno.ENOSPC: "free some space and run the same command again",
    errno.ENOTDIR: "a file is in the way: choose a folder",
    errno.EEXIST: "a file is in the way: choose a folder",
    errno.ENOENT: "check the path",
}


def _with_next_step(error: OSError) -> str:
    """Return the message of an OSError with the next step; ours have no `filename`, and name the step themselves."""
    if not error.filename:
        return str(error)
    home = default_home()
    ours = Path(str(error.filename)).is_relative_to(home) or home.is_relative_to(str(error.filename))
    step = "set VOUCH_HOME to a folder where you may write" if ours else _NEXT_STEPS.get(error.errno or 0, "check it")
    return f"{error.filename}: {error.strerror}: {step}"


def existing_collection(name: str | None) -> str:
    """Return the name of a collection: the given one, else the only one that exists, else `default`."""
    names = () if name else list_collections()
    return name or ("default" if "default" in names or len(names) != 1 else names[0])


def open_collection(args: Namespace, profile: Profile, password: str | None = None) -> Collection:
    """Open the collection of `--collection` or its default, and unlock its documents with the password."""
    collection = Collection.open(existing_collection(args.collection), settings=profile.indexing)
    if password:
        collection.take_password(password)
    return collection


def ask(args: Namespace) -> int:
    """Run `vouch ask`; an abstention exits with 0, too."""
    if args.export:
        form_of(Path(args.export))  # a wrong suffix is reported before the answer, which may take a model minutes
    profile = load_profile(args.profile)
    collection = open_collection(args, profile, password_of(args))
    settings = profile.rag.model_copy(update={"localizer": args.localizer}) if args.localizer else profile.rag
    own = {name: value for name in names(method_options()) if (value := getattr(args, name)) is not None}
    options = _pipeline_options(args, AnswerOptions) | {"method_options": own}
    pipeline = Pipeline(collection, settings)
    if args.every_page:
        pages, calls = pipeline.pages_to_read(args.question, **options)
        cost = f"{count_of(calls, 'call')} of the model, some {2000 * pages:,} tokens"
        print(f"Reading {count_of(pages, 'page')}: {cost}. Ctrl-C stops it.", file=sys.stderr)
    events = pipeline.stream(args.question, **options)
    uses_model = method_spec(args.method or settings.method).model
    answer = follow_answer(events, console() if uses_model and sys.stdout.isatty() and not args.json else None)

    def ablations() -> Sequence[Ablated]:
        from rag.attribution import ablate

        return ablate(answer, collection, lambda rest: Pipeline(rest, settings).answer(answer.question, **options))

    return report_answer(args, answer, collection, ablations)


def report_answer(
    args: Namespace,
    answer: Answer,
    collection: Collection,
    ablate: Callable[[], Sequence[Ablated]] | None = None,
    values: dict[str, Any] | None = None,
    write_copy: Callable[[Path], list[str]] | None = None,
) -> int:
    """Print an answer, with `--overlay` draw it, with `--export` export it, with `--ablate` call `ablate`; return 0.

    `values` replace the JSON of the answer. `write_copy` writes an annotated copy of a checked text to the path of
    `--annotated`, and returns notes to print.
    """
    overlays = save_overlays(answer, collection, args.overlay) if args.overlay else ()
    notes: list[str] = []
    files = export(answer, collection, Path(args.export), notes.append) if args.export else []
    extra: dict[str, Any] = {"overlays": [str(p) for p in overlays]} if args.overlay else {}
    extra |= {"exported": [str(p) for p in files], "left_out": notes} if args.export else {}
    if write_copy is not None and args.annotated:
        notes += write_copy(Path(args.annotated))
        files = [*files, Path(args.annotated)]
        extra |= {"annotated": str(files[-1]), "left_out": notes}
    ablations = ablate() if ablate is not None and args.ablate else None
    extra |= {"ablated": [each.to_json() for each in ablations]} if ablations is not None else {}
    if args.json:
        print_json((values or answer.to_json()) | extra)
    else:
        show(terminal.answer(answer, overlays, sys.stdout.encoding))
        show([Text(clean(terminal.importance_note(each))) for each in ablations or ()])
        show([Text(f"Written: {clean(str(path))}") for path in files])
        show([Text(clean(line)) for line in notes])
    return 0


def search(args: Namespace) -> int:
    """Run `vouch search`; no result is no error."""
    profile = load_profile(args.profile)
    collection = open_collection(args, profile)
    queries, result = Pipeline(collection, profile.rag).retrieve(
        args.question, **_pipeline_options(args, SearchOptions)
    )
    if args.json:
        print_json(
            {
                "question": args.question,
                "mode": result.mode,
                "queries": queries.to_json(),
                "hints": asdict(queries.hints),
                "pages": [asdict(p) for p in result.pages],
                "evidence": [e.to_json() for e in result.evidence],
                "notes": list(result.notes),
            }
        )
    else:
        show(terminal.ranking(queries, result))
    return 0


def _pipeline_options(args: Namespace, options: type[SearchOptions]) -> dict[str, Any]:
    """Return the values of the arguments that are fields of `options`, by name."""
    return {name: getattr(args, name) for name in options.__annotations__ if hasattr(args, name)}


def list_(args: Namespace) -> int:
    """Run `vouch list`: print the collections, or the documents of one."""
    if args.collection is None:
        names = list_collections()
        if args.json:
            print_json(list(names))
        else:
            show(terminal.collections(names))
        return 0
    documents = Collection.open(args.collection).documents()
    if args.json:
        print_json([asdict(d) for d in documents])
    else:
        show(terminal.documents(args.collection, documents))
    return 0


def remove(args: Namespace) -> int:
    """Run `vouch remove`: remove the documents that exist; others are reported, with exit code 2."""
    code = 0
    collection = Collection.open(args.collection)
    with command_access() as access:
        if args.all:
            access.forget_collection(args.collection)  # first: its roles must not apply to a new one of this name
            collection.delete()
            access.note("delete-collection", args.collection)
            print(f"Deleted the collection {clean(args.collection)}.")
        for name in args.documents:
            try:
                document = collection.remove(name)
            except DocumentMissing as error:
                code = fail(str(error))
            else:
                access.note("remove-document", args.collection, document.id)
                print(f"Removed {clean(document.name)} ({count_of(document.n_pages, 'page')}).")
    return code


def stats(args: Namespace) -> int:
    """Run `vouch stats`."""
    name = existing_collection(args.collection)
    statistics = Collection.open(name).stats()
    if args.json:
        print_json(statistics)
    else:
        show(terminal.stats(name, statistics))
    return 0


def compact(args: Namespace) -> int:
    """Run `vouch compact`."""
    name = existing_collection(args.collection)
    with command_access() as access:
        before, after = Collection.open(name).compact()
        access.note("compact", name)
    print(f"{clean(name)}: {size(before)} before, {size(after)} after.")
    return 0


def serve(args: Namespace) -> int:
    """Run `vouch serve`: it returns when the user stops it."""
    from ui.access import open_access
    from ui.settings import ui_settings
    from ui.state import open_state
    from ui.web.server import ServerAddress

    if args.collection:
        Collection.open(args.collection).close()  # a mistyped name is reported before the page starts
    server_address = ServerAddress(args.host, args.port, args.accounts, args.root_path, args.share, args.mcp)
    profile = load_profile(args.profile)
    if args.log_format:
        profile = profile.model_copy(update={"ui": profile.ui | {"log_format": args.log_format}})
    with ExitStack() as stack:
        state = stack.enter_context(open_state(default_home()))
        access = open_access(state, ui_settings(profile), accounts=args.accounts)
        from ui.web import serve as serve_page  # imports Gradio: errors in the options are reported before that

        serve_page(server_address, args.collection, profile, state, access, password_of(args))
    return 0


_NEXT = """
The cited pages, boxed, are in {folder}. Next:
  {vouch} serve                                      ask in the browser, click a number, see its page
  {vouch} ask "your question" --collection samples   another question
  {vouch} index YOUR/FOLDER --collection mine        your own documents
  {vouch} models                                     a model that writes the answers: what fits this machine"""


def demo(args: Namespace) -> int:
    """Run `vouch demo`; return the exit code of its first step that fails, else 0."""
    of_samples = ("--collection", samples.NAME)
    steps = (["index", "--samples"], ["ask", args.question, *of_samples, "--overlay", args.overlay])
    for arguments in steps:
        if code := main(arguments):
            return code
    print(_NEXT.format(folder=args.overlay, vouch=_vouch()), flush=True)
    return 0


def _vouch() -> str:
    """Return the command that started this process, for the printed examples: `vouch` or .venv/bin/vouch."""
    command = Path(sys.argv[0])
    return "vouch" if command.is_absolute() or command.name != "vouch" else str(command)


EXIT_CODES = {"found": 0, "placed": 0, "changed": 1}


def resolve(args: Namespace) -> int:
    """Run `vouch resolve`: return 0 if the place was found, 1 if the document changed there.

    Searches `args.collection` or, if that is None, all collections; the best outcome counts. Raises AnchorDamaged and
    AnchorLost (exit code 2).
    """
    anchor = Anchor.parse(args.anchor)
    names = [args.collection] if args.collection else list_collections()
    name, best = _best(anchor, names, one=bool(args.collection))
    if args.json:
        print_json(_to_json(name, best))
    else:
        _show(name, best)
    return EXIT_CODES[best.state]


def _best(anchor: Anchor, names: Sequence[str], *, one: bool) -> tuple[str, Resolved]:
    """Return the collection with the best outcome. Unreadable collections are reported and skipped, unless `one`."""
    order = list(EXIT_CODES)
    outcomes: list[tuple[str, Resolved]] = []
    failure: AnchorLost | None = None
    for name in names:
        try:
            with Collection.open(name) as collection:
                outcomes.append((name, find(anchor, collection)))
        except AnchorLost as error:
            failure = error
        except CollectionError as error:
            if one:
                raise
            fail(f"skipped: {error}")
    if outcomes:
        return min(outcomes, key=lambda outcome: order.index(outcome[1].state))
    if one and failure is not None:
        raise failure
    raise AnchorLost(
        f"{anchor.name or 'the document'} (sha256 {anchor.sha256[:16]}...) was not found in any of {len(names)} "
        "collections, or its words have changed: index it with vouch index PATH"
    )


def _show(name: str, result: Resolved) -> None:
    print(clean(result.says))
    print(f"  collection {clean(name)}, document {result.document.id}")
    citation = result.citation
    if citation is None:
        return
    kind = KIND_NAMES.get(citation.kind, citation.kind)
    box = ", ".join(f"{v:.4f}" for v in citation.bbox.as_tuple())
    print(f"  page {citation.page}, {clean(kind)}, box {box} (fractions of the displayed page)")
    if citation.quote:
        print(f"  {shorten(citation.quote, 400)}")


def _to_json(name: str, result: Resolved) -> dict[str, Any]:
    return {
        "state": result.state,
        "says": result.says,
        "collection": name,
        "document": result.document.name,
        "doc_id": result.document.id,
        "sha256": result.document.sha256,
        "citation": result.citation.to_json() if result.citation else None,
    }
