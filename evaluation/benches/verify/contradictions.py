"""How often is "contradicted" right? False and true sentences of an index, each checked in its whole document.

    python -m evaluation.benches.verify.contradictions [--eval DIR] [--home HOME --collection NAME] [--show]

The false ones have one thing changed (`pairs.py`): contradicted is right for them, and the place is right if it is the
element that the sentence was made of. The true ones must not be contradicted: neither as they are, nor when their own
page is hidden, so that only what speaks of something else is left. Nothing of the documents is kept.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from evaluation.benches.inputs import add_collection_options, home_of, indexed, parser
from evaluation.benches.verify.pairs import Pair, pairs
from evaluation.progress import say
from indexing import Collection, Element
from rag import Evidence, Sentence
from rag.attribution import Checker

CHANGED = ("number", "swapped number", "year", "unit", "entity", "negation", "direction", "row", "column")
"""The changes that leave a sentence about the same thing."""
FOUND, SEEN = 24, 8
"""The elements that are searched for, so that a hidden page leaves enough, and those that are looked at."""
HIDDEN = "true, its page hidden"


def drawn(collection: Collection, count: int, seed: int) -> list[Pair]:
    """Return `count` false and `count` true sentences of all documents, the same for the same seed."""
    elements: dict[str, list[Element]] = {}
    for document in collection.documents():
        pages = range(1, document.n_pages + 1)
        every = (e for page in pages for e in collection.page_elements(document.id, page))
        elements[document.name] = [e for e in every if e.kind != "group"]
    made = pairs(elements, per_kind=8)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    false, true = [p for p in made if p.kind in CHANGED], [p for p in made if p.label]
    return [p for some in (false, true) for p in chance.sample(some, min(count, len(some)))]


def checked(pair: Pair, found: Sequence[Element], *, hidden: bool) -> Sentence:
    """Return the sentence of a pair, held against what was found for it, its own page left out where that is hidden."""
    kept = [e for e in found if not (hidden and e.page == pair.element.page)][:SEEN]
    evidence = [Evidence(f"E{n}", element, pair.document, 0.0) for n, element in enumerate(kept, 1)]
    return Checker()(pair.sentence, (), evidence)


def main() -> None:
    """Check the sentences and print what was called what."""
    options = parser(__doc__)
    add_collection_options(options)
    options.add_argument("--count", type=int, default=300, help="the number of each kind (default: %(default)s)")
    options.add_argument("--seed", type=int, default=11, help="the seed of the sample (default: %(default)s)")
    options.add_argument(
        "--show",
        action="store_true",
        help="print the claims that were contradicted elsewhere, or although they are true",
    )
    asked = options.parse_args()
    with home_of(asked) as home:
        collection = indexed(asked, home)
        ids = {document.name: document.id for document in collection.documents()}
        said: dict[str, Counter[str]] = {}
        chosen = drawn(collection, asked.count, asked.seed)
        own = 0
        for number, pair in enumerate(chosen, 1):
            hits = collection.search(pair.sentence, doc_ids=[ids[pair.document]], limit=FOUND).hits
            for hidden in (False, True) if pair.label else (False,):
                sentence = checked(pair, [hit.element for hit in hits], hidden=hidden)
                kind = pair.kind if not pair.label else HIDDEN if hidden else "true"
                said.setdefault(kind, Counter())[sentence.verdict] += 1
                against = sentence.citations if sentence.verdict == "contradicted" else ()
                there = any(c.element_id == pair.element.id for c in against)
                own += there
                if asked.show and against and not there:
                    print(f"\n{kind}: {pair.sentence}\n  {sentence.reason}: {against[0].quote[:200]}")
            say("sentences", number, len(chosen))
    false = sum((said.get(kind, Counter()) for kind in CHANGED), Counter[str]())
    print()
    for kind, counts in (*said.items(), ("all that are false", false)):
        print(f"{kind:22}", ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    print(f"false ones contradicted by the place that they were made of: {own} of {false['contradicted']}")


if __name__ == "__main__":
    main()
