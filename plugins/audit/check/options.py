"""The options of `vouch check`. Nothing heavy is imported here."""

from __future__ import annotations

from configs import CommandParser
from ui.cli import add_password, add_profile, add_scope, question_words


def add_check_options(check: CommandParser) -> None:
    """Add the options of `vouch check`."""
    check.add_argument(
        "text",
        metavar="FILE",
        help="the text: PDF, DOCX, HTML, Markdown, plain text, or a page as an image; - reads standard input",
    )
    check.add_argument(
        "--question", metavar="Q", type=question_words, help="the question that the text answers, if any"
    )
    add_scope(check, "check against")
    check.add_argument(
        "--export",
        metavar="DIR|FILE",
        help="write the text with its marks to a file (.md, .html, .json, .pdf for the pages that prove it, .bib or "
        ".ris for the works that do), or in all of these forms to a folder",
    )
    check.add_argument(
        "--annotated",
        metavar="FILE",
        help="write a copy of a PDF (.pdf) or a Word file (.docx) with a comment on each statement",
    )
    check.add_argument(
        "--overlay", metavar="DIR", help="write each cited page to this folder as a PNG, with the proof boxed"
    )
    add_password(check)
    add_profile(check)
    check.add_argument("--json", action="store_true", help="print the outcome as JSON and nothing else")
