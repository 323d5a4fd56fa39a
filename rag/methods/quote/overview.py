"""Answer questions about a document as a whole: its imprint, and what it is about.

The subject is under a heading such as "Abstract", or in the first paragraphs; `imprint.py` finds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from indexing import Collection, Document, Element
from indexing.language import STOPWORDS, lower_words, sentence_spans
from rag.attribution import boxes_of
from rag.methods.quote.imprint import MOST_CHARS, PARAGRAPH_WORDS, SUMMARY, authors_of, date_of, title_of, venue_of
from rag.methods.quote.pieces import Span
from rag.types import Citation, Evidence, Sentence

About = Literal["title", "authors", "subject", "date", "venue"]

FRONT_PAGES = 4
"""The first pages, on which a document says what it is."""
MOST_DOCUMENTS = 3
"""The documents of which an overview is given, at most."""
SENTENCES = 2
"""The sentences that say what a document is about, besides its title."""
QUESTION_WORDS = 16
"""The most words of a question about a document as a whole."""

_THING = (
    r"(?:documents?|papers?|reports?|articles?|books?|files?|texts?|presentations?|slides?|decks?|manuals?|guides?|"
    r"brochures?|leaflets?|stud(?:y|ies)|thes[ie]s|letters?|pdfs?|publications?|surveys?|analys[ei]s|"
    r"specifications?|specs?|handbooks?|newsletters?|magazines?|bulletins?|tutorials?|memos?|proposals?|essays?|talks?|lectures?|"
    r"dokuments?|berichte?s?|artikels?|buch(?:e?s)?|textes?|handbuch(?:e?s)?|rapport|livre|manuels?)"
)
_THINGS = re.compile(rf"\b{_THING}\b", re.IGNORECASE)
_THE = r"(?:this|that|the|these|dieses?[rnm]?|da[sr]|d(?:er|em|en|ie)|ce(?:tte|t)?|du|le|la)"
_WHICH = rf"(?:(?!{_THE}\b)[\w-]+\s+)"
_THIS = rf"{_THE}\s+{_WHICH}{{0,3}}{_THING}"
_IT, _PRINTED = f"(?:{_THIS}|this|it)", "published|presented|appear(?:ed)?|printed|in|at|venue"
_DESCRIBED = re.compile(rf"\b{_THE}\s+{_WHICH}{{2,3}}{_THING}\b", re.IGNORECASE)
"""A document with two words or more that say which: if none is called so, none is meant."""


_MADE = (
    r"(?:(?:first|last|originally)\s+)?(?:published|released|issued|written|made|created|dated|updated|"
    r"veröffentlicht|erschienen|geschrieben|publiée?|écrite?)"
)


def _in_order(*ways: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern, without backtracking, of a line that has the words of one of `ways` in their order."""
    firsts = (("".join(rf"(?>.*?\b(?:{word})\b)" for word in way[:-1]), way[-1]) for way in ways)
    return re.compile("^(?:" + "|".join(rf"{first}.*\b(?:{last})\b" for first, last in firsts) + ")", re.IGNORECASE)


_PATTERNS: tuple[tuple[About, re.Pattern[str]], ...] = (
    ("title", _in_order(("title|titel|titre|called", _THIS), (f"name of {_THIS}",), (_THIS, "called|named|title"))),
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
        "venue",
        _in_order(
            ("where", _IT, _PRINTED),
            (r"(?:what|which)(?: is the)? (?:journal|conference|meeting|workshop|venue|series)", _IT, _PRINTED),
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
_LEGAL = re.compile(
    r"\b(?:copyright|licen[cs]ed?|lizenz|free software|freie software|logiciel libre|redistribut\w+|all rights|"
    r"warranty|permission (?:is|to)|alle rechte|tous droits)\b",
    re.IGNORECASE,
)


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
    """Return True if the rest of a question goes on to describe a document: then it does not mean the one at hand."""
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
        if about in ("date", "venue") and document.n_pages > FRONT_PAGES:
            pages.append((document.id, document.n_pages))
        parts = _spans_about(about, collection.elements_on(pages))
        for reason, spans in parts:
            citations = []
            for element, start, end in spans:
                item = Evidence(f"D{len(evidence) + 1}", element, document.name, 0.0)
                evidence.append(item)
                citations.append(Citation.of(item, element.text[start:end], boxes_of(element, start, end)))
            text = ("; " if about == "authors" else " ").join(citation.quote for citation in citations)
            sentences.append(Sentence(text, tuple(citations), "quoted", reason))
    return sentences, evidence


def _spans_about(about: About, pages: Sequence[Sequence[Element]]) -> list[tuple[str, list[Span]]]:
    """Return the spans of some pages that say what is asked for, with the reason for each group of spans."""
    if about == "date":
        return _with_reason("a date of its imprint", date_of(pages))
    if about == "venue":
        return _with_reason("a line that names where it was published", venue_of(pages))
    title = title_of(pages)
    if about == "authors":
        return _with_reason("names on its first pages", authors_of(pages, title))
    parts = _with_reason("its title, by its size and place", title)
    return parts + _subject(pages, title) if about == "subject" else parts


def _with_reason(reason: str, spans: Sequence[Span]) -> list[tuple[str, list[Span]]]:
    """Return [(reason, spans)] with successive lines of an element joined; [] without spans."""
    parts: list[Span] = []
    for element, start, end in spans:
        goes_on = parts and parts[-1][0] is element and not element.text[parts[-1][2] : start].strip()
        parts.append((element, parts.pop()[1] if goes_on else start, end))
    return [(reason, parts)] if parts else []


def _subject(pages: Sequence[Sequence[Element]], title: Sequence[Span]) -> list[tuple[str, list[Span]]]:
    """Return the sentences on what the document is about: those under a summary heading, or the first ones."""
    front = [[e for e in own if e.kind not in ("group", "header", "footer")] for own in pages]
    title_ids = {element.id for element, _, _ in title}
    running = [e for page in front for e in page if e.id not in title_ids and _may_describe(e)]
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


def _may_describe(element: Element) -> bool:
    """Return True for a paragraph that may say what a document is about, and is no legal notice."""
    return element.kind in ("text", "list") and _is_paragraph(element) and not _LEGAL.search(element.text[:MOST_CHARS])


def _is_paragraph(element: Element) -> bool:
    return len(element.text.split()) >= PARAGRAPH_WORDS and _is_sentence(element.text)


def _is_sentence(text: str) -> bool:
    words = text.lower().split()
    return len(words) > SENTENCES and sum(w in STOPWORDS for w in words) >= len(words) / 8
