"""`vouch conflicts`: the disagreements of a collection, as lines, as JSON, or as a page with pictures of the places."""

from __future__ import annotations

import base64
import json
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from configs import CommandParser
from ui.cli import add_collection, add_profile

if TYPE_CHECKING:
    from indexing import Collection, Document
    from plugins.conflicts.compare import ConflictingValues
    from plugins.conflicts.statements import StatedValue
    from rag import Citation, Judge, RagSettings
    from ui.export import Source

STOPPED = 130
MOST_PAIRS, MOST_LISTED = 5_000, 500
"""The most pairs of places that are looked at, and the most disagreements that are listed."""
_PAGES = 20
"""The pages that are read at a time."""


def add_options(parser: CommandParser) -> None:
    """Add the options of `vouch conflicts`."""
    add_collection(parser)
    parser.add_argument(
        "--documents", "-d", nargs="+", default=[], metavar="D", help="compare only these, by name or id"
    )
    parser.add_argument("--format", choices=("text", "html", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--out", "-o", metavar="FILE", help="write to this file, not to the terminal")
    parser.add_argument(
        "--confirm", action="store_true", help="ask the profile's model about each, and leave out what it denies"
    )
    add_profile(parser)


def run(args: Namespace) -> int:
    """Run `vouch conflicts`: print where documents disagree, and return 0, or 130 where Ctrl-C ended the reading."""
    from indexing import Collection
    from plugins.conflicts.compare import disagreements_of, is_confirmed, pairs_of
    from rag import load_profile
    from ui.cli import existing_collection
    from ui.export import check_free

    profile = load_profile(args.profile)
    target = Path(args.out) if args.out else None
    if target is not None:
        check_free({target: b""})  # an error before minutes of reading
    with Collection.open(existing_collection(args.collection), settings=profile.indexing) as collection:
        documents = [collection.document(name) for name in args.documents] or collection.documents()
        judge = _judge(collection, profile.rag) if args.confirm else None
        statements, stopped = _read(collection, list(dict.fromkeys(documents)))
        results = disagreements_of(islice(pairs_of(statements), MOST_PAIRS))
        results = [one for one in results if judge is None or is_confirmed(one, judge)]
        text = _format_list(args.format, collection, results[:MOST_LISTED])
        _deliver(text, target)
    if len(results) > MOST_LISTED:
        print(
            f"vouch: {len(results):,} were found, and the first {MOST_LISTED} listed: narrow it by --documents",
            file=sys.stderr,
        )
    if stopped:
        print("vouch: stopped: what was read until then was compared.", file=sys.stderr)
    return STOPPED if stopped else 0


def _judge(collection: Collection, settings: RagSettings) -> Judge | None:
    """Return the model of the profile as a judge. Raises NoModel without one, ServerDown where it does not answer."""
    from rag import Crops, Pipeline
    from rag.attribution import judge_of

    pipeline = Pipeline(collection, settings)
    pipeline.check_model()
    crops = Crops(collection, settings.writing.page_width, settings.writing.picture_side)
    return judge_of(settings, pipeline.model, crops, None)


def _read(collection: Collection, documents: Sequence[Document]) -> tuple[list[StatedValue], bool]:
    """Return the statements of all pages, and True where Ctrl-C ended the reading; progress goes to stderr."""
    from indexing import Progress, Words
    from plugins.conflicts.statements import statements_of
    from ui.cli import shown_progress

    statements: list[StatedValue] = []
    start, total, done = time.monotonic(), sum(d.n_pages for d in documents), 0
    with shown_progress(sys.stderr, quiet=True) as show:
        try:
            for at, document in enumerate(documents):
                for first in range(1, document.n_pages + 1, _PAGES):
                    numbers = range(first, min(first + _PAGES, document.n_pages + 1))
                    for elements in collection.elements_on([(document.id, n) for n in numbers]):
                        for element in elements:  # without the places of words, which are most of its memory
                            statements += statements_of(replace(element, words=Words.none()), document)
                        done += 1
                        show(Progress(document.name, at, len(documents), done, total, time.monotonic() - start))
        except KeyboardInterrupt:
            return statements, True
    return statements, False


def _format_list(form: str, collection: Collection, results: Sequence[ConflictingValues]) -> str:
    """Return the disagreements as text, HTML or JSON (`form`), each place with its citation."""
    places = [[[(one, _citation(collection, one)) for one in side] for side in result.sides] for result in results]
    if form == "json":
        values = [
            {"text": str(result), "sides": [
                {"value": side[0][0].wording, "places": [citation.to_json() for _, citation in side]} for side in sides
            ]}
            for result, sides in zip(results, places, strict=True)
        ]  # fmt: skip
        return json.dumps(values, indent=2) + "\n"
    if form == "html":
        return _page(collection, results, places)
    return "\n".join(_lines(collection.name, results, places)) + "\n"


def _citation(collection: Collection, one: StatedValue) -> Citation:
    """Return the citation of a statement, whose element is read again for its boxes."""
    from plugins.conflicts.compare import citation_of
    from rag import Evidence

    (elements,) = collection.elements_on([(one.document.id, one.element.page)])
    element = next((e for e in elements if e.id == one.element.id), one.element)
    return citation_of(one, Evidence("", element, one.document.name, 0.0))


Places = Sequence[Sequence[tuple["StatedValue", "Citation"]]]
"""The places of a disagreement, by side."""


def _lines(name: str, results: Sequence[ConflictingValues], places: Sequence[Places]) -> Iterator[str]:
    from ui.show import clean, count_of, shorten

    yield f"{clean(name)}: {count_of(len(results), 'disagreement') if results else 'no disagreement was found.'}"
    for number, (result, sides) in enumerate(zip(results, places, strict=True), 1):
        yield f"\n{number}. {clean(str(result))}"
        for side in sides:
            for one, citation in side:
                head = f"{clean(citation.document)}, {clean(citation.where)}"
                yield f"   {clean(one.wording)}  {head}: {shorten(clean(one.statement), 160)}"


def _page(collection: Collection, results: Sequence[ConflictingValues], places: Sequence[Places]) -> str:
    """Return a self-contained HTML page with pictures of all places, those of one disagreement side by side."""
    from rag import Answer, Sentence
    from ui.export import MARK, gather
    from ui.show import render

    sentences = tuple(
        Sentence(str(result), tuple(citation for side in sides for _, citation in side), "computed")
        for result, sides in zip(results, places, strict=True)
    )
    question = f"Where do the documents of {collection.name} disagree?"
    contents = gather(Answer(question, "text", sentences, (), 0.0, {}, ""), collection)
    sources = {source.citation: source for source in contents.sources}

    def with_base64(source: Source) -> tuple[Source, str]:
        return source, base64.b64encode(source.png).decode()

    rows = [
        (result, [(one, *with_base64(sources[citation])) for side in sides for one, citation in side])
        for result, sides in zip(results, places, strict=True)
    ]
    page = render(
        "plugins.conflicts:templates/conflicts.html", mark=MARK, question=question, rows=rows, notes=contents.notes
    )
    return f"{page}\n"


def _deliver(text: str, target: Path | None) -> None:
    from ui.export import write_atomically

    if target is None:
        sys.stdout.write(text)
    else:
        write_atomically(target, text.encode(errors="replace"))
        print(f"Wrote {target}", file=sys.stderr)
