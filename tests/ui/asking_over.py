"""The asking of a page over a home, without the page."""

from pathlib import Path

from rag import Profile
from ui.state import open_state
from ui.web.ask.asking import Asking
from ui.web.open_collections import OpenCollections


def asking_over(home: Path, profile: Profile | None = None) -> Asking:
    """Return the asking over the collections in `home`, whose state is kept there too."""
    return Asking(OpenCollections(profile or Profile(), home), open_state(home))
