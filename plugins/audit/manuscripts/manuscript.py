"""A file, or the bytes of one -> a manuscript: its form is known by its content, and read by the module for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts.composition import Form, Manuscript, PlacedStatement, build_manuscript
from rag.attribution import ENTRY, MOST_STATEMENTS, AnswerStatement, own_bibliography, statements_of_lines

if TYPE_CHECKING:
    from indexing import IndexingSettings, ParsedPage


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


MB = 1_000_000
MOST_BYTES: dict[Form, int] = {"text": 5 * MB, "html": 20 * MB, "docx": 100 * MB, "pages": 2000 * MB}
"""The most bytes of a file of each form that is read: the text of a book has a million."""
_PAGES = (b"%PDF-", b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0")
_HTML = re.compile(rb"<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])", re.IGNORECASE)
OnPage = Callable[[int, int], None]
"""A function that is called with the number of pages read so far, and of all pages."""


def read_manuscript(
    path: Path | str,
    password: str | None = None,
    *,
    name: str = "",
    settings: IndexingSettings | None = None,
    on_page: OnPage = lambda _done, _total: None,
) -> Manuscript:
    """Read a text to check: Markdown, plain text, HTML, DOCX, PDF, or another format with pages.

    A locked PDF is opened by `password`. `name` replaces the name of the file in messages. `on_page`
    is called after each page. Raises DocumentUnreadable, and for pages the FileError of the file.
    """
    path, display_name = Path(path), name or str(path)
    name = name or path.name
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(4096)
            form = form_of(head, path.suffix.lower())
            _check_size(size, form, name)
            data = head + file.read(MOST_BYTES[form]) if form != "pages" else b""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentUnreadable(f"{display_name}: cannot be read ({reason}): check the path") from None
    if form == "pages":
        return _from_pages(path, name, password, settings, on_page)
    return _from_bytes(data, name, form)


def written_statements(text: str) -> Sequence[PlacedStatement]:
    """Return the statements of a pasted or sent text, read as Markdown; none for an empty text."""
    return _from_bytes(text.encode(errors="replace"), "text.md", "text").statements if text.strip() else ()


def form_of(head: bytes, suffix: str) -> Form:
    """Return the form of a file by its first bytes; by its suffix if they are text or a ZIP archive."""
    if any(mark in head[:1100] if mark == b"%PDF-" else head.startswith(mark) for mark in _PAGES):
        return "pages"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "pages"
    if head.startswith(b"PK\x03\x04"):
        return "pages" if suffix in (".epub", ".xps", ".oxps") else "docx"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "docx"
    if suffix in (".html", ".htm", ".xhtml") or (suffix not in (".md", ".markdown", ".txt") and _HTML.search(head)):
        return "html"
    return "text"


def suffix_of(data: bytes) -> str:
    """Return the suffix for a file with these bytes, a text without a name, so that it is read by its content."""
    form = form_of(data[:4096], "")
    if form != "pages":
        return ".docx" if form == "docx" else ""
    suffixes = {b"\x89P": ".png", b"\xff\xd8": ".jpg", b"II": ".tif", b"MM": ".tif", b"RI": ".webp"}
    return suffixes.get(data[:2], ".pdf")


def _check_size(size: int, form: Form, name: str) -> None:
    if size == 0:
        raise DocumentUnreadable(f"{name}: it is empty, so there is nothing to check: give another file")
    if size > MOST_BYTES[form]:
        raise DocumentUnreadable(f"{name}: it has more than {MOST_BYTES[form] // MB} MB: check it in parts")


def _from_bytes(data: bytes, name: str, form: Form) -> Manuscript:
    """Return the manuscript of text, HTML or DOCX, which is read in this process. Raises DocumentUnreadable."""
    if form == "docx":
        from plugins.audit.manuscripts.docx_file import docx_blocks, external_targets, open_docx

        document = open_docx(data, name)
        targets = external_targets(document)
        note = (
            f"{name} loads what lies elsewhere when a word processor opens it; nothing was: {', '.join(targets)[:300]}."
        )
        return build_manuscript(name, form, docx_blocks(document), (note,) if targets else ())
    if form == "html":
        from plugins.audit.manuscripts.web_page import web_page_blocks

        return build_manuscript(name, form, web_page_blocks(data, name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise DocumentUnreadable(
            f"{name}: it is neither UTF-8 text nor HTML, DOCX or PDF: save it as one of these, and check that"
        )
    return markdown_manuscript(name, text)


def _from_pages(
    path: Path, name: str, password: str | None, settings: IndexingSettings | None, on_page: OnPage
) -> Manuscript:
    """Return the manuscript of a file with pages, which are read as for an index. Raises FileError too."""
    from plugins.audit.manuscripts.pages import page_blocks

    def read_pages() -> Generator[ParsedPage]:
        from indexing import pages_of

        with closing(pages_of(path, settings, password)) as pages:
            for page, total in pages:
                on_page(page.page.number, total)
                yield page

    with closing(read_pages()) as pages:
        manuscript = build_manuscript(name, "pages", page_blocks(pages))
    if not manuscript.statements:
        raise DocumentUnreadable(
            f"{name}: no text could be read on its pages, not even by OCR: it consists of pictures, so there "
            "is nothing to check"
        )
    return manuscript
