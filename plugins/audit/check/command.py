"""`vouch check`: a text that somebody else wrote, read from a file or from standard input, with its progress."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.audit.check.copies import Checkup, annotated_copy, copy_form
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts import Manuscript, read_manuscript, suffix_of
from plugins.audit.progress import checked_answer
from rag import Answer, Event, Pipeline, load_profile
from ui.cli import STOPPED, fail, open_collection, password_of, report_answer, status_line
from ui.export import form_of
from ui.show import Moment

if TYPE_CHECKING:
    from indexing import IndexingSettings

_MOST_INPUT = 200_000_000
"""The most bytes that are read from standard input; plain text has a lower limit."""


def run(args: Namespace) -> int:
    """Run `vouch check`. Unproven statements are a result, not a failure: the exit code is 0.

    Ctrl-C ends the checking of statements; those checked are printed and written, and the exit code is 130.
    """
    if args.export:
        form_of(Path(args.export))
    profile = load_profile(args.profile)
    password = password_of(args)
    with text_file(args.text) as path:
        name = "standard input" if args.text == "-" else path.name
        manuscript = read_text(path, name if args.text == "-" else "", password, profile.indexing, quiet=args.json)
        if args.annotated:
            copy_form(Path(args.annotated), manuscript.form, path)
        collection = open_collection(args, profile, password)
        pipeline = Pipeline(collection, profile.rag)
        events = pipeline.stream_check(
            manuscript.statements, args.question or "", documents=args.documents, where=args.where
        )
        answer, stopped = follow_check(events, name, quiet=args.json)
        checkup = Checkup(path, manuscript, answer, profile.indexing, password)
        write_copy = partial(annotated_copy, checkup)
        code = report_answer(args, answer, collection, values=checkup.to_json(), write_copy=write_copy)
    return fail("stopped: the results so far are above.", STOPPED) if stopped else code


@contextmanager
def text_file(path: str) -> Iterator[Path]:
    """Yield the path of a text; standard input, for `-`, is kept in a file that is deleted afterwards.

    Raises DocumentUnreadable for an input that cannot be read, or is too large.
    """
    if path != "-":
        yield Path(path)
        return
    try:
        data = sys.stdin.buffer.read(_MOST_INPUT + 1)
    except (OSError, ValueError) as error:
        raise DocumentUnreadable(f"standard input: cannot be read ({error}): name a file") from None
    if len(data) > _MOST_INPUT:
        raise DocumentUnreadable(f"standard input: more than {_MOST_INPUT // 1_000_000} MB: check it in parts")
    with tempfile.TemporaryDirectory(prefix="vouch-") as folder:
        text_path = Path(folder) / f"input{suffix_of(data)}"
        text_path.write_bytes(data)
        yield text_path


def read_text(path: Path, name: str, password: str | None, settings: IndexingSettings, *, quiet: bool) -> Manuscript:
    """Return the manuscript of a file. Raises DocumentUnreadable, FileError."""
    with status_line(quiet=quiet) as status:
        return read_manuscript(
            path,
            password,
            name=name,
            settings=settings,
            on_page=lambda done, total: status(f"reading: page {done}/{total}"),
        )


def follow_check(events: Generator[Event], name: str, *, quiet: bool) -> tuple[Answer, bool]:
    """Return the checked text, and True if Ctrl-C stopped it: then it has only the statements checked so far.

    Its heading is the question, or `name`. Ctrl-C before the first statement is raised.
    """
    moment = Moment()
    try:
        with closing(events), status_line(quiet=quiet) as status:
            for event in events:
                moment = moment.after(event)
                if moment.drafted and moment.answer is None:
                    status(f"checking statements: {len(moment.checked)}/{len(moment.drafted)}")
    except KeyboardInterrupt:
        if not moment.checked:
            raise
    return checked_answer(moment, name), moment.answer is None
