"""Answer questions about a document as a whole (its title, authors, subject, date) from its first pages.

No title page says "the title is", so similarity does not find the title. It is found by its position and size; the
subject is under a heading such as "Abstract", or in the first paragraphs. Most documents do not say "published": a date
is alone on the cover, in the margin or below the title. Such a line is quoted as it is, and nothing more is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from indexing import Collection, Document, Element
from indexing.language import STOPWORDS, lower_words, names_date, quantities, sentence_spans
from rag.attribution.localize import boxes_of
from rag.methods.quote.pieces import Span
from rag.types import Citation, Evidence, Sentence

About = Literal["title", "authors", "subject", "date"]

FRONT_PAGES = 4
"""The first pages, on which a document says what it is."""
MOST_DOCUMENTS = 3
"""The documents of which an overview is given, at most."""
MOST_AUTHORS, AUTHOR_WORDS = 12, 40
"""The blocks of a title page that may name authors, at most, and the most words of one."""
SENTENCES = 2
"""The sentences that say what a document is about, besides its title."""
UNDER_TITLE = 0.25
"""The share of the page below the title in which names are its authors'."""
PARAGRAPH_WORDS = 15
"""The least words of a paragraph that says what a document is about."""
QUESTION_WORDS = 16
"""The most words of a question about a document as a whole."""
ALONE = 10
"""The most words of a line whose date is that of the document, as it stands on the first page and says little else."""
MOST_WORDS, LAST_WORDS = 40, 24
"""The most words of what may have such a line on the first pages, and on the last: more are running text."""
BEFORE = 40
"""The characters before a date in which a word says that it is that of the publication, or of something else."""
MOST_CHARS = 2000
"""The characters of an element that are looked at, the first."""
SET_ALIKE = 0.7
"""The share of the height of the largest words from which another line of their page belongs to the title."""
LARGER, LARGEST = 1.3, 0.15
"""The least height of a title's letters in units of its page's usual ones, and the most as a share of the page."""

_THING = (
    r"(?:documents?|papers?|reports?|articles?|books?|files?|texts?|presentations?|slides?|decks?|manuals?|guides?|"
    r"brochures?|leaflets?|stud(?:y|ies)|thes[ie]s|letters?|pdfs?|publications?|surveys?|analys[ei]s|"
    r"specifications?|specs?|handbooks?|tutorials?|memos?|proposals?|essays?|talks?|lectures?|"
    r"dokuments?|berichte?s?|artikels?|buch(?:e?s)?|textes?|handbuch(?:e?s)?|rapport|livre|manuels?)"
)
_THINGS = re.compile(rf"\b{_THING}\b", re.IGNORECASE)
_THE = r"(?:this|that|the|these|dieses?[rnm]?|da[sr]|d(?:er|em|en|ie)|ce(?:tte|t)?|du|le|la)"
_WHICH = rf"(?:(?!{_THE}\b)[\w-]+\s+)"
_THIS = rf"{_THE}\s+{_WHICH}{{0,3}}{_THING}"
_DESCRIBED = re.compile(rf"\b{_THE}\s+{_WHICH}{{2,3}}{_THING}\b", re.IGNORECASE)
"""A document with two words or more that say which: if none is called so, none is meant."""


_MADE = (
    r"(?:(?:first|last|originally)\s+)?(?:published|released|issued|written|made|created|dated|updated|"
    r"veröffentlicht|erschienen|geschrieben|publiée?|écrite?)"
)


