"""An answer as people and models write it -> its statements: sentences and list items, without the marks of Markdown.

A list item often says little by itself: what stands above it (a heading, "LinkedIn counts:", the item that it belongs
to) is kept beside it. Pictures, rules and numbers of items are dropped; a source that is named in brackets is, too.
Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from indexing.language import sentence_spans

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
