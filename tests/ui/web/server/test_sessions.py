"""Sessions: each ends some hours after its last use."""

from __future__ import annotations

from ui.web.server.sessions import Sessions


def test_a_session_ends_after_its_last_use_not_its_first() -> None:
    now = [0.0]
    sessions = Sessions(hours=1, clock=lambda: now[0])
    sessions["a"] = "ada"
    sessions["b"] = "bob"
    now[0] = 3000.0
    assert sessions.get("a") == "ada"
    now[0] = 6000.0
    assert "a" in sessions
    assert sessions.get("b") is None
    assert list(sessions) == ["a"]
    now[0] = 9601.0
    assert "a" not in sessions
    assert len(sessions) == 0
