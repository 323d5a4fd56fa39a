"""Find the imprint of a document (title, authors, date, venue) on its first pages, its last, and in running heads.

No title page says "the title is": what is printed there is known by its size, its place and its form. The lines are
returned as they stand, and nothing more is claimed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

import numpy as np

from indexing import Element
from indexing.language import MODERN_YEAR, STOPWORDS, lower_words, quantities
from rag.methods.quote.pieces import Span

MOST_CHARS, PARAGRAPH_WORDS, MOST_AUTHORS = 2000, 15, 12
"""The characters of an element that are looked at, the least words of a paragraph, the most lines that name authors."""
ALONE, BEFORE = 10, 40
"""The most words of a line on the first page whose date is that of the document, and the characters before a date in
which a word says that it is that of the publication, or of something else."""
COVER, SET_ALIKE, LARGER, LARGEST = 60, 0.75, 1.3, 0.2
"""The most words of a cover, whose largest letters are the title; the share of their height from which more belongs to
it; elsewhere the least height in units of the page's usual letters; and the most as a share of the page."""
UNDER_TITLE, LOWEST, HEAD_WORDS = 0.25, 0.9, 3
"""The share of the page below the title with its authors' names, where its foot begins, the least words of a head."""
MOST_WORDS, LAST_WORDS = 40, 24
"""The most words of what may state date, names or venue on the first pages, and on the last: more are running text."""
SUMMARY = re.compile(
    r"^\W*(?:\d+\W+)?(?:abstract|(?:executive )?summary|overview|introduction|about this \w+|(?:main|key) findings|"
    r"purpose|zusammenfassung|einleitung|überblick|résumé)\b",
    re.IGNORECASE,
)
"""The beginning of the heading of a summary, or of an introduction."""

_SECTION = re.compile(r"^\W*\d{1,2}(?:\.\d{1,2})*\.?\s+\w")
"""The beginning of the heading of a section with a number, which is no title."""
_CITED_TITLE = re.compile(r"\b(?:citation|cite)\b[^“”]{0,400}“([^”]{10,300}?)[.,]?”", re.IGNORECASE)
"""A title in quotation marks, in what a report gives as its citation."""
_NAME = r"(?:[A-ZÀ-Þ][\w'’\u02db\u00a8\u00b4`-]{1,40}|[A-ZÀ-Þ]\.-?|d[aeiu]|v[ao]n|de[rn]|l[ae]|dos)"
_NAMED = re.compile(rf"[A-ZÀ-Þ][\w'’\u02db\u00a8\u00b4`.-]{{0,40}}(?:(?:\s|(?<=\.)|(?<=\.-)){_NAME}){{1,30}}")
_BY = re.compile(
    r"\W*(?:(?i:(?:prepared|written|edited|presented) by|by|von|par)\s+(?=[A-ZÀ-Þ])(?![A-Z]{2,}\s+[A-Z]{4,})|"
    r"(?i:authors?|autor(?:en)?|auteurs?)\b(?:\(s\))?\W*)"
)
"""The beginning of a line that says by whom; "BY NET PROFIT" does not."""
_CONTACTS = re.compile(
    r"\b(?:inquiries|enquiries|contacts?|further information|citation)\b\W*$|inquiries:|information on", re.IGNORECASE
)
_AFFILIATION = re.compile(
    r"\b(?:universit\w*|instit\w*|dep(?:artmen)?t|schools?|college|cent(?:er|re)|laborator\w*|labs?|academy|facult\w*|"
    r"division|agency|office|ministry|council|committee|commission|association|society|foundation|inc|ltd|llc|gmbh|"
    r"corp\w*|company|group|bank|court|board|district|survey|programs?|services?|press|journal|conference|proceedings|"
    r"reports?|manual|guide|versions?|editions?|series|street|avenue|road|boulevard|drive|table|contents|figure|"
    r"states?|united|city|county|government|summary|review|research|library|analysts|language)\b",
    re.IGNORECASE,
)
"""The words of places, bodies and kinds of text, which a person's name does not have."""
_ADDRESS = re.compile(r"\S{1,80}@\S{1,80}")
_NUMBER = re.compile(r"\d{2}")
"""A number as in an address or a date; a mark of a footnote has one digit."""
_MARKS = re.compile(r"[\d*†‡§¶\u2217\u22c6\u02c6¹²³\u2070-\u207f\ufffd]+")
_PUBLISHED = re.compile(
    r"\b(?:for release|released?|publi(?:shed|cation)|issued|dated?|e?filed|updated|revised|revision|version|edition|"
    r"printed|effective|available online|(?:as|correct) at|stand|veröffentlicht|erschienen|ausgabe|publié)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:ended|ending|conducted|received|accepted|retrieved|accessed|since|until|by|"
    r"dates? of (?!publication|issue|release))\b",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?<![\w./-])(?:\d{1,2}([./-])\d{1,2}\1(?:(?:19|20)\d\d|\d\d)|(?:0?[1-9]|1[0-2])[./]20\d\d)(?![\w/-])"
)
"""A date in numbers: 3/17/04, 25-03-2015, 12.2014."""
_VENUE = re.compile(
    r"\b(?:(?<!this )journal|proceedings|transactions|conference on|findings of|workshop on|symposium on|meeting,|"
    r"annals of|working papers?|lecture notes|vol(?:ume|\.)? ?\d+|zeitschrift|revue|tagung)\b|\barxiv:|\bin proc\.|"
    r"[©⃝] ?20\d\d (?:IEEE|ACM)",
    re.IGNORECASE,
)
"""The words of a journal, a conference or a series in the line that names it."""
_YEAR = re.compile(rf"(?<![\w.,-]){MODERN_YEAR}(?![\w.,-]\d)")
_APART = ("group", "picture", "formula")
_MARGINS = ("header", "footer")


