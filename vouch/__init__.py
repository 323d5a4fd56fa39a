"""Vouch: answers from your documents, every sentence cited down to a box on the page.

>>> import vouch  # doctest: +SKIP
>>> collection = vouch.Collection.create("papers")  # doctest: +SKIP
>>> report = vouch.build_index(collection, ["papers/"])  # doctest: +SKIP
>>> answer = vouch.Pipeline(collection).answer("What limits the range?")  # doctest: +SKIP
>>> vouch.save_overlays(answer, collection, "boxes")  # doctest: +SKIP

Each name is loaded when it is first used: importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexing import Collection, build_index
    from rag import Answer, Pipeline
    from ui import save_overlays

    __version__: str

__all__ = ["Answer", "Collection", "Pipeline", "__version__", "build_index", "save_overlays"]

_HOMES = {
    "Answer": "rag",
    "Collection": "indexing",
    "Pipeline": "rag",
    "build_index": "indexing",
    "save_overlays": "ui",
}


def __getattr__(name: str) -> object:
    """Load a public name from the package that it belongs to."""
    if name == "__version__":
        from importlib import metadata

        return metadata.version("vouch")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
