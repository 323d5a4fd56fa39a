"""Compare statements and the values of an answer: which give different values for the same thing."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from indexing import Document, Element
from indexing.language import STOPWORDS, Quantity, agree, lexicon_words, names_date, stem, tokens
from plugins.conflicts.statements import LEAST_WORDS, Around, StatedValue, statements_of, year_of
from rag import CLAIMED, Citation, Crops, Evidence, Judge, Sentence
from rag.attribution import boxes_of, judge_of, localize
from rag.methods import Draft, MethodContext

ROUNDING = 0.025
"""The most by which a round number may differ from what it rounds, as a share: 6,500 for 6,489, not 100 for 95."""
SCALES = (1e2, 1e3, 1e6)
"""The factors by which numbers differ whose scale one of the places does not say."""
LEAST_LISTED = 3
"""The different values of one thing from which on a document lists them, and does not disagree with itself."""
MOST_NAMED, MOST_NAME = 3, 60
"""The most documents that are named beside a value, and the most characters of a name."""
MOST_PARTNERS = 400
"""The most statements with the same rarest word that one is compared with."""
_GENERIC = frozenset(stem(word) for entry in ("document_nouns", "counting_words", "common_headings", "light_words")
                     for word in lexicon_words(entry))  # fmt: skip


_AUTHORS = frozenset(stem(word) for word in {*lexicon_words("authors")}.difference(lexicon_words("document_nouns")))
"""The stems of who speaks in a document: "the company" is another in each."""


@dataclass(frozen=True, slots=True)
class ConflictingValues:
    """The places that state different values of one thing: a side for each value, the newest and most cited first."""

    sides: tuple[tuple[StatedValue, ...], ...]

    def __str__(self) -> str:
        """Return `report.pdf says 41%, slides.pdf 39%`, with pages where a document is on both sides."""
        documents = [{s.document.id for s in side} for side in self.sides]
        paged = any(a & b for a, b in combinations(documents, 2))
        verbs = ["says " if len(documents[0]) == 1 else "say ", *("" for _ in self.sides[1:])]
        sides = zip(self.sides, verbs, strict=True)
        return ", ".join(f"{_places(side, paged=paged)} {verb}{side[0].wording}" for side, verb in sides)


def disagree(one: StatedValue, other: StatedValue) -> bool:
    """Return True if two places state different values of the same thing, judged by their words.

    Two tables of one document are never compared: what distinguishes their rows is often outside of them.
    """
    a, b = one.value, other.value
    is_name = a.kind == b.kind == "label"
    if one.element.id == other.element.id or a.kind != b.kind or a.sign != b.sign or (a.unit != b.unit and not is_name):
        return False
    if one.in_table and other.in_table and one.document.id == other.document.id:
        return False
    return _differ(a, b) and _same_subject(one, other) and _same_period(one, other) and _same_numbers(one, other)


def _differ(a: Quantity, b: Quantity) -> bool:
    """Return True if two values differ by more than rounding and scale; names if they share no word."""
    if a.kind == "label":
        return set(a.unit.split()).isdisjoint(b.unit.split())
    if agree(a, b) or agree(b, a):
        return False
    if a.kind == "moment":
        return True
    x, y = abs(a.value), abs(b.value)
    coarse = max(a.place, b.place)
    is_rounding = abs(x - y) <= coarse / 2 * (1 + 1e-9) and (coarse <= 1 or abs(x - y) <= ROUNDING * max(x, y))
    if a.place != b.place and is_rounding:
        return False
    return not (x and y) or not any(math.isclose(max(x, y) / min(x, y), times, rel_tol=0.01) for times in SCALES)


def _same_subject(one: StatedValue, other: StatedValue) -> bool:
    """Return True if each has all subject words of the other, itself or above it (cells: the same words, like titles).

    In different documents they must also share a name, or the documents a topic, as far as both have one.
    """
    mine, theirs = one.subject | one.around.words, other.subject | other.around.words
    if one.in_table and other.in_table:
        same = (
            one.subject == other.subject and len(mine & theirs) > LEAST_WORDS and _same_title(one.around, other.around)
        )
    else:
        same = one.subject <= theirs and other.subject <= mine
    if not same or one.document.id == other.document.id or one.names & other.names:
        return same
    topics = topics_of(one.document), topics_of(other.document)
    return bool(topics[0] & topics[1]) or not (all(topics) or _AUTHORS & one.subject)


def _same_title(one: Around, other: Around) -> bool:
    """Return True if one title contains the other, or two only headings share half of their words."""
    if one.title <= other.title or other.title <= one.title:
        return True
    shared = len(one.title & other.title)
    return one.is_lone and other.is_lone and 2 * shared >= min(len(one.title), len(other.title))


@lru_cache(maxsize=4096)
def _topics(text: str) -> frozenset[str]:
    words = (word for word in re.findall(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])", text) if not names_date(word))
    return frozenset(stem(word) for word in words if word.lower() not in STOPWORDS) - _GENERIC


def topics_of(document: Document) -> frozenset[str]:
    """Return the stems in a document's name and title that say what it is about: no "report", no "slides"."""
    return _topics(f"{document.name.rpartition('.')[0]} {document.title}"[:500])


