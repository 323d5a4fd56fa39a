"""The options of `vouch audit`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse

from ui.cli import add_password, add_profile

FAILS = ("invented", "questionable", "errors", "unknown", "missing")
"""The outcomes for which the command can fail; the last is that marks in the text have no entry."""


def add_audit_options(audit: argparse.ArgumentParser) -> None:
    """Add the paper, what it is held against, and what is made of the outcome."""
    audit.add_argument(
        "paper",
        metavar="PAPER",
        help="the paper, or its bibliography alone: PDF, DOCX, HTML, Markdown, LaTeX (.tex, .bbl), BibTeX, or lines",
    )
    audit.add_argument(
        "--collection",
        "-c",
        metavar="NAME",
        help="also look among the documents of this collection, and store the verified records there",
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
        "--sources",
        metavar="FOLDER",
        help="a folder of the cited papers: each sentence that cites one is checked against it",
    )
    audit.add_argument(
        "--export",
        metavar="FILE",
        help="write the report: .pdf (the paper, with a coloured box around each entry), .html, .md or .json",
    )
    audit.add_argument("--bibtex", metavar="FILE", help="write corrected entries for works with a known record")
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
    named = tuple(part.strip() for part in text.split(",") if part.strip())
    if not named or not set(named) <= set(FAILS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {', '.join(FAILS)}")
    return named
