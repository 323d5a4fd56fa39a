"""The options of `vouch check`, `vouch audit` and `vouch bibliography`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

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


FAILS = ("invented", "questionable", "errors", "unknown", "missing")
"""The outcomes for which the command can fail; the last is that marks in the text have no entry."""
_FORMATS = """\
examples:
  vouch bibliography add a.bib b.ris --name group    read several files into one

Formats: BibTeX (.bib), RIS (.ris), CSL-JSON (.json), and the dumps of Crossref, OpenAlex and arXiv
(.json, .jsonl), each also with .gz; from a folder, all such files are read. Works already there are not added again.
exit code: 0 all was read, 2 a file could not be read (what came before it is kept), 130 stopped by Ctrl-C
"""


def add_audit_options(audit: argparse.ArgumentParser) -> None:
    """Add the paper, what it is held against, and what is made of the outcome."""
    audit.add_argument(
        "paper",
        metavar="PAPER",
        help="the paper, or its bibliography alone: PDF, DOCX, HTML, Markdown, BibTeX, or lines",
    )
    audit.add_argument(
        "--collection",
        "-c",
        metavar="NAME",
        help="also look among the documents of this collection",
    )
    audit.add_argument(
        "--bibliography",
        "-b",
        action="append",
        default=[],
        metavar="FILE",
        help="a bibliography to look in: BibTeX, CSL-JSON or RIS; may be repeated (for large ones, use vouch "
        "bibliography)",
    )
    audit.add_argument(
        "--export",
        action="append",
        default=[],
        metavar="FILE",
        help="write the report (.pdf: the paper, with a coloured box around each entry, .html or .json), or corrected "
        "entries for works with a known record (.bib); may be repeated",
    )
    audit.add_argument(
        "--fail-on",
        type=_outcomes,
        metavar="LIST",
        help=f"exit with 1 if any entry is one of these: {', '.join(FAILS)}; for CI. invented: two independent "
        "signs. questionable: one. missing: marks in the text without an entry, counted only if they are written as "
        "the paper writes the marks that have one",
    )
    audit.add_argument("--json", action="store_true", help="print the outcome as JSON and nothing else")
    add_password(audit)
    add_profile(audit)


def _outcomes(text: str) -> tuple[str, ...]:
    """Read outcomes with commas between them."""
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names or not set(names) <= set(FAILS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {', '.join(FAILS)}")
    return names


def add_bibliography_options(bibliography: argparse.ArgumentParser) -> None:
    """Add the commands below `vouch bibliography`, each with its options."""
    below = bibliography.add_subparsers(dest="action", metavar="COMMAND", title="commands", required=True)
    help_text = "read files of records into a new or an existing bibliography"
    add = below.add_parser("add", help=help_text, description=f"{help_text.capitalize()}.", epilog=_FORMATS)
    add.add_argument("files", nargs="+", metavar="FILE", help="a bibliography, a dump of records, or a folder of them")
    add.add_argument("--name", metavar="N", help="the bibliography (default: named after the first file)")
    add.add_argument(
        "--complete",
        action=argparse.BooleanOptionalAction,
        help="promise that it has every work that your papers may cite: a reference that it lacks is questionable",
    )
    help_text = "list the bibliographies, with their records and promises"
    listing = below.add_parser("list", help=help_text, description=f"{help_text.capitalize()}.")
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    help_text = "delete a bibliography; the files that it was read from are kept"
    remove = below.add_parser("remove", help=help_text, description=f"{help_text.capitalize()}.")
    remove.add_argument("name", metavar="NAME", help="the bibliography")
