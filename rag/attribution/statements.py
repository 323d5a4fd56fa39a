"""An answer as people and models write it -> its statements, and the marks by which they cite.

A list item often says little by itself: what stands above it (a heading, "LinkedIn counts:", the item that it belongs
to) is kept beside it. Pictures, rules and numbers of items are dropped; a source that is named in brackets is, too.
Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from indexing.language import sentence_spans

MarkKind = Literal["number", "raised", "author-year", "label", "footnote", "link"]
"""The style of a mark.

"number" is [3] or, where asked for, (3); "raised" a number above the line (Unicode's own digits, `^12`, or raised in
the PDF), which may be an entry or a footnote; "footnote" is Markdown's [^3]; "label" is [Smi20]; "link" an address.
"""
FindWorks = Callable[[str, str], "tuple[int, tuple[str, ...]] | None"]
"""A function of the words in a bracket and the text before it: how many characters of that text belong to the mark, and
the keys of the works that are named by authors and years; None where there are none.
"""
MOST_NUMBERS = 100
"""The most entries of one mark: [1-9999] is no citation, and [1-100] in a table of limits is cut short."""

_BRACKETS = re.compile(r"\[([^\[\]]{1,300})\](?:\(([^()\s]{1,500})\))?|\((?![^()]{0,396}\[\d{1,3}\D)([^()]{1,400})\)")
_NUMBERS = re.compile(
    r"\s*(?:(?:refs?|nos?|Nr|n)\.?\s?)?(\d{1,4}[a-z]?(?:\s?(?:[,;–—−-]|\bto\b|\band\b)\s{0,2}\d{1,4}[a-z]?){0,60})\s*"
)
_NUMBER = re.compile(r"(\d{1,4})[a-z]?(?:\s?(?:[–—−-]|\bto\b)\s?(\d{1,4}))?")
_LABELS = re.compile(
    r"\s*([A-Z][A-Za-z]{1,14}[+*]?'?\d{2}(?:\d{2})?[a-z]?(?:\s?[,;]\s?[A-Z][A-Za-z]{1,14}[+*]?'?\d{2}(?:\d{2})?[a-z]?){0,20})\s*"
)
_PLACE = re.compile(r"\s?[,:]\s(?:pp?|S|Seite|page|chap|ch|Sec|Section|Kap|Abb|Fig|Thm|Theorem|Lemma|Table)\b.{0,60}$")
_SUPERSCRIPTS = re.compile(
    r"[⁰¹²³⁴-⁹]{1,4}(?:[,⁻˒–·]\s?[⁰¹²³⁴-⁹]{1,4}){0,20}|\^(?:\{\d{1,4}(?:\s?[,–-]\s?\d{1,4}){0,20}\}|\d{1,4}(?:[,–-]\d{1,4}){0,20})"
)
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒·", "0123456789-,,")
_ADDRESS = re.compile(r"(?:https?://|\bdoi:\s?10\.|\bdoi\.org/|\barXiv:\s?\d)[^\s<>\"“”\[\]{}]{1,500}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A mark: `text[start:end]` of the text that was read, and the keys of the entries that it names, in its order.

    Keys are numbers ("3"; a range is written out), labels ("Smi20"), names with their year ("Smith 2020", "Smith &
    Jones 2019a", "World Health Organization 2020"; et al. is left out), the ids of footnotes ("3"), or addresses.
    """

    start: int
    end: int
    text: str
    kind: MarkKind
    keys: tuple[str, ...]


def citation_marks(
    text: str,
    *,
    superscripts: Iterable[tuple[int, int]] = (),
    parenthesised: bool = False,
    find_works: FindWorks = lambda _inner, _before: None,
) -> list[CitationMark]:
    """Return the marks of a text in its order, none over another.

    `superscripts` are what a PDF shows above the line; `parenthesised` takes (3) and (3, 7) for marks, which most
    papers use for their formulas; `find_works` finds marks of the style "author-year". Markdown's definitions of
    footnotes ("[^3]: ...") are none. Linear in the text.
    """
    bracketed_marks = _bracketed_marks(text, parenthesised, find_works)
    candidates = [*bracketed_marks, *_superscript_marks(text, superscripts), *_addresses(text)]
    candidates.sort(key=lambda mark: (mark.start, -mark.end))
    marks: list[CitationMark] = []
    for mark in candidates:
        if not marks or mark.start >= marks[-1].end:
            marks.append(mark)
    return marks


