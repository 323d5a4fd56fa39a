"""The chips: which are shown, and the filter that those which are on become, whatever the values are."""

from __future__ import annotations

from indexing import Document, Metadata
from ui.web.ask.page import chips_of


def document(name: str, *tags: str, date: str = "") -> Document:
    return Document(name, name, "", 1, "", metadata=Metadata(date, tags=tags))


SHELF = (
    document("a.pdf", "all", 'say "no"', date="2024-05"),
    document("b.pdf", "all", "it's", "or", date="2023"),
    document("c.png", "all", "x" * 60, "both \" and '"),
)


def test_a_chip_is_a_value_that_some_documents_have() -> None:
    assert chips_of(SHELF) == [
        ("it's (1)", "tag=it's"),
        ("or (1)", "tag=or"),
        ('say "no" (1)', 'tag=say "no"'),
        (f"{'x' * 23}… (1)", f"tag={'x' * 60}"),
        ("2024 (1)", "date=2024"),
        ("2023 (1)", "date=2023"),
        ("pdf (2)", "kind=pdf"),
        ("png (1)", "kind=png"),
    ]
    assert chips_of(()) == chips_of(SHELF[:1]) == []
