"""Plain text and Markdown -> a manuscript: the statements are those of `rag.attribution`, with their characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from plugins.audit.manuscripts.composition import Manuscript, PlacedStatement
from rag.attribution import ENTRY, MOST_STATEMENTS, AnswerStatement, own_bibliography, statements_of_lines

_ITEM = re.compile(r"^(\s*)(?:[-*+\u2022\u2013]|\(?\d{1,3}[.)])\s+")
_STRUCTURE = re.compile(r"^\s*(?:[#|>`~]|[-*+\u2022\u2013=_]{1,3}(?:\s|$)|\(?\d{1,3}[.)]\s|[-*_=]{3,})|^(?: {4}|\t)")
_ADDRESS = re.compile(r"(?<!!)\[[^\]\n]{1,200}\]\(([^)\s]{1,500})")
_NOTE = re.compile(r"\[\^([\w-]{1,40})\](?!:)")
_DEFINED = re.compile(r"^\[\^([\w-]{1,40})\]:\s*(.+)")
_BULLET = re.compile(r"^[-*+\u2022]\s+")
_CLOSING = ")]\"'*_`\u201d\u2019\u00bb"
_LEFT_OUT = 3000
"""The most characters between two characters of a statement: a picture and a link with their addresses."""
FILLED, LONGEST = 55, 160
"""The least and the most characters of a line that continues in the next, as it was broken to fit a width."""


def markdown_manuscript(name: str, text: str) -> Manuscript:
    """Return a text with its statements; lines that were broken to fit a width are joined."""
    lines = unwrap_lines(text).splitlines(keepends=True)
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    notes = {match[1]: match[2].strip() for line in lines if (match := _DEFINED.match(line))}
    _, rest = own_bibliography("".join(lines))
    claiming = [line.rstrip("\r\n") for line in rest.splitlines()]
    claiming += [""] * (len(lines) - len(claiming))  # blank lines at the end, which entries took with them
    statements = list(_entries(lines, starts, claiming))
    last, cursor = -1, 0
    for number, statement in statements_of_lines(claiming, MOST_STATEMENTS + 1):
        line = lines[number].rstrip()
        cursor = cursor if number == last else 0
        start, end = _span(line, statement, cursor)
        last, cursor = number, end
        sentence = line[start:end]
        statements.append(
            PlacedStatement(
                statement.text, statement.under, statement.heading, statement.item, statement.remark,
                starts[number] + start, starts[number] + end,
                links=tuple(dict.fromkeys(_ADDRESS.findall(sentence))),
                footnotes=tuple(notes[key] for key in dict.fromkeys(_NOTE.findall(sentence)) if key in notes),
            )
        )  # fmt: skip
    statements.sort(key=lambda statement: statement.start)
    return Manuscript(name, "text", text, statements)


def _entries(lines: Sequence[str], starts: Sequence[int], claiming: Sequence[str]) -> Iterator[PlacedStatement]:
    """Yield the entries of the text's own bibliography: lines that claim nothing, with the indented ones below each."""
    entry_lines: list[int] = []  # the line numbers of the entry that is being read
    for number, (line, claim) in enumerate(zip(lines, claiming, strict=True)):
        if not line.strip() or claim.strip():
            continue
        if entry_lines and not (number == entry_lines[-1] + 1 and line[0] in " \t"):
            yield _entry(lines, starts, entry_lines)
            entry_lines = []
        entry_lines.append(number)
    if entry_lines:
        yield _entry(lines, starts, entry_lines)


def _entry(lines: Sequence[str], starts: Sequence[int], numbers: Sequence[int]) -> PlacedStatement:
    text = " ".join(lines[number].strip() for number in numbers)
    first, last = numbers[0], numbers[-1]
    start = starts[first] + len(lines[first]) - len(lines[first].lstrip())
    end = starts[last] + len(lines[last].rstrip())
    return PlacedStatement(_BULLET.sub("", text), remark=ENTRY, start=start, end=end)


def unwrap_lines(text: str) -> str:
    """Replace each line break that only wraps a paragraph by a blank; the text keeps its length.

    Such a line is neither short nor long, ends no sentence, and the next begins no list, heading or other structure.
    """
    lines = text.split("\n")
    parts: list[str] = []
    fenced = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bare = line.rstrip()
        fenced ^= bare.lstrip().startswith(("```", "~~~"))
        begun = bool(parts) and parts[-1] == " "
        broken = not fenced and FILLED <= len(bare) <= LONGEST and bare[-1] not in ".!?:;|" and "\r" not in line[:-1]
        opens = _STRUCTURE.match(line) is not None and not (begun or _ITEM.match(line))
        parts += [
            line,
            " " if broken and not opens and following.strip() and not _STRUCTURE.match(following) else "\n",
        ]
    return "".join(parts[:-1])


def _span(line: str, statement: AnswerStatement, cursor: int) -> tuple[int, int]:
    """Return (start, end) of a statement in its line from `cursor` on, by the order of its characters; of a row all."""
    if line.lstrip().startswith("|"):
        return len(line) - len(line.lstrip()), len(line)
    at, first = cursor, -1
    for sign in statement.text:
        position = line.find(sign, at, at + _LEFT_OUT) if not sign.isspace() else -1
        if position >= 0:
            first = position if first < 0 else first
            at = position + 1
    while at < len(line) and line[at] in _CLOSING:
        at += 1
    return max(first, 0), max(at, first + 1)
