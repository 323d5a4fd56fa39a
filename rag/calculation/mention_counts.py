"""Questions of how often, on which pages and in which documents something is mentioned: counted over what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from indexing import Collection, Document, Element
from indexing.language import lower_words
from rag.attribution.localize import boxes_of
from rag.calculation.counts import (
    COUNTING_WORDS,
    DOCUMENT_NOUNS,
    MOST_PAGES,
    PLACE_WORDS,
    PageTally,
    asked_for,
    cited_part,
    count_sentence,
    list_names,
    tally,
)
from rag.question import PAGE_WORDS, hints_of
from rag.types import Citation, Evidence, Sentence

MOST_HITS = 500
"""The most mentions that are cited one by one, each with its box."""
MOST_TERM = 80
"""The most characters of what is looked for."""
MOST_QUESTION = 300
"""The most characters of a question that is looked at."""
_VERB = r"(?P<verb>appears?|appeared|occurs?|occurred|mentioned|referred to|comes? up|mentions?|refers? to)"
_TERM = rf"(?P<term>\S.{{0,{MOST_TERM}}}?)"
_IS = r"(?:does|do|did|is|are|was|were|has|have)"
_WHICH = r"(?P<which>which|what|how many)(?: of (?:the|these|those|my|all))?"
_ALL = r"(?:list|name|show|find|give)(?: me)?(?: all| every| each)?(?: of)?(?: the| these)?"
_UNIT = (
    r"(?P<unit>pages?|slides?|documents?|files?|papers?|reports?|pdfs?)(?: (?:in|of) (?:the|this|these) collection)?"
)
_ASKED = (
    ("times", re.compile(rf"(?i)(?:how many times|how often) (?:{_IS} )?{_TERM} (?:been )?{_VERB}(?P<rest>\b.*)")),
    ("times", re.compile(
        rf"(?i)(?:how many|(?:what is )?the number of|count the) (?P<verb>mentions|occurrences) of {_TERM}"
        r"(?P<rest>(?: are there| (?:in|on) (?:the|this|page|slide)\b.*)?)$")),
    ("pages", re.compile(rf"(?i)where (?:is|are) {_TERM} {_VERB}(?P<rest>\b.*)")),
    ("pages", re.compile(
        rf"(?i){_ALL} (?P<verb>mentions|occurrences) of {_TERM}(?P<rest>(?: in (?:the|these|this)\b.*)?)$")),
    ("", re.compile(rf"(?i)(?:on |in )?{_WHICH} {_UNIT} {_IS} {_TERM} (?:been )?{_VERB}(?P<rest>\b.*|)")),
    ("", re.compile(rf"(?i)(?:{_WHICH}|{_ALL}) {_UNIT} (?:(?:that|which) )?{_VERB} {_TERM}(?P<rest>)$")),
    ("", re.compile(rf"(?i){_ALL} {_UNIT} (?:on|in|where) (?:which )?{_TERM} {_IS} {_VERB}(?P<rest>\b.*|)")),
)  # fmt: skip
"""The answer that is wanted ("": what the form counts), and a form in which it is asked for."""
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’", "'": "'"}
_CALLED = re.compile(r"(?i)(?:the |a |an )?(?:words?|term|phrase|name|string|abbreviation|acronym) (?=\S)")
_ARTICLE = re.compile(r"(?i)(?:the|a|an|any) (?=\S)")
_BROKEN = r"(?:[-\u00ad]\s|(?<=[^\w\s]|_)\s)?"
"""The break of a word at the end of a line: after a hyphen that is put there, or after a sign of its own."""
_SPACE = r"\s{1,9}"
_NUMBERED = re.compile(r"[^\W\d_]{3,20}(?<!s) (?=\S{0,8}\d)\S{1,10}", re.IGNORECASE)
"""A noun with its number or letter: "Exhibit P-10", "Table 3"."""
_GAP = r"[\s\x{1c}-\x{1f}\x{ad}-]{0,2}"
"""Such a break, roughly, as Rust writes it: its classes of signs are not quite those of Python."""
_CLEAR = frozenset(("mentioned", "mention", "mentions", "refer to", "refers to", "referred to", "occurrences"))
"""The verbs that ask what a text says in any case; what "appears" or "occurs" may do so in the world."""


@dataclass(frozen=True, slots=True)
class MentionsAsked:
    """The mentions that a question wants counted: of the words of `term`, on `pages` (from 1, -1 the last; none: all).

    `wants` is "times", "pages" or "documents"; `number` is True where the number of pages or documents is wanted, `one`
    where the question is about one document. A term in capitals matches only in capitals.
    """

    wants: str
    term: str
    pages: tuple[int, ...]
    one: bool
    number: bool = False

    @property
    def outline(self) -> str:
        """A Rust regular expression that finds all texts in which `pattern` matches, and some others."""
        return "(?i)" + self._words(_GAP, r"[\s\x{1c}-\x{1f}]{1,9}")

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of the term, as whole words, with any space between them, each broken at most once a letter."""
        exact = self.term.isupper() and len(self.term) > 1
        return re.compile(rf"(?<!\w){self._words(_BROKEN, _SPACE)}(?!\w)", 0 if exact else re.IGNORECASE)

    def _words(self, gap: str, space: str) -> str:
        """Return the words of the term as a pattern; "Exhibit P-10" may be the first of "Exhibits P-10 and P-11"."""
        words = [gap.join(map(re.escape, word)) for word in self.term.split()]
        if len(words) == 2 and _NUMBERED.fullmatch(self.term):
            words[0] += "s?"
        return space.join(words)


