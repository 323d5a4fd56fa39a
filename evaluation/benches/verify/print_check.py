"""The print check on honest documents: how often it accuses one, and how long it takes.

    python -m evaluation.benches.verify.print_check --home HOME --collection NAME [--quotes N] [--pages N] [--seed N]

A quote is a sentence, or a row of a table, of an element with a text layer, drawn at random: first the document, then
the page, the element and the sentence. It is compared with what its page shows, as a cited one is
(`indexing.parse.likeness`), and printed where they differ, for a person to judge. For `--pages` pages, drawn alike, it
is counted how many have fonts in doubt, and how many of them are read by OCR for that (`indexing.parse.font_maps`).
Times are of the processor, one thread, without loading models.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pymupdf

from evaluation.benches.inputs import add_collection_options, home_of, indexed, parser
from evaluation.tables import percentile
from indexing import Collection, Document, Element, Mismatch, layer_lines
from indexing.parse import alphabet, doubtful_glyphs, is_disguised, layer_words, text_frame, unlike
from rag import sentence_spans

LEAST = 10
"""The least characters of a quote."""
UNQUOTED = ("header", "footer", "group")


@dataclass(frozen=True, slots=True)
class ComparedQuote:
    """A quote with what its page shows otherwise: its place, words, lines, and milliseconds."""

    document: Document
    page: int
    element: Element
    quote: str
    lines: int
    mismatches: tuple[Mismatch, ...]
    milliseconds: float


def drawn_pages(collection: Collection, seed: int) -> Iterator[tuple[Document, int, pymupdf.Page]]:
    """Yield pages at random, without end: a document, then one of its pages."""
    chance, documents = random.Random(seed), collection.documents()  # noqa: S311  no secret
    while True:
        document = chance.choice(documents)
        number = chance.randint(1, document.n_pages)
        with pymupdf.open(collection.originals.path(document)) as opened:
            yield document, number, opened[number - 1]


def compared(collection: Collection, seed: int) -> Iterator[ComparedQuote]:
    """Yield the comparisons of quotes drawn at random, without end."""
    chance = random.Random(seed)  # noqa: S311  no secret
    for document, number, page in drawn_pages(collection, seed):
        elements = [e for e in collection.page_elements(document.id, number) if e.kind not in UNQUOTED]
        elements = [e for e in elements if e.source == "layer" and len(e.words)]
        if not elements:
            continue
        element = chance.choice(elements)
        rows = [m.span() for m in re.finditer(r"[^\n]+", element.text)]
        spans = [(a, b) for a, b in (rows if element.cells else sentence_spans(element.text)) if b - a >= LEAST]
        if not spans:
            continue
        start, end = chance.choice(spans)
        lines = layer_lines([element], element.words.line_boxes(start, end))
        if lines:
            began = time.process_time()
            found = unlike(page, lines)
            taken = 1000 * (time.process_time() - began)
            counted = tuple(m for m in found if m.agreed or element.kind != "picture")
            yield ComparedQuote(document, number, element, element.text[start:end], len(lines), counted, taken)


def report_quotes(collection: Collection, count: int, seed: int) -> None:
    """Print the share of quotes that differ, each of them, and the time a line takes."""
    alphabet()
    made = list(islice(compared(collection, seed), count))
    differing = [c for c in made if c.mismatches]
    for c in differing:
        pairs = "; ".join(f"{m.text!r} -> {m.shown!r}" for m in c.mismatches[:4])
        print(f"  {c.document.name}, page {c.page}, {c.element.kind}: {c.quote[:70]!r}: {pairs}")
    lines = sum(c.lines for c in made)
    each = [c.milliseconds / c.lines for c in made]
    print(f"{len(made)} quotes, {lines} lines: {len(differing)} differ ({len(differing) / max(len(made), 1):.1%})")
    plain = [c for c in made if c.element.kind != "picture"]
    print(f"outside pictures: {sum(bool(c.mismatches) for c in plain)} of {len(plain)}")
    mean = sum(c.milliseconds for c in made) / max(lines, 1)
    print(f"ms a line: mean {mean:.0f}; mean line of a quote: median {percentile(each, 0.5):.0f}, 95th percentile "
          f"{percentile(each, 0.95):.0f}")  # fmt: skip


def report_pages(collection: Collection, count: int, seed: int) -> None:
    """Print the share of pages whose fonts are in doubt, of those that are read by OCR for it, and the time of both."""
    doubtful, read, taken = 0, 0, []
    for document, number, page in islice(drawn_pages(collection, seed), count):
        frame = text_frame(page)
        words = layer_words(frame.page)
        began = time.process_time()
        if doubtful_glyphs(frame.page):
            doubtful += 1
            if is_disguised(frame.page, words):
                read += 1
                print(f"  {document.name}, page {number}: its fonts are in doubt, and it shows other words")
        taken.append(1000 * (time.process_time() - began))
    print(f"{count} pages: the fonts of {doubtful} are in doubt, {read} are read by OCR ({read / max(count, 1):.1%});")
    print(f"{np.mean(taken):.0f} ms a page in the mean")


def main() -> None:
    """Measure the print check on the documents of a collection."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument(
        "--quotes", type=int, default=300, help="the number of quotes to compare (default: %(default)s)"
    )
    options.add_argument("--pages", type=int, default=300, help="the number of pages to look at (default: %(default)s)")
    options.add_argument("--seed", type=int, default=7, help="the seed of the sample (default: %(default)s)")
    args = options.parse_args()
    with home_of(args) as home:
        collection = indexed(args, home)
        report_quotes(collection, args.quotes, args.seed)
        report_pages(collection, args.pages, args.seed)


if __name__ == "__main__":
    main()
