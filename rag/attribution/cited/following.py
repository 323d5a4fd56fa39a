"""Follow the sources that a statement names to documents of the collection, which a plugin does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from rag.attribution.cited.marked import split_marks
from vouch.hooks import added, load

if TYPE_CHECKING:
    from indexing import Collection
    from rag.attribution.cited.bibliography import ListedEntry
    from rag.attribution.statements import AnswerStatement
    from rag.types import Sentence

Hold = Callable[[str, str | None], "Sentence"]
"""A function that checks a claim in the document of that id alone, or wherever something is found (None)."""


class SourceFollower(Protocol):
    """The sources of one text."""

    def check(self, text: str, hold: Hold, links: Sequence[str] = (), notes: Sequence[str] = ()) -> Sentence:
        """Return a statement checked by `hold`, first in the documents that it names, with its `sources`.

        `links` are the addresses that its words lead to, `notes` the texts of its footnotes.
        """


def follower_of(collection: Collection, entries: Sequence[ListedEntry]) -> SourceFollower | None:
    """Return what follows the sources of a text with this bibliography; None where no plugin in use does that."""
    followers = added("citations")
    return cast("SourceFollower", load(followers[0].make)(collection, entries)) if followers else None


def names_sources(said: AnswerStatement) -> bool:
    """Return True if a statement has a mark of citation, a link or a footnote."""
    return bool(split_marks(said.text).marks or getattr(said, "links", ()) or getattr(said, "footnotes", ()))
