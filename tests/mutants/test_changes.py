"""Changes to a module: which there are, what is left alone, and that each is a module still."""

from __future__ import annotations

import pytest

from tests.mutants.changes import changes, parses


def became(source: str, classes: tuple[str, ...] = ()) -> list[str]:
    """The changed lines of every change, in order."""
    plain = source.encode()
    return [change.lines(plain)[1] for change in changes("ferry.py", plain, classes)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("late = minutes >= limit", ["late = minutes > limit"]),
        ("late = boat not in harbour", ["late = boat in harbour"]),
        ("late = wind and fog", ["late = wind or fog"]),
        ("late = not fog", ["late = fog"]),
        ("seats = rows * width", ["seats = rows / width"]),
        ("seats = 7", ["seats = 6", "seats = 8"]),
        ("seats = 40", ["seats = 30", "seats = 50"]),
        ("share = 0.4", ["share = 0.32", "share = 0.5"]),
        ("open = True", ["open = False"]),
        ("span = slice(first, last)", ["span = slice(last, first)"]),
        ("seats = min(first, last)", []),
        ("fare: Optional[2] = 7", ["fare: Optional[2] = 6", "fare: Optional[2] = 8"]),
        ("late = wind if fog else calm", ["late = wind if not (fog) else calm"]),
        ("boats = [b for b in fleet if b]", ["boats = [b for b in fleet if not (b)]"]),
    ],
)  # fmt: skip
def test_one_mistake_at_a_time(line: str, expected: list[str]) -> None:
    assert sorted(became(line)) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""The ferry of 1887."""',
        "assert seats > 7",
        "from fleet import boats",
        'text = f"{seats + 1} seats"',
        "pairs = zip(rows, strict=True)",
        "near = 1e-9",
        '__all__ = ["boats"]',
    ],
)
def test_what_no_test_can_hold_is_left_alone(source: str) -> None:
    assert became(source) == []


def test_steps_are_left_out_one_by_one() -> None:
    body = "def sail():\n    board()\n    seats -= one\n    return seats\n"
    assert became(body).count("pass") == 3
    assert all(parses(change.applied(body.encode())) for change in changes("ferry.py", body.encode()))


def test_a_change_stands_where_it_says() -> None:
    source = "Größe = 'ö'\nlate = minutes >= limit\n".encode()
    (change,) = changes("ferry.py", source)
    assert (change.line, change.kind) == (2, "comparison")
    assert change.applied(source).decode() == "Größe = 'ö'\nlate = minutes > limit\n"
    assert change.diff(source) == "@@ -2 +2 @@\n-late = minutes >= limit\n+late = minutes > limit"