@dataclass(frozen=True, slots=True)
class FrontLine:
    """A printed line: `element.text[start:end]`, with its top as a share of the page."""

    element: Element
    start: int
    end: int
    top: float

    @property
    def text(self) -> str:
        """The words of the line."""
        return self.element.text[self.start : self.end]


def lines_of(elements: Sequence[Element]) -> list[FrontLine]:
    """Return the lines of short texts in reading order, without those of pictures and formulas."""
    lines = []
    for element in elements:
        words = element.words
        short = element.kind not in _APART and len(element.text[:MOST_CHARS].split()) <= MOST_WORDS
        for _, numbers in groupby(range(len(words) if short else 0), key=words.lines.tolist().__getitem__):
            at = list(numbers)
            start, end = int(words.spans[at[0], 0]), int(words.spans[at[-1], 1])
            lines.append(FrontLine(element, start, end, float(words.boxes[at, 1].min())))
    return lines


def title_of(pages: Sequence[Sequence[Element]]) -> list[Span]:
    """Return the title: from a citation on the first page, its largest letters, or the running head; [] without any."""
    page = [e for e in pages[0] if e.kind not in (*_APART, *_MARGINS)] if pages else []
    for before, element in zip(["", *(e.text[-ALONE * 4 :] for e in page)], page, strict=False):
        match = _CITED_TITLE.search(f"{before} {element.text[:MOST_CHARS]}")
        if match and match.start(1) > len(before):
            return [(element, match.start(1) - len(before) - 1, match.end(1) - len(before) - 1)]
    running, head = _running_heads(pages)
    title = _largest(page) or _before_names(page) or running[:1] or _first(page) or head[:1]
    return [(element, 0, len(element.text.rstrip())) for element in title]


def _largest(page: Sequence[Element]) -> list[Element]:
    """Return the first element in the largest letters of a page and those like it that follow; [] if none is larger.

    Headings come before other text, one of a single word only if it is larger; a title is larger than the rest of its
    page, unless that is a cover.
    """
    usual = float(np.median([_height(e) for e in page if len(e.words)] or [0.0]))
    heights = _title_heights(page, ("heading",), 2, usual) or max(
        _title_heights(page, ("text", "caption"), 2, usual),
        _title_heights(page, ("heading",), 1, usual),
        key=lambda by_id: max(by_id.values(), default=0.0),
    )
    if not heights and sum(len(e.text.split()) for e in page) <= COVER:
        heights = _title_heights(page, ("heading", "text", "caption"), 2, 0.0)
    if not heights:
        return []
    large = {key for key, height in heights.items() if height >= SET_ALIKE * max(heights.values())}
    start = next(n for n, e in enumerate(page) if e.id in large)
    return list(takewhile(lambda element: element.id in large, page[start:]))


def _title_heights(page: Sequence[Element], kinds: Sequence[str], words: int, usual: float) -> dict[str, float]:
    """Return the ids of what may be a title, of these kinds and so many words or more, with the heights of its letters.

    `usual` is the height of the page's letters.
    """
    heights = {e.id: _height(e) for e in page if e.kind in kinds and _may_be_title(e, words)}
    return {key: height for key, height in heights.items() if LARGER * usual <= height <= LARGEST}


