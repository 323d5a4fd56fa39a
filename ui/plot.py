"""Bars as SVG: lengths are shares of whatever width there is, so that letters keep their size on a phone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ui.render import escape
from ui.sanitize import shorten

_ROW = 36
_BAR = 8
_LABEL = 48


def bars_svg(title: str, values: Mapping[str, float], said: Callable[[float], str], most: int = 12) -> str:
    """A bar a value, in the order given, at most `most` of them; `said` words a value. Empty without values.

    Whoever cannot see it hears the title and each value. Negative values, and those that are no number, are 0.
    """
    if not values:
        return ""
    shown = dict(list(values.items())[:most])
    largest = max((_sound(v) for v in shown.values()), default=0.0) or 1.0
    rows = "".join(_bar(n, name, _sound(v), largest, said) for n, (name, v) in enumerate(shown.items()))
    heard = ", ".join(f"{name}: {said(_sound(v))}" for name, v in shown.items())
    more = len(values) - len(shown)
    note = f'<p class="v-summary">And {more:,} more.</p>' if more else ""
    return (
        f'<figure class="v-plot"><figcaption class="v-heading">{escape(title)}</figcaption>'
        f'<svg role="img" aria-label="{escape(f"{title}. {heard}")}" width="100%" height="{_ROW * len(shown)}">'
        f"{rows}</svg>{note}</figure>"
    )


def _bar(row: int, name: str, value: float, largest: float, said: Callable[[float], str]) -> str:
    top = row * _ROW
    return (
        f'<text class="v-plot-name" x="0" y="{top + 15}">{escape(shorten(name, _LABEL))}</text>'
        f'<text class="v-plot-value" x="100%" y="{top + 15}" text-anchor="end">{escape(said(value))}</text>'
        f'<rect class="v-plot-track" x="0" y="{top + 21}" width="100%" height="{_BAR}" rx="2"/>'
        f'<rect class="v-plot-bar" x="0" y="{top + 21}" width="{100 * value / largest:.2f}%" height="{_BAR}" rx="2"/>'
    )


def _sound(value: float) -> float:
    """What can be drawn."""
    return value if 0.0 <= value < float("inf") else 0.0