def _same_period(one: StatedValue, other: StatedValue) -> bool:
    """Return True if the times agree: the same, none in documents of one year, or the year of the other's document."""
    if one.value.kind == "moment" or (one.periods and one.periods == other.periods):
        return True
    if one.periods and other.periods:
        return False
    years = year_of(one.document), year_of(other.document)
    if not one.periods and not other.periods:
        return (not all(years) or years[0] == years[1]) and not _in_series(one.document.name, other.document.name)
    return (one.periods or other.periods) == {(years[bool(one.periods)], 0, 0, 0)}


def _in_series(one: str, other: str) -> bool:
    """Return True for names that differ in numbers or dates alone: minutes-may.pdf, minutes-june.pdf."""
    parts = [re.findall(r"[^\W\d_]+|\d+", name[:500]) for name in (one, other)]
    kinds = [["#" if part.isdigit() or names_date(part) else part for part in of] for of in parts]
    return parts[0] != parts[1] and kinds[0] == kinds[1]


def _same_numbers(one: StatedValue, other: StatedValue) -> bool:
    """Return True if the other numbers of both sentences are the same, and the same word follows both values."""
    if one.others and not one.in_table and not other.in_table and one.beside != other.beside:
        return False
    rest = list(other.others)
    for mine in one.others:
        match = next((q for q in rest if agree(mine, q) or agree(q, mine)), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


def disagreements_of(pairs: Iterable[tuple[StatedValue, StatedValue]]) -> list[ConflictingValues]:
    """Merge pairs that share a statement, and group each result by value, that of the latest document first.

    Results in which one document states three values or more are dropped: it probably lists different things.
    """
    groups: list[list[StatedValue]] = []
    for pair in pairs:
        matching = [group for group in groups if any(one in group for one in pair)]
        groups = [group for group in groups if group not in matching]
        groups.append(list(dict.fromkeys(one for group in (*matching, pair) for one in group)))
    results = []
    for group in groups:
        sides: list[list[StatedValue]] = []
        for one in group:
            same = next((side for side in sides if not _differ(one.value, side[0].value)), None)
            sides.append([one]) if same is None else same.append(one)
        values = Counter(id_ for side in sides for id_ in {s.document.id for s in side})
        if len(sides) > 1 and max(values.values()) < LEAST_LISTED:
            sides.sort(key=lambda side: (max(date_of(s.document) for s in side), len(side)), reverse=True)
            results.append(ConflictingValues(tuple(map(tuple, sides))))
    return results


def _places(side: Sequence[StatedValue], *, paged: bool) -> str:
    """Return `report.pdf`, `report.pdf and slides.pdf`, or with pages `report.pdf, page 3,`."""
    names = dict.fromkeys(
        shorten_name(s.document.name) + (f", page {s.element.page}," if paged else "") for s in side
    )  # fmt: skip
    *most, last = list(names)[:MOST_NAMED]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (f"{', '.join(most)} and {last}" if most else last) + more


def shorten_name(name: str) -> str:
    """Return the name of a document in one line, cut in the middle where it is long."""
    name = " ".join(name.split())
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 20]}\u2026{name[-19:]}"


def date_of(document: Document) -> str:
    """Return the date that decides which document is newer: the year in its name or title, or its metadata's date."""
    year = str(year_of(document) or "")
    return document.metadata.date if document.metadata.date.startswith(year) else year


def pairs_of(statements: Sequence[StatedValue]) -> Iterator[tuple[StatedValue, StatedValue]]:
    """Yield the pairs that disagree, each once. Only statements with the rarest word of one of them are compared."""
    counts = Counter(word for one in statements for word in one.subject)
    rarest = [min(one.subject, key=lambda word: (counts[word], word)) for one in statements]
    having: dict[tuple[str, str], list[int]] = defaultdict(list)
    for n, one in enumerate(statements):
        for word in one.subject | one.around.words:
            having[word, _comparison_key(one)].append(n)
    for n, one in enumerate(statements):
        words = one.subject | one.around.words
        for m in having[rarest[n], _comparison_key(one)][:MOST_PARTNERS]:
            was_met = m < n and rarest[m] in words
            if m != n and not was_met and disagree(one, statements[m]):
                yield one, statements[m]


