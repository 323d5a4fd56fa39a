"""Counts for questions that ask how many: of pages, tables, figures, sections, and of mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from indexing import Collection, Document, Element
from indexing.language import lexicon_words, lower_words
from rag.attribution import boxes_of
from rag.question import PAGE_WORDS, hints_of
from rag.types import Citation, Evidence, Sentence

MOST_PAGES = 100_000
"""The most pages that are gone through for one question: some four seconds on two cores."""
MOST_CITED = 12
"""The most places that are cited, or named, one by one."""
_ASKED = re.compile(
    r"^(?:and |so )?(?:how many|(?:what is |give |tell me )?the (?:total )?number of|count the)\s+([a-z]+)\b"
)
_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part)\s)?(\d{1,2})[.:)]?\s+[^\W\d]|(?:chapter|section|part)\s(\d{1,2})\s*\Z", re.IGNORECASE
)
"""A heading of the first level that is numbered: "2 Method", "Chapter 3: The bay", "Chapter 4", but not "2.1 Data"."""
_APPENDIX = re.compile(r"\W{0,3}(?:appendix|annex|anhang|annexe)\s{1,3}([A-Z\d]{1,3})(?!\w)", re.IGNORECASE)
"""The heading of an appendix, and its letter or number."""
_TABLE = re.compile(r"\W{0,3}tab(?:le|elle|leau)?\b\.? ?[\dA-Z]", re.IGNORECASE)
"""The beginning of the caption of a numbered table."""
_KINDS = {
    **dict.fromkeys(("figure", "picture", "image", "illustration", "chart", "diagram", "graph", "photo"), "picture"),
    **dict.fromkeys(("section", "heading", "chapter", "appendix"), "heading"),
    **dict.fromkeys(("formula", "equation"), "formula"),
    **dict.fromkeys(("document", "file"), "document"),
    **dict.fromkeys(("page", "slide"), "page"),
    **{kind: kind for kind in ("table", "footnote", "list")},
}
"""The nouns that can be counted -> the kind of element, or page or document, that they mean."""
COUNTING_WORDS = frozenset(lexicon_words("counting_words"))
DOCUMENT_NOUNS = frozenset(lexicon_words("document_nouns"))
PLACE_WORDS = frozenset(lexicon_words("place_words"))
_PLURALS = {"formulae": "formula", "appendices": "appendix", "appendixes": "appendix"}
_OF_DOCUMENTS_ALONE = ("page", "chapter", "footnote", "appendix")
"""The nouns of what only documents have: "How many chapters does the Odyssey have?" asks about the one of that name."""
_ON_PAGES = ("picture", "table", "formula", "list", "footnote")
"""The kinds that are counted on the pages that a question names."""


@dataclass(frozen=True, slots=True)
class PageTally:
    """Pages as (document, number from 1, count of what is counted there), in the order of documents and pages."""

    pages: tuple[tuple[Document, int, int], ...]

    @property
    def number(self) -> int:
        """The sum of the counts of all pages."""
        return sum(times for _, _, times in self.pages)

    def elements(self, collection: Collection, most: int = MOST_CITED) -> Iterator[tuple[Document, Element]]:
        """Yield (document, element) for all elements of the first `most` pages. Raises CollectionDamaged."""
        first = self.pages[:most]
        pages_read = collection.elements_on([(document.id, number) for document, number, _ in first])
        for (document, _, _), own in zip(first, pages_read, strict=True):
            yield from ((document, element) for element in own)


def tally(documents: Sequence[Document], elements: Iterable[Element], times: Callable[[Element], int]) -> PageTally:
    """Return the sums, by page, of `times(element)` over elements; elements of other documents do not count."""
    places = {document.id: at for at, document in enumerate(documents)}
    times_by_page: dict[tuple[int, int], int] = {}
    for element in elements:
        at = places.get(element.doc_id)
        if at is not None and (number := times(element)):
            times_by_page[at, element.page] = times_by_page.get((at, element.page), 0) + number
    return PageTally(tuple((documents[at], page, number) for (at, page), number in sorted(times_by_page.items())))


def count_sentence(
    answer: str, working: str, citations: tuple[Citation, ...] = (), manner: str = "counted in the catalogue"
) -> Sentence:
    """Return the sentence of a count, with its working in brackets; the count is marked as the short answer."""
    return Sentence(f"{answer} ({working}).", citations, "computed", manner, short=(0, len(answer)))


def element_count(question: str, collection: Collection, documents: Sequence[Document]) -> Sentence | None:
    """Return a sentence with the number of pages, tables, figures, ... that a question asks for; None for others.

    One that asks about "this document" while there are several is not answered, nor is one about chapters or appendices
    whose headings have no numbers, or leave one out. Sections are the numbered headings of the first level, else all
    headings. Raises CollectionDamaged.
    """
    noun = asked_for(question)
    if noun is None:
        noun, documents = _of_named_document(question, documents)
    if noun is None or not documents:
        return None
    kind, pages = _KINDS[noun], hints_of(_ASKED.sub("", question.lower())).pages
    several = re.search(r"\b(documents|papers|reports|files|pdfs|books|collection|all)\b", question.lower())
    if pages and (len(documents) > 1 or kind not in _ON_PAGES or max(pages) > documents[0].n_pages):
        return None
    if kind == "document":
        return count_sentence(str(len(documents)), f"counted documents: {list_names([d.name for d in documents])}")
    n_pages = sum(d.n_pages for d in documents)
    if (len(documents) > 1 and not several) or (n_pages > MOST_PAGES and kind != "page"):
        return None
    if kind == "page":
        return count_sentence(
            str(n_pages), f"counted pages: {list_names([f'{d.name} {d.n_pages}' for d in documents])}"
        )
    return _count_elements(noun, collection, documents, [n if n > 0 else documents[0].n_pages for n in pages])


def _count_elements(
    noun: str, collection: Collection, documents: Sequence[Document], pages: Sequence[int]
) -> Sentence | None:
    """Return the sentence that counts a kind of element, on some pages or on all if `pages` is empty; or None."""
    kind, own = _KINDS[noun], {document.id for document in documents}
    every = collection.outlines(kind=kind)
    outlines = [e for e in every if e.doc_id in own and (not pages or e.page in pages)]
    tallies = ((tally(documents, outlines, counts), label, counts, least) for label, least, counts in _ways(noun))
    count, label, counts, _ = next(way for way in tallies if way[0].number >= way[3])
    if noun in ("chapter", "appendix") and not (count.number and _in_order(noun, outlines, count)):
        return None
    first = [pair for pair in count.elements(collection) if pair[1].kind == kind and counts(pair[1])]
    citations = tuple(
        Citation.of(Evidence(f"N{n}", e, document.name, 0.0), e.text if kind == "heading" else "", ())
        for n, (document, e) in enumerate(first[:MOST_CITED], 1)
    )
    several = len({document.id for document, _, _ in count.pages}) > 1
    places = [f"{document.name} {number}" if several else str(number) for document, number, _ in count.pages]
    where = f"page{'s' if len(places) > 1 else ''} {list_names(places)}" if places else "no page"
    n_captioned = sum(kind == "table" and bool(_TABLE.match(e.caption)) for e in outlines)
    note = f"; {n_captioned} of them have a number" if 1 < n_captioned < len(outlines) else ""
    return count_sentence(
        str(count.number), f"counted {label} on {where}{note}{cited_part(len(citations), count.number)}", citations
    )


def _ways(noun: str) -> list[tuple[str, int, Callable[[Element], bool]]]:
    """Return ways to count as (name of what is counted, least count, test of an element); the first enough one is used.

    The last way has a least count of 0.
    """
    kind = _KINDS[noun]
    label = {"formula": "formulas", "picture": "pictures"}.get(kind, f"{kind}s")
    if noun == "appendix":
        return [("headings of appendices", 0, lambda e: bool(_APPENDIX.match(e.text)))]
    if noun == "chapter":
        return [("numbered headings", 0, lambda e: bool(_NUMBERED.match(e.text)))]
    if kind == "heading":
        return [("numbered headings", 2, lambda e: bool(_NUMBERED.match(e.text))), (label, 0, lambda _: True)]
    if kind == "picture":  # what is in an image, else the image
        return [
            ("figures with a caption", 1, lambda e: bool(e.caption) and not e.whole_image),
            (label, 1, lambda e: not e.whole_image),
            (label, 0, lambda _: True),
        ]
    return [(label, 0, lambda _: True)]


def _in_order(noun: str, outlines: Sequence[Element], count: PageTally) -> bool:
    """Return True if the headings of each document are numbered (or lettered) from the first on without a gap."""
    numbers: dict[str, list[str]] = {document.id: [] for document, _, _ in count.pages}
    for heading in outlines:
        match = (_APPENDIX if noun == "appendix" else _NUMBERED).match(heading.text)
        if heading.doc_id in numbers and match:
            numbers[heading.doc_id].append(next(filter(None, match.groups())).upper())
    return all(
        sorted(own) == [chr(ord("A") + n) for n in range(len(own))]
        or sorted(own, key=lambda n: n.zfill(3)) == [str(n + 1) for n in range(len(own))]
        for own in numbers.values()
    )


def list_names(names: Sequence[str]) -> str:
    """Return the first MOST_CITED names, joined by commas, and how many more there are."""
    more = len(names) - MOST_CITED
    return ", ".join(names[:MOST_CITED]) + (f" and {more} more" if more > 0 else "")


def cited_part(n_cited: int, total: int) -> str:
    """Return a note that only the first `n_cited` of `total` places are cited; "" if all are."""
    return f"; the first {n_cited} are cited" if total > n_cited else ""


def asked_for(question: str, names: frozenset[str] = frozenset()) -> str | None:
    """Return the noun, in the singular, that a question wants counted in documents; None for another question.

    The question may call a document by `names`, words of its name and title, and must then say what it is ("manual"),
    unless nothing but a document has such things.
    """
    plain = " ".join(question.lower().split()).strip(" ?.!")
    match = _ASKED.match(plain)
    if match is None:
        return None
    noun = match[1] if match[1] in _KINDS else _PLURALS.get(match[1], match[1].removesuffix("s"))
    tail = plain[match.end() :]
    rest = lower_words(tail)
    if pages := hints_of(tail).pages:
        place_words = PLACE_WORDS | PAGE_WORDS | set(map(str, pages))
        rest = [word for word in rest if word not in place_words]
    if names and DOCUMENT_NOUNS.isdisjoint(rest) and noun not in _OF_DOCUMENTS_ALONE:
        return None
    return noun if noun in _KINDS and all(word in COUNTING_WORDS or word in names for word in rest) else None


def _of_named_document(question: str, documents: Sequence[Document]) -> tuple[str | None, list[Document]]:
    """Return the noun that a question wants counted, and the one document it names ("the tide gauge manual"), if any.

    "The bay manual" is not the report of the bay where another document is called a manual.
    """
    matches = [d for d in documents if asked_for(question, _words_of(d))]
    if len(matches) != 1:
        return None, []
    nouns = DOCUMENT_NOUNS.intersection(lower_words(question)) - _words_of(matches[0])
    if any(nouns & _words_of(d) for d in documents if d is not matches[0]):
        return None, []
    return asked_for(question, _words_of(matches[0])), matches


def _words_of(document: Document) -> frozenset[str]:
    return frozenset(lower_words(f"{document.name} {document.title}"))


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
_MENTIONS_ASKED = (
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
_MENTIONS_NUMBERED = re.compile(r"[^\W\d_]{3,20}(?<!s) (?=\S{0,8}\d)\S{1,10}", re.IGNORECASE)
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
        if len(words) == 2 and _MENTIONS_NUMBERED.fullmatch(self.term):
            words[0] += "s?"
        return space.join(words)


def mentions_asked_for(question: str) -> MentionsAsked | None:
    """Return the mentions that a question wants counted; None for another question.

    What follows a question mark ("List the pages.") asks for no more than the answer has anyway.
    """
    plain = " ".join(question.partition("?")[0].split()).strip(" .!")
    if len(plain) > MOST_QUESTION:
        return None
    for wants, pattern in _MENTIONS_ASKED:
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
