"""`vouch demo`: index the sample documents that come with Vouch, answer a question, and draw the cited pages."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import samples
from ui.cli.parser import main

_NEXT = """
The cited pages, boxed, are in {folder}. Next:
  {vouch} serve                                      ask in the browser, click a number, see its page
  {vouch} ask "your question" --collection samples   another question
  {vouch} index YOUR/FOLDER --collection mine        your own documents
  {vouch} models                                     a model that writes the answers: what fits this machine"""


def demo(args: Namespace) -> int:
    """Run `vouch demo`; return the exit code of its first step that fails, else 0."""
    of_samples = ("--collection", samples.NAME)
    steps = (["index", "--samples"], ["ask", args.question, *of_samples, "--overlay", args.overlay])
    for arguments in steps:
        if code := main(arguments):
            return code
    print(_NEXT.format(folder=args.overlay, vouch=_vouch()), flush=True)
    return 0


def _vouch() -> str:
    """Return the command that started this process, for the printed examples: `vouch` or .venv/bin/vouch."""
    command = Path(sys.argv[0])
    return "vouch" if command.is_absolute() or command.name != "vouch" else str(command)