def mentions_asked_for(question: str) -> MentionsAsked | None:
    """Return the mentions that a question wants counted; None for another question.

    What follows a question mark ("List the pages.") asks for no more than the answer has anyway.
    """
    plain = " ".join(question.partition("?")[0].split()).strip(" .!")
    if len(plain) > MOST_QUESTION:
        return None
    for wants, pattern in _ASKED:
        if match := pattern.match(plain):
            return _mentions_in_match(wants, match)
    return None


def _mentions_in_match(wants: str, match: re.Match[str]) -> MentionsAsked | None:
    """Return the mentions that a match of `_ASKED` asks for; None if its rest is about something else."""
    term, quoted = _term(match["term"])
    rest = lower_words(match["rest"])
    pages = hints_of(match["rest"]).pages
    ignored_words = COUNTING_WORDS | PLACE_WORDS | PAGE_WORDS | set(map(str, pages))
    placed = bool(rest) and ignored_words.issuperset(rest)
    clear = match["verb"].lower() in _CLEAR
    if not term or (rest and not placed) or not (quoted or clear or placed):
        return None
    if not quoted and asked_for(f"how many {term}"):
        return None  # pages, tables, figures: things, not words
    groups = match.groupdict()
    unit = "pages" if (groups.get("unit") or "page").lower().startswith(("page", "slide")) else "documents"
    number = (groups.get("which") or "").lower() == "how many"
    return MentionsAsked(wants or unit, term, pages, not DOCUMENT_NOUNS.isdisjoint(rest), number)


def _term(text: str) -> tuple[str, bool]:
    """Return the term to look for, without an article and quotation marks, and True if it was quoted."""
    text = text.strip()
    bare = text[match.end() :] if (match := _CALLED.match(text)) else text
    quoted = len(bare) > 2 and _QUOTES.get(bare[0]) == bare[-1]
    if quoted:
        return bare[1:-1].strip(), True
    return bare[article.end() :] if (article := _ARTICLE.match(bare)) else bare, False


def mentions(question: str, collection: Collection, documents: Sequence[Document]) -> Sentence | None:
    """Return how often, or on which pages, documents mention what a question names; None for another question.

    It is also None without any mention, as the word may occur in another form, and for documents of too many pages.
    Of scanned pages, the text is that of OCR. Raises CollectionDamaged.
    """
    request = mentions_asked_for(question)
    if request is None or (request.one and len(documents) > 1):
        return None
    if sum(d.n_pages for d in documents) > MOST_PAGES:
        return None
    looked_at = {d.id: [d.n_pages + 1 + n if n < 0 else n for n in request.pages] for d in documents}
    outlines = collection.outlines(saying=request.outline)
    count = tally(
        documents,
        (e for e in outlines if not request.pages or e.page in looked_at.get(e.doc_id, ())),
        lambda e: sum(1 for _ in _spans(e, request)),
    )
    if not count.pages:
        return None
    first = ((d, e, s) for d, e in count.elements(collection, MOST_HITS) for s in _spans(e, request))
    citations = tuple(
        Citation.of(Evidence(f"N{n}", e, d.name, 0.0), e.text[slice(*span)], boxes_of(e, *span))
        for n, (d, e, span) in enumerate(islice(first, MOST_HITS), 1)
    )
    notes = f"{cited_part(len(citations), count.number)}; {_pages_read(collection, documents, looked_at)}"
    return _sentence(request, count, len(documents) > 1, notes, citations)


def _sentence(
    request: MentionsAsked, count: PageTally, several: bool, notes: str, citations: tuple[Citation, ...]
) -> Sentence:
    """Return what was counted as a sentence; where there are `several` documents, each is named before its pages."""
    often = f"{count.number} time{'s' if count.number > 1 else ''}"
    places, last = [], None
    for document, number, times in count.pages:
        name = f"{document.name} " if several and document is not last else ""
        places.append(f"{name}page {number}" + (f" ({times} times)" if times > 1 and request.wants == "times" else ""))
        last = document
    if request.wants == "documents":
        places = list(dict.fromkeys(document.name for document, _, _ in count.pages))
    if request.wants == "times":
        answer, working = str(count.number), f"counted “{request.term}” in the text: {list_names(places)}"
    elif request.number:
        answer = str(len(places))
        working = f"counted {request.wants} that say “{request.term}”: {list_names(places)}; it stands there {often}"
    else:
        answer, working = list_names(places), f"“{request.term}” stands there {often}"
    return count_sentence(answer, working + notes, citations, "counted in the text")


def _pages_read(collection: Collection, documents: Sequence[Document], looked_at: Mapping[str, Sequence[int]]) -> str:
    """Return a note on how many of the pages were read, with the names of the others, which failed or have no text.

    `looked_at` has the pages to read of each document; none means all of them. Raises CollectionDamaged.
    """
    names = {(d.id, n): f"{d.name} page {n}" for d in documents for n in looked_at[d.id] or range(1, d.n_pages + 1)}
    with_text = collection.snapshot().pages_with_text()
    failed_pages = {(d.id, n) for d in documents for n in d.failed_pages}
    unread_names = [name for place, name in names.items() if place in failed_pages or place not in with_text]
    note = f", no text was read on {list_names(unread_names)}" if unread_names else ""
    return f"{len(names) - len(unread_names):,} of {len(names):,} page{'s' if len(names) > 1 else ''} read{note}"


def _spans(element: Element, request: MentionsAsked) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of the mentions in an element; none in a group, whose members are searched themselves."""
    if not element.parts:
        yield from (match.span() for match in request.pattern.finditer(element.text))