def _comparison_key(one: StatedValue) -> str:
    """Return the kind of values that one is compared with: numbers of the same unit, dates, or names."""
    return one.value.kind if one.value.kind == "label" else one.value.kind + one.value.unit


HEADING = "Documents disagree"
"""The heading over the disagreements that an answer is shown with."""
MOST_SHOWN, MOST_PLACES = 3, 4
"""The most disagreements beside an answer, and the most places that one of them cites."""
MOST_CITED = 40
"""The most values of an answer that are compared."""
REASON = "the same words with another value; code compared them"
LEAST_PROBABILITY = 0.5
"""The least probability, 0 to 1, with which a judge must find both values in one place to drop a pair."""


def remarks_on(draft: Draft, context: MethodContext) -> tuple[Sentence, ...]:
    """Return a sentence for each disagreement about a value that the answer cites, with citations of both sides."""
    evidence = {item.label: item for item in draft.evidence}
    documents = {document.id: document for document in context.collection.documents()}

    def read(label: str) -> list[StatedValue]:
        """Return the values that the evidence with this label states; none if its document is gone."""
        document = documents.get(evidence[label].element.doc_id)
        return statements_of(evidence[label].element, document) if document is not None else []

    values = {c.label: read(c.label) for s in draft.sentences for c in s.proof if c.label in evidence and not s.beside}
    citations: dict[StatedValue, Citation] = {}
    for sentence in draft.sentences:
        for citation in sentence.proof if not sentence.beside else ():
            for one in values.get(citation.label, ()):
                if _is_cited(one, sentence.text, citation.quote) and len(citations) < MOST_CITED:
                    citations.setdefault(one, citation)
    if not citations:
        return ()
    for label, item in evidence.items():
        if label not in values and _may_share_subject(item.element, citations):
            values[label] = read(label)
    others = {one: evidence[label] for label, every in values.items() for one in every}
    results = disagreements_of((one, other) for one in citations for other in others if disagree(one, other))
    judge = _judge(draft, context) if results else None
    remaining = [result for result in results if judge is None or is_confirmed(result, judge)]
    return tuple(_sentence(result, citations, others) for result in remaining[:MOST_SHOWN])


def _is_cited(one: StatedValue, text: str, quote: str) -> bool:
    """Return True if a sentence has the value of a statement, and its quote contains it or is not contiguous text."""
    at = one.element.text.find(quote)
    inside = at < 0 or at <= one.start < at + len(quote)
    return inside and re.search(rf"(?<!\w){re.escape(one.wording)}(?!\w)", text) is not None


def _may_share_subject(element: Element, own: Iterable[StatedValue]) -> bool:
    """Return True if an element has all subject words of one of the statements: a fast filter before reading it."""
    stems = {
        word for t in tokens(" ".join((element.text, element.caption, *element.section))) for word in (t.stem, t.key)
    }
    return any(one.subject <= stems for one in own)


def is_confirmed(result: ConflictingValues, judge: Judge) -> bool:
    """Return False if a judge finds that the element of the second side supports the statement of the first."""
    first, second = result.sides[0][0], result.sides[1][0]
    opinion = judge.judge(first.statement, [second.element])
    return opinion is None or opinion.probability < LEAST_PROBABILITY


def _judge(draft: Draft, context: MethodContext) -> Judge | None:
    """Return the judge of the context, or one for an answer with claims of a model; None for quotes alone."""
    if context.judge is not None or not any(s.verdict in CLAIMED for s in draft.sentences):
        return context.judge
    writing = context.settings.writing
    crops = Crops(context.collection, writing.page_width, writing.picture_side)
    return judge_of(context.settings, context.model(), crops, None)


def _sentence(
    result: ConflictingValues, own: dict[StatedValue, Citation], others: dict[StatedValue, Evidence]
) -> Sentence:
    places = [one for side in result.sides for one in side[: MOST_PLACES // len(result.sides) or 1]][:MOST_PLACES]
    citations = tuple(dict.fromkeys(own.get(one) or citation_of(one, others[one]) for one in places))
    return Sentence(f"{result}.", citations, "computed", REASON, beside=True, heading=HEADING)


def citation_of(one: StatedValue, evidence: Evidence) -> Citation:
    """Return the citation of a statement: the lines of its sentence, or its cell with the cells that explain it."""
    element = evidence.element
    if element.cells:
        place = localize(one.sentence, element, (one.within,))
        return Citation.of(evidence, one.statement, place.boxes, place.context)
    return Citation.of(evidence, one.sentence, boxes_of(element, *one.within))
