"""Answer what an abbreviation stands for with the words beside it that its letters come from.

"Restricted maximum likelihood (REML)", "REML (restricted maximum likelihood)", "REML: restricted maximum likelihood".
The letters are matched backwards through the words, as Schwartz and Hearst (2003) do, but every content word must
contribute its first letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexing import SILENT_KINDS, Collection, Document, Element
from indexing.language import lexicon_words
from rag.attribution.localize import boxes_of
from rag.calculation import MOST_PAGES
from rag.methods.quote.pieces import pieces
from rag.question import has_letters
from rag.types import Citation, Evidence, Sentence

MOST_QUESTION = 120
"""The most characters of a question that is looked at."""
MOST_LETTERS = 10
"""The most letters of an abbreviation."""
REACH = 200
"""The characters beside an abbreviation in which its words are looked for."""
MOST_READ, MOST_TOLD = 40, 3
"""The pages that have it in such a place, the first, that are read; and the most things that it may stand for."""
_SHORT = rf"[\"'“”‘’]?(?P<short>[^\W_](?:[^\W_]|[&/-]){{1,{MOST_LETTERS - 1}}})[\"'“”‘’]?"
_CALLED = r"(?:the )?(?:(?:abbreviation|acronym|letters|term) )?"
_ASKED = tuple(
    re.compile(rf"\W{{0,9}}{form}(?: (?:in|here)\b[^?]{{0,60}})?\W{{0,9}}", re.IGNORECASE)
    for form in (
        rf"what (?:does|do|did) {_CALLED}{_SHORT} stands? for",
        rf"what(?:['’]s| is| are) {_CALLED}{_SHORT} (?:short|an? (?:abbreviation|acronym)) (?:for|of)",
        rf"what(?:['’]s| is) {_CALLED}{_SHORT} spelled out",
        rf"what(?:['’]s| is) the (?:full|long) (?:form|name) of {_SHORT}",
        rf"(?:wofür|für was) steht (?:die abkürzung )?{_SHORT}",
    )
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMALL = frozenset(lexicon_words("name_joints"))
"""The words of a name that an abbreviation may pass over."""
_OPEN = ("(", "[")
_BEHIND = re.compile(r"\s?(?:[(\[:=|]|[-–—](?=\s)|,? (?:stands|is short|short) for\b)\s?(?:the )?", re.IGNORECASE)
_ENDS = re.compile(r"[()\[\];:|\n]|[.,]\s")


def abbreviation_asked(question: str) -> str:
    """Return the abbreviation whose meaning a question asks for; empty for other questions.

    >>> abbreviation_asked("What does REML stand for?")
    'REML'
    """
    if len(question) > MOST_QUESTION:
        return ""
    form_match = next((match for form in _ASKED if (match := form.fullmatch(question))), None)
    return form_match["short"] if form_match else ""


def long_form_sentences(
    short: str, documents: Sequence[Document], collection: Collection
) -> list[tuple[Sentence, Evidence]]:
    """Return the sentences that spell out an abbreviation, each with its evidence.

    Each meaning has one sentence, the first one. Empty if the documents have more than `MOST_PAGES` pages: these are
    searched instead. Raises CollectionDamaged.
    """
    if sum(document.n_pages for document in documents) > MOST_PAGES:
        return []
    by_meaning: dict[str, tuple[Sentence, Evidence]] = {}
    for document, element in _elements(short, documents, collection):
        for start, end in long_forms(short, element.text):
            meaning = " ".join(word.rstrip("s") for word in _WORD.findall(element.text[start:end].lower()))
            if meaning not in by_meaning and len(by_meaning) < MOST_TOLD:
                evidence = Evidence(f"D{len(by_meaning) + 1}", element, document.name, 0.0)
                by_meaning[meaning] = _sentence(evidence, start, end), evidence
    return list(by_meaning.values())


def long_forms(short: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the words beside an abbreviation in a text that its letters are taken from.

    >>> list(long_forms("REML", "by restricted maximum likelihood (REML)"))
    [(3, 32)]
    """
    for match in re.finditer(rf"(?<!\w){re.escape(short)}s?(?!\w)", text, re.IGNORECASE):
        since = max(match.start() - REACH, 0)
        before = text[since : match.start()].rstrip()
        words = list(_WORD.finditer(before)) if before.endswith(_OPEN) else []
        first = _first_of(short, [word[0] for word in words])
        if first is not None:
            yield since + words[first].start(), since + words[-1].end()
        elif behind := _BEHIND.match(text, match.end()):
            rest = text[behind.end() : behind.end() + REACH]
            stop = _ENDS.search(rest)
            words = list(_WORD.finditer(rest[: stop.start()] if stop else rest))[: 2 * len(short)]
            for n in range(2, len(words) + 1):
                if _first_of(short, [word[0] for word in words[:n]]) == 0:
                    yield behind.end() + words[0].start(), behind.end() + words[n - 1].end()
                    break


def _first_of(short: str, words: Sequence[str]) -> int | None:
    """Return the index of the first word of the long form at the end of `words`; None if they do not fit `short`.

    Each word contributes its first letter and possibly later ones in order; small words may contribute none.
    """
    letters = "".join(filter(str.isalnum, short)).lower()
    if letters.endswith("s") and short[:-1].isupper() and short[-1].islower():
        letters = letters[:-1]  # the plural
    if not words or words[-1].lower() in _SMALL:
        return None
    ways = {len(letters)}  # how many letters, the first, are still to be given
    least = max(len(words) - 2 * len(letters), 0)
    for n in range(len(words) - 1, least - 1, -1):
        word = words[n].lower()
        remaining = {
            at for to in ways for at in range(to) if word[0] == letters[at] and has_letters(word, letters[at:to])
        }
        if 0 in remaining and n < len(words) - 1:
            return n
        ways = remaining | (ways if word in _SMALL else set())
        if not ways:
            return None
    return None


def _elements(short: str, documents: Sequence[Document], collection: Collection) -> Iterator[tuple[Document, Element]]:
    """Yield elements that may spell out an abbreviation, of the first `MOST_READ` pages that have any."""
    by_id = {document.id: document for document in documents}
    pattern = re.escape(short)
    outline = rf"(?i)[(\[]\s?{pattern}|\b{pattern}s?(?:\s?[(\[:=|]|\s[-–—]|,? (?:stands|is short|short) for)"
    order = {document.id: n for n, document in enumerate(documents)}
    saying = {(e.doc_id, e.page) for e in collection.outlines(saying=outline) if e.doc_id in by_id}
    pages = sorted(saying, key=lambda place: (order[place[0]], place[1]))[:MOST_READ]
    for (doc_id, _), elements in zip(pages, collection.elements_on(pages), strict=True):
        yield from ((by_id[doc_id], e) for e in elements if e.kind not in SILENT_KINDS)


def _sentence(evidence: Evidence, start: int, end: int) -> Sentence:
    """Return the sentence in which an abbreviation is spelled out, from `start` to `end` of its element."""
    element = evidence.element
    first, last = next(((a, b) for a, b in pieces(element) if a <= start and end <= b), (start, end))
    citation = Citation.of(evidence, element.text[first:last], boxes_of(element, first, last))
    reason = "word for word; the letters are those of the words in bold"
    return Sentence(citation.quote, (citation,), "quoted", reason, short=(start - first, end - first))
