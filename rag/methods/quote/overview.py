"""Answer questions about a document as a whole (its title, authors, subject) from its first pages.

No title page says "the title is", so similarity does not find the title. It is found by its position and size; the
subject is under a heading such as "Abstract", or in the first paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from indexing import Collection, Document, Element
from indexing.language import STOPWORDS, lower_words, names_date, sentence_spans
from rag.attribution.localize import boxes_of
from rag.methods.quote.imprint import SUMMARY, imprint, is_legal, title_of
from rag.methods.quote.pieces import Span
from rag.types import Citation, Evidence, Sentence

About = Literal["title", "authors", "subject", "date", "version"]

FRONT_PAGES = 4
"""The first pages, on which a document says what it is."""
MOST_FRONT = 30
"""The pages on which running text is looked for where the first have but contents, as in a book, or nothing."""
MOST_DOCUMENTS = 3
"""The documents of which an overview is given, at most."""
MOST_AUTHORS, AUTHOR_WORDS = 12, 40
"""The blocks of a title page that may name authors, at most, and the most words of one."""
BESIDE_TEXT = ("group", "header", "footer")
"""The kinds of elements that are no part of the running text."""
SENTENCES = 2
"""The sentences that say what a document is about, besides its title."""
UNDER_TITLE = 0.25
"""The share of the page below the title in which names are its authors'."""
PARAGRAPH_WORDS = 15
"""The least words of a paragraph that says what a document is about."""
QUESTION_WORDS, MOST_NAME = 16, 100
"""The most words of a question about a document as a whole, and characters of one about the thing that it is about."""

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
        "version",
        _in_order(("(?:what|which) (?:version|edition|revision)", _THIS), (f"(?:version|edition) of {_THIS}",)),
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
_COVERS = re.compile(
    r"^ (?:describes?|covers?|documents?|for|appl(?:y|ies) to|belongs? to|refers? to)\b", re.IGNORECASE
)
"""The verbs by which a document is said to be of a version, which stands before it ("of which version is it")."""
_CUE = re.compile(
    rf"\b(?:(?:in )?this {_THING}|in diesem {_THING}|dieses? {_THING} (?:beschreibt|enthält)|"
    r"we (?:present|propose|show|study|investigate|conduct))\b",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"\W{0,9}(?:(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire)\W{0,9}", re.IGNORECASE
)
"""The heading of a table of contents."""
_NAMED = r"[A-ZÀ-Þ][\w'’.-]{1,60}(?: (?:[a-z]{2,3} )?[A-ZÀ-Þ][\w'’.-]{0,60})+"
_NAMES = re.compile(rf"\b{_NAMED}")
_BODY = re.compile(r" (?:team|group|committee|consortium|collective)\Z", re.IGNORECASE)
_ENDS = re.compile(r"(?<![A-Z])(?<!\b[JS]r)\.\s*\Z")
"""The end of a sentence; a name may end with an initial or a degree ("Ada Holm, Ph.D.", "A. Holm Jr.")."""
_BYLINE = re.compile(rf"(?:[bB]y|BY|von|par) {_NAMED}")
_BY = re.compile(r"\b(?:by|von|par|authors?|researchers?|writers?|editors?|prepared|contact)\b", re.IGNORECASE)


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
        rest = text[match.end() :] if match else ""
        if match and not _names_more(_COVERS.sub("", rest) if about == "version" else rest):
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
        if about in ("date", "version"):
            last = [(document.id, document.n_pages)] if document.n_pages > FRONT_PAGES else []
            parts = imprint(about, collection.elements_on([*pages, *last]))
        else:
            front = collection.elements_on(pages)
            parts = _parts(about, _read_on(front, document, collection) if about == "subject" else front)
        for reason, spans in parts:
            citations = []
            for element, start, end in spans:
                item = Evidence(f"D{len(evidence) + 1}", element, document.name, 0.0)
                evidence.append(item)
                citations.append(Citation.of(item, element.text[start:end], boxes_of(element, start, end)))
            text = ("; " if about == "authors" else " ").join(citation.quote for citation in citations)
            sentences.append(Sentence(text, tuple(citations), "quoted", reason))
    return sentences, evidence


