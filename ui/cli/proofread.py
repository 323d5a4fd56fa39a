"""`vouch proofread`: compare texts with their pages; the report goes to stdout, progress to stderr."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from indexing import Collection, LookedPage, Mismatch, Progress, look_ahead
from rag import load_profile
from ui.cli.commands import STOPPED, existing_collection
from ui.cli.password import password_of
from ui.cli.progress import OnProgress, graceful_end, shown_progress
from ui.cli.terminal import fail, print_json
from ui.show import clean, counted, shorten

_MOST_PAGES, _MOST_WORDS, _LONGEST = 40, 3, 40
"""The most pages that the report names, the most words of each, and the most characters of each word."""


def proofread(args: Namespace) -> int:
    """Look at the pages of a collection, and report; return the exit code."""
    profile = load_profile(args.profile)
    settings = profile.indexing.with_values(workers=args.workers)
    name = existing_collection(args.collection)
    pages: list[LookedPage] = []
    with Collection.open(name, settings=settings) as collection:
        if password := password_of(args):
            collection.take_password(password)
        with shown_progress(sys.stderr, quiet=args.json) as show, graceful_end() as ended:
            stopped = False
            try:
                for page in _pages(collection, settings.workers, show):
                    pages.append(page)
                    if stopped := ended.is_set():
                        break
            except KeyboardInterrupt:
                stopped = True
        total = sum(document.n_pages for document in collection.documents())
    stopped = stopped and len(pages) < total
    if args.json:
        print_json(_report(pages, total))
    else:
        for line in _lines(name, pages, total):
            print(line)
    if unsaved := sum(not page.kept for page in pages):
        warning = f"the results for {counted(unsaved, 'page')} could not be saved in {collection.path}"
        fail(f"{warning}: make room there and run the same command again.")
    if stopped:
        return fail("stopped: run the same command again to continue.", STOPPED)
    return 1 if unsaved or any(page.error for page in pages) else 0


def _pages(collection: Collection, processes: int, show: OnProgress) -> Iterator[LookedPage]:
    """Yield every page once it was looked at, and show how far it is."""
    documents = collection.documents()
    total, start = sum(d.n_pages for d in documents), time.monotonic()
    before = 0
    numbers = {document.id: n for n, document in enumerate(documents)}
    with closing(look_ahead(collection, processes, again=True)) as pages:
        for done, page in enumerate(pages, 1):
            at = numbers.get(page.document.id, 0)
            seconds = time.monotonic() - start
            before += page.before
            show(Progress(page.document.name, at, len(documents), done, total, seconds, page=page.page, reused=before))
            yield page


def _report(pages: list[LookedPage], total: int) -> dict[str, Any]:
    """Return the report as JSON has it: the pages whose text and print differ, and those that could not be seen."""
    return {
        "pages_total": total,
        "pages_looked_at": sum(not page.error for page in pages),
        "lines": sum(page.lines for page in pages),
        "lines_that_agree": sum(page.agree for page in pages),
        "pages": [
            {
                "document": page.document.name,
                "page": page.page,
                "lines": page.lines,
                "lines_that_agree": page.agree,
                "differs": [{"text": m.text, "shown": m.shown} for m in page.mismatches],
                "error": page.error,
            }
            for page in pages
            if page.mismatches or page.error
        ],
    }


def _lines(name: str, pages: list[LookedPage], total: int) -> Iterator[str]:
    """Yield the lines of the report."""
    readable = [page for page in pages if not page.error]
    lines, agree = sum(page.lines for page in readable), sum(page.agree for page in readable)
    text = f"all {lines:,} lines show" if agree == lines else f"{agree:,} of {lines:,} lines show"
    of = counted(total, "page") if len(readable) == total else f"{len(readable):,} of {counted(total, 'page')}"
    yield f"{clean(name)}: {of} looked at, {text} what their text says."
    other = [page for page in readable if page.mismatches]
    for page in other[:_MOST_PAGES]:
        words = "; ".join(_difference(each) for each in page.mismatches[:_MOST_WORDS])
        more = len(page.mismatches) - _MOST_WORDS
        rest = f"; and {more} more" if more > 0 else ""
        yield f"  {clean(page.document.name)}, page {page.page}: {words}{rest}"
    if len(other) > _MOST_PAGES:
        yield f"  and {len(other) - _MOST_PAGES:,} more pages: --json has them all"
    for error in dict.fromkeys(page.error for page in pages if page.error):
        yield f"  {clean(error)}"


def _difference(mismatch: Mismatch) -> str:
    """Say what the text has, and what the page shows in its place."""
    said, shown = (shorten(clean(word), _LONGEST) for word in (mismatch.text, mismatch.shown))
    if not mismatch.text:
        return f"it shows “{shown}”, which its text does not have"
    if not mismatch.shown:
        return f"it does not show “{said}”, which its text has"
    return f"it shows “{shown}” where its text has “{said}”"
