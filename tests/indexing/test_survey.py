"""What stands in a collection, counted by kind."""

from __future__ import annotations

from pathlib import Path

from indexing.embed.minilm import MiniLM
from indexing.survey import kinds_in
from tests import fakes


def test_kinds_are_counted_the_commonest_first(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder)
    assert kinds_in(made) == {}
    (document,) = fakes.index(made, {"a.pdf": [["One.", "Two."], ["Three."]]})
    other = fakes.parsed("x", 1, ["Four."])
    assert kinds_in(made) == {"text": 3}
    assert sum(len(made.page_elements(document.id, n)) for n in (1, 2)) == 3
    assert other.elements[0].kind == "text"