def _bracketed_marks(text: str, parenthesised: bool, find_works: FindWorks) -> Iterator[CitationMark]:
    """Yield marks in square brackets, those in "(see [3])" too, and in round ones; a year takes the names before it."""
    for match in _BRACKETS.finditer(text):
        square, target, inner = match[1], match[2], match[1] or match[3]
        start, end = match.span()
        if "\n\n" in inner:
            continue
        if square and inner[0] == "^":
            line = text[max(0, start - 4) : start].rpartition("\n")
            defined = text[end : end + 1] == ":" and not line[2].strip() and (bool(line[1]) or start < 4)
            if inner[1:].strip() and not defined:
                yield CitationMark(start, end, match[0], "footnote", (inner[1:].strip(),))
            continue
        if target and not target.startswith("#") and not target[0].isdigit():
            yield CitationMark(start, end, match[0], "link", (target,))
            continue
        end = match.end(1) + 1 if square else end
        if (square or parenthesised) and (numbers := _numbers(inner)):
            yield CitationMark(start, end, text[start:end], "number", numbers)
        elif square and (labels := _LABELS.fullmatch(_PLACE.sub("", inner))):
            keys = tuple(re.split(r"\s?[,;]\s?", labels[1]))
            yield CitationMark(start, end, text[start:end], "label", keys)
        elif works := find_works(inner, text[max(0, start - 120) : start]):
            start -= works[0]
            yield CitationMark(start, end, text[start:end], "author-year", works[1])


def _numbers(inner: str) -> tuple[str, ...]:
    """Return the numbers of a list such as "3, 5-7", with ranges written out; () if it is none ("12, p. 4" has one)."""
    match = _NUMBERS.fullmatch(_PLACE.sub("", inner))
    if match is None:
        return ()
    numbers: list[str] = []
    for part in _NUMBER.finditer(match[1]):
        first, last = int(part[1]), int(part[2] or part[1])
        if not 0 < first <= last or last >= 1500 or last - first >= MOST_NUMBERS:
            return ()
        numbers += [str(number) for number in range(first, last + 1)]
    return tuple(dict.fromkeys(numbers))[:MOST_NUMBERS]


