"""The hook that checks a commit message: `python -m tests.hooks.commit_message FILE`, as git calls it.

A subject has at most 72 characters and no full stop, and an empty line stands between it and the body. Git writes the
subjects of merges and reverts itself: they may be longer.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

MOST = 72
"""The most characters of a subject."""
_OF_GIT = ("Merge ", 'Revert "')
_SCISSORS = "# ------------------------ >8 ------------------------"


def complaint(message: str) -> str:
    """Return what is wrong with a commit message; "" for a good one. Git's own comments are no part of it."""
    written = message.partition(_SCISSORS)[0].splitlines()
    lines = "\n".join(line for line in written if not line.startswith("#")).strip().splitlines()
    if not lines:
        return "the message is empty"
    subject = lines[0]
    if len(subject) > MOST and not subject.startswith(_OF_GIT):
        return f"the subject has {len(subject)} characters, the limit is {MOST}: say one thing, and why in the body"
    if subject.endswith("."):
        return "the subject ends in a full stop: leave it out"
    if len(lines) > 1 and lines[1].strip():
        return "the second line is not empty: separate the body from the subject"
    return ""


def main(argv: Sequence[str]) -> int:
    """Check the message in a file; return 1 for one that is wrong, and say what."""
    wrong = complaint(Path(argv[0]).read_text(encoding="utf-8"))
    if wrong:
        sys.stderr.write(f"{wrong}\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
