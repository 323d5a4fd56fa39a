"""Strings that a pattern or a reader of text finds hardest, and the processor time that they cost."""

import gc
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

SHORT, LONG = 10_000, 40_000
"""The characters of the two texts that are compared."""
MOST = 4.5
"""The most times as long that the long text may take: linear work takes 4 times."""
NEAR = 6.0
"""The ratio below which one over `MOST` is measured again, four times as long: what is quadratic comes near 16."""
NOISE = 0.002
"""The seconds of processor below which the short text is not worth measuring: were it work in the square of the length,
the long one would take sixteen times as long, which harms nobody."""
UNENDING = 0.6
"""The seconds of processor after which a short text is not tried longer: nothing linear takes them."""
MANY = 64
"""The least upper bound of a repetition that counts as one without bound."""
REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
CATEGORIES = {
    op.CATEGORY_DIGIT: "1", op.CATEGORY_SPACE: " \n", op.CATEGORY_WORD: "a1", op.CATEGORY_NOT_DIGIT: "a",
    op.CATEGORY_NOT_SPACE: "a.", op.CATEGORY_NOT_WORD: "- ",
}  # fmt: skip
PLAIN = (
    *(" ", "\n", "\t", "a", "A", "1", ".", ",", "-", "(", "[", "|", "_", "*", "#", "<", '"', "\\", "\u0301", "一"),
    *("a ", "A ", "1 ", "a, ", "A. ", "1.", "1,", "1 .", "-1 ", "a-", "A a ", "\n ", "|\n", "a\n", "((", "![", "a|"),
    *("one ", "and ", "of the ", "not ", "$1 ", "1% ", "Fig. 1 ", "May 1 ", "« ", "&lt;", "<a ", "```\n", "- a\n"),
)  # fmt: skip
"""The pieces of texts that are hostile to many patterns: each is repeated."""


@dataclass(frozen=True)
class Shape:
    """A hostile text of any length: a beginning, a piece that is repeated, an end.

    `counted` puts a number to each piece, so that no two are alike.
    """

    before: str
    piece: str
    after: str = ""
    counted: bool = False

    def text(self, size: int) -> str:
        """Return the text, of `size` characters but for a few: one four times as long has four times as many pieces."""
        if self.counted:
            pieces = (f"{self.piece}{10_000 + number} " for number in range(size // (len(self.piece) + 6)))
            return self.before + "".join(pieces) + self.after
        return self.before + self.piece * (size // len(self.piece)) + self.after


@cache
def plain_shapes() -> tuple[Shape, ...]:
    """Return the shapes that are tried on every pattern and every reader."""
    return tuple(Shape("", piece, "\x00") for piece in PLAIN)


def shapes_of(pattern: re.Pattern[str]) -> list[Shape]:
    """Return texts that are hostile to a pattern: its repetitions, and what stands before each, again and again."""
    found: dict[Shape, None] = {}
    for before, pumps in _repetitions(_parser.parse(pattern.pattern, pattern.flags), ""):
        for pump in pumps:
            found |= dict.fromkeys(Shape(before, pump, end) for end in ("", "\x00", ",", "a1"))
            found |= dict.fromkeys(Shape("", before + pump + gap) for gap in ("", " "))
        if before:
            found |= dict.fromkeys(Shape("", before + gap) for gap in ("", " "))
    return list(found)


def _repetitions(parsed: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each unbounded repetition of a parsed pattern: a text that leads up to it, and texts that it takes."""
    for kind, value in parsed:
        if kind in REPEATS:
            _, most, inner = value
            yield from _repetitions(inner, before)
            if most >= MANY:
                yield before, _samples(inner)
        elif kind is op.SUBPATTERN:
            yield from _repetitions(value[3], before)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _repetitions(branch, before)
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            yield from _repetitions(value[1], before)
        elif kind is op.ATOMIC_GROUP:
            yield from _repetitions(value, before)
        before += _samples([(kind, value)])[0]


def _samples(parsed: Any) -> list[str]:
    """Return a few texts that a parsed pattern takes, the first one its simplest."""
    made = [""]
    for kind, value in parsed:
        choices = _choices(kind, value)
        made = [text + choices[0] for text in made] + [made[0] + choice for choice in choices[1:]]
    return [text for text in made[:8] if text] or [" "] if len(parsed) == 1 and parsed[0][0] is op.IN else made[:8]


def _choices(kind: Any, value: Any) -> list[str]:  # noqa: PLR0911  a line for each kind of part
    """Return a few texts that one part of a parsed pattern takes."""
    if kind is op.LITERAL:
        return [chr(value)]
    if kind is op.NOT_LITERAL:
        return ["a" if value != ord("a") else "b", " "]
    if kind is op.ANY:
        return ["a", " "]
    if kind is op.IN:
        return _members(value)
    if kind in REPEATS:
        least, _, inner = value
        return [sample * max(least, 1) for sample in _samples(inner)] if least else ["", *_samples(inner)]
    if kind is op.SUBPATTERN:
        return _samples(value[3])
    if kind is op.ATOMIC_GROUP:
        return _samples(value)
    if kind is op.BRANCH:
        return [sample for branch in value[1] for sample in _samples(branch)[:1]][:6]
    if kind is op.ASSERT and value[0] < 0:
        return _samples(value[1])[:1]
    return [""]


def _members(value: Any) -> list[str]:
    """Return characters of a class, one of each kind that it names."""
    if value[0][0] is op.NEGATE:
        excluded = re.compile("[" + "".join(re.escape(c) for c in _members(value[1:])) + "]") if value[1:] else None
        return [c for c in "a 1\n.,(" if not (excluded and excluded.match(c))][:3] or ["\x01"]
    found = ""
    for kind, item in value:
        found += {op.LITERAL: chr, op.RANGE: lambda i: chr(i[0])}.get(kind, lambda i: CATEGORIES[i])(item)
    return list(dict.fromkeys(found))[:4]


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """Return the processor time of some work, the least of several tries; collecting garbage does not count."""
    best = float("inf")
    gc.disable()
    try:
        for _ in range(times):
            begun = time.process_time()
            work()
            best = min(best, time.process_time() - begun)
    finally:
        gc.enable()
    return best


def growth(work: Callable[[str], object], shape: Shape, noise: float = NOISE, unending: float = UNENDING) -> float:
    """Return how many times as long the long text takes as the short one; 0 where the short one takes nothing."""
    short, long = shape.text(SHORT), shape.text(LONG)
    if (once := seconds(lambda: work(short))) < noise:
        return 0.0
    if once > unending:
        return float("inf")
    if (ratio := seconds(lambda: work(long)) / once) <= MOST:
        return ratio
    for times in (1, 2, 3, 5):  # a busy machine is asked again
        ratio = min(ratio, _times_as_long(work, short, long, times))
        if ratio <= MOST:
            break
    if MOST < ratio < NEAR:  # by a hair: caches that the short text fits into, or a true fault, which grows on
        ratio = min(ratio, _times_as_long(work, long, shape.text(LONG * LONG // SHORT), 2))
    return ratio


def _times_as_long(work: Callable[[str], object], short: str, long: str, times: int) -> float:
    """Return how many times as long a text takes as one of a quarter of its length, the least of several tries of each.

    The shorter one is read four times in a row, so that both tries last as long: else the longer one alone would meet
    what else the machine does.
    """
    four = seconds(lambda: [work(short) for _ in range(4)], times)
    return 4 * seconds(lambda: work(long), times) / four
