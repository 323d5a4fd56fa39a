"""The options that several commands share: the collection, the profile, the password, what is looked for."""

from __future__ import annotations

import argparse

from ui.cli import folders
from ui.cli.arguments.values import descriptor, positive, question_words


def add_collection(parser: argparse.ArgumentParser) -> None:
    """Add the collection, which need not be there."""
    parser.add_argument(
        "--collection", "-c", metavar="NAME", default="default", help="the collection (default: %(default)s)"
    )


def add_existing_collection(parser: argparse.ArgumentParser) -> None:
    """Add the collection, which is one that is there."""
    parser.add_argument(
        "--collection", "-c", metavar="NAME", help="the collection (default: default, or the only one there is)"
    )


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Add the profile."""
    parser.add_argument(
        "--profile", metavar="P", default="default", help="the settings: a name in configs/, or a YAML file"
    )


def add_password(parser: argparse.ArgumentParser) -> None:
    """Add the ways to give the password of locked documents; it is seen by others only where it is an argument."""
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--password",
        metavar="PW",
        help="the password of locked documents; - asks for it (others on this machine can see one that is given here: "
        "VOUCH_PASSWORD is safer)",
    )
    ways.add_argument("--password-fd", type=descriptor, metavar="N", help="read the password from this file descriptor")


def add_retrieval(parser: argparse.ArgumentParser) -> None:
    """Add the options that asking and searching share."""
    parser.add_argument("question", metavar="QUESTION", type=question_words, help="the question, in quotes")
    add_existing_collection(parser)
    parser.add_argument(
        "--doc",
        action="append",
        default=[],
        metavar="D",
        help="use this document only, by name or id; may be repeated",
    )
    folders.add_where(parser)
    parser.add_argument(
        "--mode",
        choices=("text", "image", "multi"),
        help="search the text, the pixels of pages (image), or both (multi) (default: from the profile; otherwise "
        "both, if the collection has them)",
    )
    parser.add_argument(
        "--queries", type=positive, metavar="N", help="the most queries to make from the question (up to 20)"
    )
    parser.add_argument("--top-k", type=positive, metavar="K", help="the most passages to look at (up to 100)")
    parser.add_argument(
        "--image", metavar="FILE", help="an image that goes with the question: its words are searched for, too"
    )
    add_profile(parser)
