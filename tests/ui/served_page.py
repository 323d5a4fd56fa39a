"""`python -m tests.ui.served_page`: the page over a desk with prepared answers; prints its address, ends with stdin.

A process of its own, with the network cut: Gradio leaves event loops open when it is stopped inside another program.
"""

from __future__ import annotations

import json
import socket
import sys

from rag import Answer, RagError, Sentence
from tests import network
from tests.ui.made_up import answer, citation, hostile_answer
from ui.app import build_page, launch
from ui.render import PageView


class QuietDesk:
    """One collection; the question chooses the answer."""

    def collections(self) -> tuple[str, ...]:
        """Only the samples."""
        return ("samples",)

    def ask(self, name: str, question: str) -> Answer:
        """An answer, a hostile one, an error of ours (`ours`) or a bug (`bug`)."""
        assert name == "samples"
        if question == "ours":
            raise RagError("the model server did not answer: start it")
        if question == "bug":
            raise ZeroDivisionError("a secret")
        return hostile_answer() if question == "hostile" else answer(Sentence("Yes.", (citation(),), "supported"))

    def pages(self, name: str, found: Answer) -> tuple[PageView, ...]:
        """One page without a picture."""
        assert name
        return (PageView("id", "report.pdf", 1, 9, "data:,", 4, 5, [(1, found.citations[0])], {1: (0.1, 0.1)}),)


def main() -> None:
    """Serve until stdin is closed, then say what tried to leave the machine."""
    network.cut()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = build_page(QuietDesk(), "samples")  # type: ignore[arg-type]
    say = sys.stdout
    say.write(launch(page, "127.0.0.1", port, block=False) + "\n")
    say.flush()
    sys.stdin.read()
    say.write(json.dumps(network.attempts))


if __name__ == "__main__":
    main()