def _height(element: Element) -> float:
    """Return the median height of an element's words, a fraction of the page; 0 without words."""
    boxes = element.words.boxes
    return float(np.median(boxes[:, 3] - boxes[:, 1])) if len(boxes) else 0.0


def _before_names(page: Sequence[Element]) -> list[Element]:
    """Return the element right above a line that begins with "by" on the upper half of the page, in a list."""
    at = next((n for n, e in enumerate(page) if _BY.match(e.text) and e.bbox.y0 < 0.5), 0)
    return [e for e in page[max(at - 1, 0) : at] if len(e.text.split()) <= MOST_WORDS and not _dates_in(e.text)]


def _first(page: Sequence[Element]) -> list[Element]:
    """Return the topmost element of the page, in a list, if it is a heading that may be a title."""
    top = min((e.bbox.y0 for e in page), default=0.0)
    return [e for e in page if e.kind == "heading" and e.bbox.y0 <= top and _may_be_title(e, 1)]


def _running_heads(pages: Sequence[Sequence[Element]]) -> tuple[list[Element], list[Element]]:
    """Return the texts in the first page's margins that another page has, too, and those in its page header."""
    margins = [[e for e in page if e.kind in _MARGINS or e.bbox.y0 > LOWEST] for page in pages]
    times = Counter(text for own in margins for text in {_words_alone(e.text) for e in own})
    own = [e for e in margins[0] if HEAD_WORDS <= len(_words_alone(e.text).split()) <= MOST_WORDS] if margins else []
    return [e for e in own if times[_words_alone(e.text)] > 1], [e for e in own if e.kind == "header"]


def _words_alone(text: str) -> str:
    """Return the words of a text in lower case, without the number of its page."""
    return " ".join(re.findall(r"[^\W\d_]{2,}", text[:MOST_CHARS].lower()))


def _may_be_title(element: Element, words: int) -> bool:
    """Return True for at least `words` words that are no heading of a section, sentence, date or line of names."""
    text = element.text.strip()
    if _SECTION.match(text) or _BY.match(text) or (element.kind != "heading" and text.endswith(".")):
        return False
    if (words == 1 and SUMMARY.match(text)) or (len(text.split()) <= ALONE and _dates_in(text)):
        return False
    return sum(c.isalpha() for c in text) >= len(text) / 2 and len(text.split()) >= words


def authors_of(pages: Sequence[Sequence[Element]], title: Sequence[Span]) -> list[Span]:
    """Return the lines that name authors: those that begin with "by", or the names below the title.

    A page without paragraphs is a cover, with names anywhere on it. Without any on the first page, a line such as "by
    Ada Holm" on the next pages is used.
    """
    page = pages[0] if pages else []
    title_ids = {element.id for element, _, _ in title}
    own = set(lower_words(" ".join(e.text[a:b] for e, a, b in title))) - STOPWORDS
    fit = [e for e in page if e.id not in title_ids and e.kind not in (*_APART, *_MARGINS, "list")]
    ends = min((e.bbox.y0 for e in fit if _begins_summary(e) or _CONTACTS.search(e.text)), default=1.0)
    lines = [line for line in _lines_with_names(fit, own) if line.top < ends]
    running = any(len(e.text.split()) > PARAGRAPH_WORDS and e.text.rstrip().endswith((".", ":")) for e in page)
    below = max((e.bbox.y1 + UNDER_TITLE for e, _, _ in title), default=0.0) if running else 1.0
    authors = [line for line in lines if _BY.match(line.text)] or [
        line for line in lines if line.top <= below and line.element.kind != "table"
    ]
    if not authors:
        authors = [line for later in pages[1:] for line in _lines_with_names(later, set()) if _BY.match(line.text)]
    in_title = [(e, a, b) for e, a, b in title[1:] if _is_person(e.text[a:b], set())]
    return [(line.element, line.start, line.end) for line in authors[:MOST_AUTHORS]] or in_title


def _lines_with_names(elements: Sequence[Element], title_words: set[str]) -> list[FrontLine]:
    """Return the lines that begin with a person's name, and those of the same element that continue with names."""
    lines: list[FrontLine] = []
    for line in lines_of(elements):
        names = [_is_person(part, title_words) for part in _name_parts(line.text)]
        goes_on = bool(lines) and lines[-1].element is line.element
        if names and (names[0] or (goes_on and any(names))):
            lines.append(line)
    return lines


