"""The events of the Collections tab: what a reader has begun outlasts an answer that comes late."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ui.web.collections import tab
from ui.web.collections.page import NO_PAGE

VISIT: Any = SimpleNamespace(session_hash="visit", headers={}, cookies={})


def clicks() -> tab._Clicks:
    held = SimpleNamespace(collections=lambda: ("old", "new"))
    queue = SimpleNamespace(items=lambda _: ())
    uploads = SimpleNamespace(service=SimpleNamespace(summaries=lambda: ()), upload_queue=queue)
    return tab._Clicks(cast(Any, held), cast(Any, uploads))


def kept(values: tuple[Any, ...]) -> list[bool]:
    """True for each of the page browser, what is to be deleted, its question and its box that is left as it is."""
    return [isinstance(value, dict) and set(value) == {"__type__"} for value in values[1:5]]


@pytest.fixture(autouse=True)
def visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tab, "visitor_of", lambda _: "me")


def test_choosing_another_collection_closes_what_was_open() -> None:
    on = clicks()
    on.arrived("old", VISIT)
    values = on.switched("new", VISIT)
    assert kept(values) == [False] * 4
    assert values[1:4] == (NO_PAGE, None, "")


def test_a_late_event_for_the_collection_that_files_came_to_closes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    on = clicks()
    on.arrived("old", VISIT)
    monkeypatch.setattr(tab, "reading", lambda *_: iter([("queue", True)]))
    assert len(list(on.followed_new("new", "old", VISIT))) == 1  # the page shows "new" from here on
    assert kept(on.switched("new", VISIT)) == [True] * 4
