"""Passwords in these tests are hashed with less work than for people, but by the same code."""

from __future__ import annotations

import argon2
import pytest

from ui.state.people import passwords


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = argon2.PasswordHasher(time_cost=2, memory_cost=64, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", quick)
    monkeypatch.setattr(passwords, "_nobodys", lambda: quick.hash("the password of nobody"))
