"""A collection in shards on machines of their own: one shard's search and the merge are measured, the rest is on paper.

    python -m evaluation.benches.scale.shards --eval DIR --home HOME --collection NAME [--total 10000000]
                                     [--shards 16 64] [--pages 100000] [--questions 20] [--made DIR] [--gbit 1]

A shard of `--pages` made pages (`made_pages`), with elements and full text, is asked as one of so many shards of a
collection of `--total` pages: it chooses, scores exactly and returns as many candidates as a shard of that collection
does, if it has so many pages. The first stage and full text depend on its own pages, so that the truth needs --pages of
total/shards; where it has fewer pages than a stage should choose, that is told.

shard         The request for candidates: by the clock (median, 95%) and in processor time of this process.
asked, told   Bytes of that request and of its reply, as Python sends them (`pickle`, protocol 5).
merge         Putting the replies of all shards together and ranking them, by the clock (median, 95%). The replies are
              one reply, as often as there are shards: of the same sizes, with ties that distinct ones have not.
network       On paper: all replies, and the questions, one after the other over the one link of the machine that
              merges, of `--gbit` Gbit/s.
together      The shard's 95%, the merge's median and the network: the slowest of many machines decides.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.benches.inputs import add_collection_options, home_of, indexed, parser, questions
from evaluation.benches.scale.made_pages import PageMaker
from evaluation.benches.scale.written import write_pages
from evaluation.tables import median, percentile, print_table
from indexing import Collection, Hints, IndexingSettings, SearchSettings
from indexing.embed import MiniLM
from indexing.search import Candidates, LocalShard, ShardQuery, growth, merged, ranked, share_of
from indexing.store import Store

LIMIT = 10
"""The number of elements that a question asks for."""


@dataclass(frozen=True, slots=True)
class ShardTimes:
    """The measurements for one number of shards: milliseconds, bytes and elements of each question."""

    shard: list[float]
    processor: list[float]
    merge: list[float]
    asked: list[int]
    told: list[int]
    elements: list[int]


def of_a_shard(settings: SearchSettings, total: int, shards: int, pages: int) -> SearchSettings:
    """Return settings by which one shard of `pages` alone chooses as many candidates as one of `shards` of `total`."""
    own = growth(pages)
    coded, exact = (
        max(1, round(share_of(count * grown, shards) / here))
        for count, grown, here in zip(
            (settings.code_candidates, settings.exact_candidates), growth(total), own, strict=True
        )
    )
    return settings.model_copy(update={"code_candidates": coded, "exact_candidates": exact})


def tell_of_few_pages(settings: SearchSettings, shards: int, pages: int) -> None:
    """Say which stages the shard has too few pages for: they do less than one of `shards` does."""
    coded, exact = growth(pages)
    stages = {"second": settings.code_candidates * coded, "exact": settings.exact_candidates * exact}
    for name, count in stages.items():
        if count > pages:
            print(
                f"{shards} shards: the {name} stage has {pages:,} pages, and should have {count:,.0f}", file=sys.stderr
            )


def measured(shard: LocalShard, queries: Sequence[ShardQuery], shards: int) -> ShardTimes:
    """Ask the shard every question, and merge its reply so many times."""
    times = ShardTimes([], [], [], [], [], [])
    for query in queries:
        start, used = time.perf_counter(), time.process_time()
        found = shard.candidates(query)
        times.shard.append(1000 * (time.perf_counter() - start))
        times.processor.append(1000 * (time.process_time() - used))
        if found is None:
            continue
        times.asked.append(len(pickle.dumps(query, 5)))
        times.told.append(len(pickle.dumps(found, 5)))
        times.elements.append(len(found.keys))
        times.merge.append(_merge_ms([found] * shards, query))
    return times


def _merge_ms(found: Sequence[Candidates], query: ShardQuery) -> float:
    start = time.perf_counter()
    together = merged(found)
    ranking = ranked(together, query.settings, "text", None, len(query.worded))
    ranking.best(LIMIT)
    ranking.pages(together, LIMIT)
    return 1000 * (time.perf_counter() - start)


def network_ms(sent: float, gbit: float) -> float:
    """Return the milliseconds that so many bytes take over a link of `gbit` Gbit/s that nobody else uses."""
    return sent * 8 / (gbit * 1e9) * 1000


def row(times: ShardTimes, pages: int, shards: int, gbit: float) -> tuple[str, ...]:
    """Return a row of the table."""
    asked, told = median(times.asked), median(times.told)
    network = network_ms((asked + told) * shards, gbit)
    slowest, merge = percentile(times.shard, 0.95), median(times.merge)
    return (
        f"{shards}", f"{pages:,}", f"{median(times.elements):,.0f}", f"{median(times.shard):.0f}", f"{slowest:.0f}",
        f"{median(times.processor):.0f}", f"{asked / 1000:.0f}", f"{told / 1000:.0f}", f"{merge:.0f}",
        f"{percentile(times.merge, 0.95):.0f}", f"{network:.0f}", f"{slowest + merge + network:.0f}",
    )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    options = parser(__doc__)
    add_collection_options(options)
    add = options.add_argument
    add("--total", type=int, default=10_000_000, help="the pages of the collection (default: %(default)s)")
    add("--shards", type=int, nargs="+", default=[16, 64], help="its shards (default: %(default)s)")
    add("--pages", type=int, default=100_000, help="the pages of the shard that is made (default: %(default)s)")
    add(
        "--questions",
        type=int,
        default=20,
        metavar="N",
        help="the number of questions, spread over all (default: %(default)s)",
    )
    add("--gbit", type=float, default=1.0, help="the link of the machine that merges (default: %(default)s)")
    add("--made", type=Path, metavar="DIR", help="keep the made shard in DIR/PAGES/made, or take it from there")
    asked: argparse.Namespace = options.parse_args(argv)
    rows = []
    with home_of(asked) as home, tempfile.TemporaryDirectory(prefix="vouch-shards-") as folder:
        collection = indexed(asked, home)
        every = questions(asked, {d.name for d in collection.documents()})
        chosen = every[:: max(1, len(every) // asked.questions)][: asked.questions]
        model = MiniLM(threads=1)
        made = Collection.create(
            "made", (asked.made or Path(folder)) / str(asked.pages), IndexingSettings(visual="none")
        )
        if not made.documents():
            snapshot = collection.snapshots()[0]
            elements = snapshot.elements(snapshot.element_keys()["_rowid"].to_pylist())
            write_pages(PageMaker(snapshot, model.codebook()), made, asked.pages, [e.text for e in elements if e.text])
        shard = LocalShard(Store(made.path / "db", model.codebook().shape[1]), model)
        shard.warm()
        for shards in asked.shards:
            settings = of_a_shard(SearchSettings(), asked.total, shards, asked.pages)
            tell_of_few_pages(settings, shards, asked.pages)
            queries = [
                ShardQuery({"text": [model.embed_query(q.text)]}, [q.text], Hints(), (), settings) for q in chosen
            ]
            shard.candidates(queries[0])  # compiles what is not yet compiled
            rows.append(row(measured(shard, queries, shards), asked.pages, shards, asked.gbit))
            print(f"{shards} shards: done", file=sys.stderr)
    columns = (
        "shards", "pages of the shard", "elements told", "shard ms", "95% ms", "processor ms", "asked KB", "told KB",
        "merge ms", "95% ms", "network ms (paper)", "together ms (paper)",
    )  # fmt: skip
    print_table(f"a collection of {asked.total:,} pages, {len(chosen)} questions, each asked once", columns, rows)


if __name__ == "__main__":
    main()
