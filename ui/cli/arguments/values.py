"""The values of arguments: text from the command line -> numbers and words, or why it is none."""

from __future__ import annotations

import argparse


def existing_collection(name: str | None) -> str:
    """Return the name of a collection to ask: the given one, else `default`, else the only one that there is."""
    from indexing import list_collections

    known = () if name else list_collections()
    return name or ("default" if "default" in known or len(known) != 1 else known[0])


def positive(text: str) -> int:
    """Read a whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def descriptor(text: str) -> int:
    """Read the number of a file descriptor."""
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a file descriptor number")
    return int(text)


def port(text: str) -> int:
    """Read a port that a program may choose."""
    number = positive(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (1 to 65535)")
    return number


def question_words(text: str) -> str:
    """Read words to look for."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text.strip()