def _name_parts(text: str) -> list[str]:
    """Return the parts of a line between commas, "and" and footnote marks, without "by"; [] for an address."""
    by = _BY.match(text)
    rest = _ADDRESS.sub(",", text[by.end() if by else 0 :])
    if _NUMBER.search(rest) or _SECTION.match(rest) or rest.startswith("("):
        return []
    parts = re.split(r"[,;|(+]|\b(?:and|und|et)\b", _MARKS.sub(",", rest))
    return [part.strip(" .:)") for part in parts if part.strip(" .:)")]


def _is_person(name: str, title_words: set[str]) -> bool:
    """Return True for two words or more that look like a person's name, and share none with the title."""
    words = lower_words(name)
    if len(words) < 2 or not title_words.isdisjoint(words):
        return False
    return bool(_NAMED.fullmatch(name)) and words[0] not in STOPWORDS - {"a"} and not _AFFILIATION.search(name)


def _begins_summary(element: Element) -> bool:
    """Return True for the heading of a summary, or for a summary that begins with its heading.

    "Abstract Syntax Notation One" does not count.
    """
    match = SUMMARY.match(element.text)
    if match is None or element.kind == "heading":
        return match is not None
    rest = element.text[match.end() :].lstrip(" ")
    return not rest[:1].isalnum() or len(rest.split()) > 2 * PARAGRAPH_WORDS


def date_of(pages: Sequence[Sequence[Element]]) -> list[Span]:
    """Return the line that states the date: the surest one of the first page that has any.

    `pages` are all elements of the document's first pages and its last one, with headers and footers.
    """
    for number, page in enumerate(pages):
        is_last = bool(page) and page[0].page != number + 1
        own = [e for e in page if not is_last or len(e.text[:MOST_CHARS].split()) <= LAST_WORDS]
        if dates := list(_dates(own, first=number == 0)):
            surest = max(sure for sure, _ in dates)
            return [next(span for sure, span in dates if sure == surest)]
    return []


def _dates(page: Sequence[Element], *, first: bool) -> Iterator[tuple[int, Span]]:
    """Yield possible dates of the document: with 3 if a word such as "published" says so, 2 for a line of its own.

    1 is for the year in a line that names the venue.
    """
    for line in lines_of(page):
        text, kind = line.text, line.element.kind
        for start, end in _dates_in(text):
            before = text[max(start - BEFORE, 0) : start]
            other = max((m.start() for m in _ELSE.finditer(before)), default=-1)
            cue = next((m.start() for m in _PUBLISHED.finditer(before) if m.start() > other), -1)
            if "received" in line.element.text.lower() and before[cue:].lower().startswith("revised"):
                continue
            if cue >= 0:
                yield 3, (line.element, line.start + start - len(before) + cue, line.start + end)
            elif first and other < 0 and len(text.split()) <= ALONE and kind != "table":
                yield 2, (line.element, line.start, line.end)
        if first and kind not in ("list", "table") and _VENUE.search(text) and _YEAR.search(text):
            yield 1, (line.element, line.start, line.end)


def _dates_in(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of the dates with year and month, in words or in numbers."""
    if not any(c.isdigit() for c in text[:MOST_CHARS]):
        return []
    moments = (one for one in quantities(text[:MOST_CHARS]) if one.kind == "moment" and one.year and one.month)
    return [(one.start, one.end) for one in moments] or [m.span() for m in _DATED.finditer(text[:MOST_CHARS])]


def date_in(text: str) -> tuple[int, int] | None:
    """Return (start, end) of the first date with a year that a line states, or None."""
    dates = (one for one in quantities(text[:MOST_CHARS]) if one.kind == "moment" and one.year)
    return next(((date.start, date.end) for date in dates), next(iter(_dates_in(text)), None))


def venue_of(pages: Sequence[Sequence[Element]]) -> list[Span]:
    """Return the text that names the journal, the conference or the series, on the first page or in a running head."""
    for number, page in enumerate(pages):
        own = [e for e in page if e.kind in _MARGINS or (number == 0 and e.kind in ("heading", "text", "footnote"))]
        for element in own:
            if len(element.text.split()) <= MOST_WORDS and _VENUE.search(element.text):
                return [(element, 0, len(element.text.rstrip()))]
    return []