def _read_on(
    front: Sequence[Sequence[Element]], document: Document, collection: Collection
) -> Sequence[Sequence[Element]]:
    """Return the first pages and, if contents or a bare cover fill them, those on from the first with running text."""
    elements = [e for own in front for e in own]
    headings = [e for e in elements if e.kind == "heading" and e.page > 1]
    if any(map(_tells, elements)) or (headings and not any(_CONTENTS.fullmatch(e.text) for e in elements)):
        return front
    rest = [(document.id, n) for n in range(FRONT_PAGES + 1, min(document.n_pages, MOST_FRONT) + 1)]
    pages = collection.elements_on(rest)
    first = next((n for n, own in enumerate(pages) if any(map(_tells, own))), len(pages))
    return [*front, *pages[first : first + FRONT_PAGES]]


def _parts(about: About, pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the pieces of the first pages that say the title, the authors or the subject, each with the reason."""
    front = [[e for e in own if e.kind not in BESIDE_TEXT] for own in pages]
    title = title_of(front)
    if about == "authors":
        return _authors(front, title)
    parts = [("its title, by how large it is set", [(e, 0, len(e.text)) for e in title])] if title else []
    return parts + _subject(front, title) if about == "subject" else parts


def _authors(front: Sequence[Sequence[Element]], title: Sequence[Element]) -> list[tuple[str, list[Span]]]:
    """Return the lines of the first page that name authors, as one sentence: "by ..." lines, or those below the title.

    A page without paragraphs is a cover, with names anywhere on it. Names with a word of the title belong to its
    subject, except the name of a team if nobody else is named. Without any, a line such as "by Ada Holm" on the next
    pages is used.
    """
    title_ids = {e.id for e in title}
    page = list(front[0]) if front else []
    ends = min((e.bbox.y0 for e in page if _begins_summary(e)), default=1.0)
    below = 0.0
    if title:
        running = any(_is_paragraph(e) and e.text.rstrip().endswith((".", ":")) for e in page)
        below = max(e.bbox.y1 for e in title) + UNDER_TITLE if running else 1.0
    own = set(lower_words(" ".join(e.text for e in title))) - STOPWORDS
    candidates = [
        e for e in page
        if e.id not in title_ids and e.kind != "picture" and e.bbox.y1 <= ends and len(e.text.split()) <= AUTHOR_WORDS
        and any(own.isdisjoint(lower_words(name)) for name in _NAMES.findall(e.text)) and not _ENDS.search(e.text)
    ]  # fmt: skip
    candidates = [
        e for e in candidates if not any(map(names_date, e.text.split()))
    ] or candidates  # "for version 2, May 2022"
    authors = (
        [e for e in candidates if _BY.search(e.text)]
        or [e for e in candidates if e.bbox.y0 <= below]
        or [e for e in title[1:] if _NAMES.fullmatch(e.text.strip()) and not _THINGS.search(e.text)]
        or [e for e in page if e not in title[:1] and _NAMES.fullmatch(e.text.strip()) and _BODY.search(e.text.strip())]
    )
    where = "names on its first page"
    if not authors:
        where = "a line that says by whom, on its first pages"
        authors = [
            e
            for other in front[1:]
            for e in other
            if _BYLINE.match(e.text) and len(e.text.split()) <= AUTHOR_WORDS and not _ENDS.search(e.text)
        ]
    return [(where, [(e, 0, len(e.text)) for e in authors[:MOST_AUTHORS]])] if authors else []


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
    return element.kind in ("text", "list") and _is_paragraph(element) and not is_legal(element.text)


def _is_paragraph(element: Element) -> bool:
    return len(element.text.split()) >= PARAGRAPH_WORDS and _is_sentence(element.text)


def _is_sentence(text: str) -> bool:
    words = text.lower().split()
    return len(words) > SENTENCES and sum(w in STOPWORDS for w in words) >= len(words) / 8