def _superscript_marks(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[CitationMark]:
    """Yield marks of raised numbers after a word or punctuation; m², 10^3 and x^2 are no marks."""
    superscripts = ((match.start(), match.end()) for match in _SUPERSCRIPTS.finditer(text))
    for start, end in (*superscripts, *spans):
        numbers = _numbers(text[start:end].translate(_PLAIN).strip("^{} "))
        before = text[max(0, start - 3) : start].rstrip()
        word = len(before) == 3 and before.isalpha()
        if numbers and (word or before[-1:] in tuple(".,;:!?)]”“\"'’»")):
            yield CitationMark(start, end, text[start:end], "raised", numbers)


def _addresses(text: str) -> Iterator[CitationMark]:
    """Yield marks of the addresses in the text, without punctuation of the sentence after them."""
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(".,;:!?'’»")
        while address.endswith(")") and address.count("(") < address.count(")"):
            address = address[:-1].rstrip(".,;:!?'’»")
        if address:
            yield CitationMark(match.start(), match.start() + len(address), address, "link", (address,))


LEADS = re.compile(
    r"(?:(?:\b(?:according to|as (?:shown|reported|stated|noted|described) (?:in|by)|see(?: also)?|cf\.?|from|per))"
    r"|[(,;])\s{0,2}$",
    re.IGNORECASE,
)
"""The words before a mark that only lead to it."""
REACH = 40
"""The most characters before a mark in which such words are looked for."""
_EMPTY = re.compile(r"\(\s{0,3}\)|\[\s{0,3}\]")
_BEFORE = re.compile(r"[\s,;:]{1,4}(?=[.!?])|\s{1,3}(?=[,;:])")
MOST_MARKED = 4000
"""The most characters of a sentence that is searched for marks; checking takes no longer ones."""


def strip_marks(text: str) -> str:
    """Return a sentence without its marks; a name and a year in brackets may be part of what it says, and stay."""
    return without_marks(text, citation_marks(text), with_names=True) if len(text) <= MOST_MARKED else text


def without_marks(text: str, marks: Sequence[CitationMark], *, with_names: bool) -> str:
    """Return the sentence without these marks, and without the words that only led to one.

    Words of a link that are part of the sentence stay, and the names of "author-year" marks if `with_names` is True.
    """
    pieces: list[str] = []
    at = 0
    for mark in marks:
        words = _words_of_mark(mark) if with_names or mark.kind == "link" else ""
        before = text[at : mark.start]
        if not words:
            before = before[:-REACH] + LEADS.sub("", before[-REACH:])
        pieces += [before, words]
        at = mark.end
    pieces.append(text[at:])
    result = "".join(pieces) if marks else text
    return _BEFORE.sub("", " ".join(_EMPTY.sub("", result).split())).lstrip(" ,;:") if marks else text


def _words_of_mark(mark: CitationMark) -> str:
    """Return the words of a mark that are part of its sentence: the name before a year, the words of a link."""
    if mark.kind == "author-year" and not mark.text.startswith("("):
        return mark.text.partition("(")[0].strip()
    if mark.kind == "link" and mark.text.startswith("["):
        return mark.text[1:].partition("]")[0]
    return ""


MOST_STATEMENTS = 2000
"""The most statements that are taken from one text."""
_PICTURE = re.compile(r"!\[([^\]\n]{0,1000})\](?:\([^)\n]{0,500}\))?")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")
_SOURCE = re.compile(
    r"(?:\s?\b(?:[Ff]rom|[Ii]n|[Pp]er|[Ss]ee|[Bb]y))?\s?(?:\[|【)\s?(?:[A-Za-z]{0,12}\s?#?\d{1,4}[A-Za-z]?(?:\s?(?:[,;&-]|and)\s?)?){1,20}(?:\]|】)"
)
_AFTER = re.compile(
    r"(?<!\s)([.!?][\"\u201d\u2019)]?)\s?((?:\[\^?[\w,;\u2013 -]{1,60}\]){1,9}|"
    r"[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,4})"
    r"(?=\s+[A-Z\u00c0-\u00dd]|\s*$)"
)
"""The marks behind the end of a sentence, which belong to it: "rose.[3] Costs"."""
_RULE = re.compile(r"^\s*(?:[-*_=]\s?){3,}$|^\s*```|^\s*~~~")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+")
_ITEM = re.compile(r"^(\s*)(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)]|[a-z][.)])\s+")
_BOLD = re.compile(r"^\*\*([^*]{1,300})\*\*:?$")
_FORMULA = re.compile(r"\$([^$\n]{0,200}\\[^$\n]{0,200})\$")
_EMPHASIS = re.compile(
    r"\*{1,3}|(?<!\w)_{1,2}|_{1,2}(?!\w)|`+|\\(?:boxed|text(?:bf|it)?|mathsf|mathrm)\b|\\(?=[({}%$)\[\]])"
)


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    """A sentence or list item as it is read; `under` are the headings and items above it, from the outermost.

    `heading` is True for a line that only names what follows it, `item` for a sentence in a list item. `remark` says
    why it is not checked (an entry of a bibliography); it is empty if it is checked.
    """

    text: str
    under: tuple[str, ...] = ()
    heading: bool = False
    item: bool = False
    remark: str = ""


def statements(answer: str, most: int = MOST_STATEMENTS) -> list[AnswerStatement]:
    """Return the statements of an answer in order, at most `most`."""
    return [statement for _, statement in statements_of_lines(answer.splitlines(), most)]


def statements_of_lines(lines: Sequence[str], most: int = MOST_STATEMENTS) -> list[tuple[int, AnswerStatement]]:
    """Return the statements of an answer as (number of its line, from 0, statement)."""
    result: list[tuple[int, AnswerStatement]] = []
    above: list[tuple[int, str]] = []  # (depth, what stands above), the outermost first
    head: list[str] = []
    title = ""  # what the whole text is called: running text need not repeat it
    for number, line in enumerate(lines):
        if len(result) >= most:
            break
        if _RULE.match(line) or not line.strip():
            continue
        if line.lstrip().startswith("|"):
            row = _row(line, head)
            result += [(number, AnswerStatement(row, tuple(text for _, text in above)))] if row else []
            continue
        head = []
        depth, text = _depth(line)
        text = _visible_line(text)
        if not any(c.isalnum() for c in text):
            continue
        above = [(at, lead) for at, lead in above if at < depth]
        under = tuple(lead for _, lead in above)
        if _names_what_follows(line, text):
            title = plain(text).rstrip(":") if not result and _HEADING.match(line) else title
            result.append((number, AnswerStatement(text, under, heading=True)))
            above.append((depth, plain(text).rstrip(":")))
            continue
        sentences = list(
            _sentences(text, under if depth > 1 else tuple(u for u in under if u != title), item=depth > 1)
        )
        result += [(number, each) for each in sentences]
        if sentences[-1].heading:
            above.append((depth, plain(sentences[-1].text).rstrip(":")))
            continue
        label, colon, _ = plain(text).partition(":")
        if depth > 1 and len(text) < 200:
            above.append((depth, label if colon else plain(text)))
    return result[:most]


def plain(text: str) -> str:
    """Return a line of Markdown as plain text, without pictures, emphasis, and sources named in brackets."""
    return _visible_line(_SOURCE.sub("", text))


def _visible_line(text: str) -> str:
    """Return a line of Markdown as plain text; citation marks stay, moved before the full stop of their sentence."""
    text = _LINK.sub(r"\1", _PICTURE.sub(" ", text))
    text = _EMPHASIS.sub("", _FORMULA.sub(r"\1", text))
    text = _AFTER.sub(r" \2\1", text)
    return re.sub(r"(?<!\s)\s+([.,;:])", r"\1", " ".join(text.split())).lstrip(" ,;:")


def _depth(line: str) -> tuple[int, str]:
    """Return the depth of a line (a heading 0, running text 1, a list item 2 and more), and its text."""
    if match := _HEADING.match(line):
        return 0, line[match.end() :]
    if match := _ITEM.match(line):
        return 2 + len(match[1].expandtabs(4)), line[match.end() :]
    return (0 if _BOLD.match(line.strip()) else 1), line


def _names_what_follows(line: str, text: str) -> bool:
    """Return True for a heading, and for a line in bold, without a number or the end of a sentence."""
    bold = _BOLD.match(_depth(line)[1].strip())
    is_heading = bool(_HEADING.match(line)) or bold is not None
    return is_heading and not re.search(r"\d|[.!?]$", text)


def _sentences(text: str, under: tuple[str, ...], *, item: bool) -> Iterator[AnswerStatement]:
    """Yield the sentences of a line as statements; one that ends with a colon is a heading."""
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if any(c.isalnum() for c in sentence):
            yield AnswerStatement(sentence, under, heading=sentence.endswith(":"), item=item)


def _row(line: str, head: list[str]) -> str:
    """Return a table row with its headers ("City: Bergen; Ferries: 4"); the first row is put into `head`, giving ""."""
    cells = [plain(cell) for cell in line.strip().strip("|").split("|")]
    if all(re.fullmatch(r":?-*:?", cell) for cell in cells):
        return ""
    if not head:
        head += cells
        return ""
    pairs = zip_longest(cells, head[: len(cells)], fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for cell, name in pairs if cell)