def _in_order(*ways: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a line with the words of one of the ways, in their order, as far as the last of the last.

    It looks for the first of each and never for another: so it passes a line twice at most, whatever stands in it.
    """
    firsts = (("".join(rf"(?>.*?\b(?:{word})\b)" for word in way[:-1]), way[-1]) for way in ways)
    return re.compile("^(?:" + "|".join(rf"{first}.*\b(?:{last})\b" for first, last in firsts) + ")", re.IGNORECASE)


_PATTERNS: tuple[tuple[About, re.Pattern[str]], ...] = (
    (
        "title",
        _in_order(("title|titel|titre|called", _THIS), (f"name of {_THIS}",), (_THIS, "called|named|title")),
    ),
    (
        "authors",
        _in_order(
            (
                "who|wer|qui",
                (
                    r"wrote|writ\w+|authors?|made|make|created?|published?|prepared?|produced?|schrieb|geschrieben|"
                    "present(?:s|ed)?|presenters?|speakers?|gave|gives|autor(?:en)?|verfasst|écrit|rédigé|auteurs?"
                ),
                _THIS,
            ),
            ("authors?|presenters?|speakers?|autor(?:en)?|auteurs?", _THIS),
            ("who|wer|qui", "wrote|written|schrieb|geschrieben|écrit", "this|it|das|es|ceci|cela"),
            (
                "who|wer|qui",
                "(?:is|are|were|was|ist|sind|est|sont)",
                r"(?:the|its|der|die|les?|ses) (?:authors?|presenters?|speakers?|autor(?:en)?|auteurs?)",
            ),
        ),
    ),
    (
        "date",
        _in_order(
            ("when|wann|quand|(?:what|which) (?:date|year)", rf"(?:{_THIS}|this|it|das|es|ceci|cela)\s+{_MADE}"),
            (f"dates? of {_THIS}",),
        ),
    ),
    (
        "subject",
        _in_order(
            ("what", _THIS, "about"),
            ("what(?:'s| is)", "this|it", "about"),
            ("what", rf"{_THIS}\s+(?:cover|describe|discuss|explain|deal with)"),
            ("what", f"kind of {_THING}"),
            ("summar(?:y|i[sz]e)|topic|subject|purpose|gist|main (?:idea|point|message)|worum|de quoi", _THIS),
        ),
    ),
)
_CUE = re.compile(
    rf"\b(?:(?:in )?this {_THING}|in diesem {_THING}|dieses? {_THING} (?:beschreibt|enthält)|"
    r"we (?:present|propose|show|study|investigate|conduct))\b",
    re.IGNORECASE,
)
_NAMED = r"[A-ZÀ-Þ][\w'’.-]{1,60}(?: (?:[a-z]{2,3} )?[A-ZÀ-Þ][\w'’.-]{0,60})+"
_NAMES = re.compile(rf"\b{_NAMED}")
_ENDS = re.compile(r"(?<![A-Z])(?<!\b[JS]r)\.\s*\Z")
"""The end of a sentence; a name may end with an initial or a degree ("Ada Holm, Ph.D.", "A. Holm Jr.")."""
_BYLINE = re.compile(rf"(?:[bB]y|BY|von|par) {_NAMED}")
_BY = re.compile(r"\b(?:by|von|par|authors?|researchers?|writers?|editors?|prepared|contact)\b", re.IGNORECASE)


_PUBLISHED = re.compile(
    r"\b(?:for release|released?|publi(?:shed|cation)|issued|dated?|e?filed|updated|revised|revision|version|edition|"
    r"printed|(?:as|correct) at|stand|veröffentlicht|erschienen|ausgabe|publié)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:ended|ending|conducted|received|accepted|retrieved|accessed|since|until|by|"
    r"dates? of (?!publication|issue|release))\b",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"\b(?:copyright|licen[cs]ed?|lizenz|free software|freie software|logiciel libre|redistribut\w+|all rights|"
    r"warranty|permission (?:is|to)|alle rechte|tous droits)\b",
    re.IGNORECASE,
)
SUMMARY = re.compile(
    r"^\W*(?:\d+\W+)?(?:abstract|(?:executive )?summary|overview|introduction|about this \w+|(?:main|key) findings|"
    r"purpose|zusammenfassung|einleitung|überblick|résumé)\b",
    re.IGNORECASE,
)
"""The beginning of the heading of a summary, or of an introduction."""
_SECTION = re.compile(r"^\W*\d{1,2}(?:\.\d{1,2})*\.?\s+\w")
"""The beginning of the heading of a section with a number, which is no title."""
_APART = ("group", "picture", "table", "formula", "footnote")


def question_about(question: str) -> About | None:
    """Return what a question asks about a document as a whole; None if it asks about its content.

    >>> question_about("What is this report about?"), question_about("What does this report say about cranes?")
    ('subject', None)
    """
    text = " ".join(question.split()[: QUESTION_WORDS + 1])
    if len(text.split()) > QUESTION_WORDS:
        return None
    for about, pattern in _PATTERNS:
        match = pattern.search(text)
        if match and not _names_more(text[match.end() :]):
            return about
    return None


def documents_meant(question: str, documents: Sequence[Document]) -> list[Document]:
    """Return the documents that a question about a document as a whole refers to.

    These are the ones whose names and titles have the most of its words. If none has any: all, or none if the question
    describes a document.
    """
    words = set(lower_words(_THINGS.sub(" ", question))) - STOPWORDS
    names = (f"{Path(document.name).stem} {document.title}" for document in documents)
    overlaps = [len(words.intersection(lower_words(name))) for name in names]
    most = max(overlaps, default=0)
    if most:
        return [document for document, n in zip(documents, overlaps, strict=True) if n == most]
    return [] if _DESCRIBED.search(question) else list(documents)


def _names_more(rest: str) -> bool:
    """Return True if what follows says more of the thing: then it is not the document at hand that is meant."""
    first = re.match(r"\W*(\w+)?", rest)
    word = (first[1] or "").lower() if first else ""
    return word not in ("", "about", "and", "et", "is", "ist", "und")


def overview(
    about: About, documents: Sequence[Document], collection: Collection
) -> tuple[list[Sentence], list[Evidence]]:
    """Return the sentences about each of at most three documents, with their evidence."""
    sentences: list[Sentence] = []
    evidence: list[Evidence] = []
    for document in documents[:MOST_DOCUMENTS]:
        pages = [(document.id, n) for n in range(1, min(document.n_pages, FRONT_PAGES) + 1)]
        if about == "date":
            last = [(document.id, document.n_pages)] if document.n_pages > FRONT_PAGES else []
            parts = date_of(collection.elements_on([*pages, *last]))
        else:
            parts = _parts(about, collection.elements_on(pages))
        for reason, spans in parts:
            citations = []
            for element, start, end in spans:
                item = Evidence(f"D{len(evidence) + 1}", element, document.name, 0.0)
                evidence.append(item)
                citations.append(Citation.of(item, element.text[start:end], boxes_of(element, start, end)))
            text = ("; " if about == "authors" else " ").join(citation.quote for citation in citations)
            sentences.append(Sentence(text, tuple(citations), "quoted", reason))
    return sentences, evidence


def _parts(about: About, pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the pieces of the first pages that say the title, the authors or the subject, each with the reason."""
    front = [[e for e in own if e.kind not in ("group", "header", "footer")] for own in pages]
    title = title_of(front)
    if about == "authors":
        return _authors(front, title)
    parts = [("its title, by how large it is set", [(e, 0, len(e.text)) for e in title])] if title else []
    return parts + _subject(front, title) if about == "subject" else parts


def _authors(front: Sequence[Sequence[Element]], title: Sequence[Element]) -> list[tuple[str, list[Span]]]:
    """Return the lines of the first page that name authors, as one sentence: "by ..." lines, or those below the title.

    A page without paragraphs is a cover, with names anywhere on it. Names with a word of the title belong to its
    subject. Without any, a line such as "by Ada Holm" on the next pages is used.
    """
    title_ids = {e.id for e in title}
    page = list(front[0]) if front else []
    ends = min((e.bbox.y0 for e in page if _begins_summary(e)), default=1.0)
    running = any(_is_paragraph(e) and e.text.rstrip().endswith((".", ":")) for e in page)
    below = max(e.bbox.y1 for e in title) + UNDER_TITLE if title and running else float(bool(title))
    own = set(lower_words(" ".join(e.text for e in title))) - STOPWORDS
    candidates = [
        e for e in page
        if e.id not in title_ids and e.kind != "picture" and e.bbox.y1 <= ends and _is_line(e)
        and any(own.isdisjoint(lower_words(name)) for name in _NAMES.findall(e.text))
    ]  # fmt: skip
    undated = [e for e in candidates if not any(map(names_date, e.text.split()))]  # "for version 2, May 2022"
    candidates = undated or candidates
    where = "names on its first page"
    authors = (
        [e for e in candidates if _BY.search(e.text)]
        or [e for e in candidates if e.bbox.y0 <= below]
        or [e for e in title[1:] if _NAMES.fullmatch(e.text.strip()) and not _THINGS.search(e.text)]
    )
    if not authors:
        where = "a line that says by whom, on its first pages"
        authors = [e for other in front[1:] for e in other if _BYLINE.match(e.text) and _is_line(e)]
    return [(where, [(e, 0, len(e.text)) for e in authors[:MOST_AUTHORS]])] if authors else []


def _is_line(element: Element) -> bool:
    """Return True for a text that is short and no sentence, as the names of authors are."""
    return len(element.text.split()) <= AUTHOR_WORDS and not _ENDS.search(element.text)


def _begins_summary(element: Element) -> bool:
    """Return True for the heading of a summary, or for a summary that begins with its heading.

    "Abstract Syntax Notation One" does not count.
    """
    match = SUMMARY.match(element.text)
    if match is None or element.kind == "heading":
        return match is not None
    rest = element.text[match.end() :].lstrip(" ")
    return not rest[:1].isalnum() or len(rest.split()) > 2 * PARAGRAPH_WORDS


def _subject(front: Sequence[Sequence[Element]], title: Sequence[Element]) -> list[tuple[str, list[Span]]]:
    """Return the sentences on what the document is about: those under a summary heading, or the first ones."""
    title_ids = {e.id for e in title}
    running = [e for page in front for e in page if e.id not in title_ids and _tells(e)]
    under_headings = [[e for e in running if any(map(SUMMARY.match, e.section[level:]))] for level in (-1, 0)]
    under = under_headings[0] or under_headings[1]
    spans = [(e, a, b) for e in (under or running)[:3] for a, b in sentence_spans(e.text) if _is_sentence(e.text[a:b])]
    with_cue = [span for span in spans if _CUE.search(span[0].text[span[1] : span[2]])]
    best = [*with_cue, *(span for span in spans if span not in with_cue)][:SENTENCES]
    if best:
        where = "from its beginning" if not under else f"from its section “{under[0].section[-1]}”"
        return [(where, [span]) for span in sorted(best, key=lambda s: (s[0].page, spans.index(s)))]
    headings = [e for page in front[1:] for e in page if e.kind == "heading" and e.id not in title_ids]
    return [("a heading of its first pages", [(e, 0, len(e.text))]) for e in headings[:SENTENCES]]


def _tells(element: Element) -> bool:
    """Return True for a paragraph that may say what a document is about, not what one may do with it."""
    return element.kind in ("text", "list") and _is_paragraph(element) and not _LEGAL.search(element.text[:MOST_CHARS])


def _is_paragraph(element: Element) -> bool:
    return len(element.text.split()) >= PARAGRAPH_WORDS and _is_sentence(element.text)


def _is_sentence(text: str) -> bool:
    words = text.lower().split()
    return len(words) > SENTENCES and sum(w in STOPWORDS for w in words) >= len(words) / 8


def title_of(front: Sequence[Sequence[Element]]) -> list[Element]:
    """Return the elements of the title: those in the largest letters of the first page, the first and what follows it.

    Headings come before other text, one of a single word only if it is larger; a title is larger than the rest of its
    page.
    """
    for page in front[:1]:
        usual = float(np.median([_height(e) for e in page if len(e.words)] or [0.0]))
        heights = _large(page, ("heading",), 2, usual) or max(
            _large(page, ("text", "caption"), 2, usual),
            _large(page, ("heading",), 1, usual),
            key=lambda found: max(found.values(), default=0.0),
        )
        heights = heights or _first(page)
        if heights:
            least = SET_ALIKE * max(heights.values())
            large = {key for key, height in heights.items() if height >= least}
            start = next(n for n, e in enumerate(page) if e.id in large)
            after = next((n for n, e in enumerate(page) if n > start and e.id not in large), len(page))
            return list(page[start:after])
    return []


def _large(page: Sequence[Element], kinds: Sequence[str], words: int, usual: float) -> dict[str, float]:
    """Return the ids of what may be a title, of these kinds and so many words or more, with the heights of its letters.

    `usual` is the height of the page's letters.
    """
    heights = {e.id: _height(e) for e in page if e.kind in kinds and _may_be_title(e, words)}
    return {key: height for key, height in heights.items() if LARGER * usual <= height <= LARGEST}


def _first(page: Sequence[Element]) -> dict[str, float]:
    """Return the id of the heading that a page begins with, if nothing that reads is larger, with its height."""
    largest = max((_height(e) for e in page[1:] if e.kind in ("heading", "text", "list")), default=0.0)
    heads = [e for e in page[:1] if e.kind == "heading" and _may_be_title(e, 1)]
    return {e.id: _height(e) for e in heads if _height(e) > largest}


def _height(element: Element) -> float:
    """Return the median height of an element's words, a fraction of the page; 0 without words."""
    boxes = element.words.boxes
    return float(np.median(boxes[:, 3] - boxes[:, 1])) if len(boxes) else 0.0


def _may_be_title(element: Element, words: int) -> bool:
    """Return True for so many words, or more, that are neither the heading of a section nor a whole sentence."""
    text = element.text.strip()
    if _SECTION.match(text) or (element.kind != "heading" and text.endswith(".")):
        return False
    if words == 1 and SUMMARY.match(text):
        return False
    return sum(c.isalpha() for c in text) >= len(text) / 2 and len(text.split()) >= words


def date_of(pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the line that states the date, with the reason: the surest one of the first page that has any.

    `pages` are all elements of the document's first pages and its last one, with headers and footers.
    """
    for number, page in enumerate(pages):
        most = MOST_WORDS if page and page[0].page == number + 1 else LAST_WORDS
        own = [e for e in page if e.kind not in _APART and len(e.text[:MOST_CHARS].split()) <= most]
        lines = list(_dates(own, first=number == 0))
        if lines:
            surest = max(sure for sure, _ in lines)
            reason = "a line of its imprint" if surest > 1 else "a date that stands alone on its first page"
            return [(reason, [next(span for sure, span in lines if sure == surest)])]
    return []


def _dates(page: Sequence[Element], *, first: bool) -> Iterator[tuple[int, Span]]:
    """Yield possible dates of the document: with 2 if a word such as "published" says so, 1 for a line of its own."""
    for element in page:
        text = element.text[:MOST_CHARS]
        for date in (one for one in quantities(text) if one.kind == "moment" and one.year and one.month):
            before = text[max(date.start - BEFORE, 0) : date.start]
            other = _ELSE.search(before)
            cue = _PUBLISHED.search(before)
            if cue and other is None:
                yield 2, (element, date.start - len(before) + cue.start(), date.end)
            elif first and other is None and len(text.split()) <= ALONE:
                yield 1, (element, 0, len(text.rstrip()))


def date_in(text: str) -> tuple[int, int] | None:
    """Return (start, end) of the first date with a year that a line states, or None."""
    dates = (one for one in quantities(text[:MOST_CHARS]) if one.kind == "moment" and one.year)
    return next(((date.start, date.end) for date in dates), None)
