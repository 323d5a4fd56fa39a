"""Tables and charts, drawn on a sheet with every value labelled."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from samples.sheet import Align, Rect, Sheet

INK, GREY, HAIR, WASH = "#1f2933", "#66727d", "#cfd6dc", "#f2f5f6"
ALIGNS: dict[str, Align] = {"l": "left", "r": "right", "c": "centre"}


def table(
    sheet: Sheet, x: float, y: float, widths: Sequence[float], aligns: str, rows: Sequence[Sequence[str]], *,
    size: float = 8, pitch: float = 15, strong: Collection[int] = (), accent: str = "#1d4e6b", name: str = "",
) -> float:  # fmt: skip
    """Rows under a header (row 0), with hairlines; rows in `strong` are bold. Returns the lower y.

    A line feed breaks a cell. Marks the whole as `name` and row r as `name.r`.
    """
    right, top = x + sum(widths), y
    for r, row in enumerate(rows):
        lines = max(cell.count("\n") for cell in row) + 1
        height = pitch + (lines - 1) * size * 1.25
        if r == 0:
            sheet.box((x, y, right, y + height), fill=accent)
        elif r in strong:
            sheet.box((x, y, right, y + height), fill=WASH)
        left = x
        for width, how, cell in zip(widths, aligns, row, strict=True):
            face, ink = ("bold", "#ffffff") if r == 0 else ("bold" if r in strong else "sans", INK)
            at = {"l": left + 5, "r": left + width - 5, "c": left + width / 2}[how]
            for n, line in enumerate(cell.split("\n")):
                base = y + pitch / 2 + size * 0.36 + n * size * 1.25
                sheet.label(at, base, line, size, ink, face, ALIGNS[how])
            left += width
        if name:
            sheet.mark(f"{name}.{r}", (x, y, right, y + height))
        y += height
        sheet.line([(x, y), (right, y)], HAIR, 0.5)
    sheet.line([(x, y), (right, y)], accent, 0.9)
    if name:
        sheet.mark(name, (x, top, right, y))
    return y


def _axes(sheet: Sheet, plot: Rect, low: float, high: float, step: float, title: str, form: str, size: float) -> None:
    """Horizontal grid lines with their values, and the title of the vertical axis above them."""
    x0, y0, x1, y1 = plot
    ticks = round((high - low) / step)
    for n in range(ticks + 1):
        y = y1 - (y1 - y0) * n / ticks
        sheet.line([(x0, y), (x1, y)], HAIR if n else GREY, 0.5 if n else 0.8)
        sheet.label(x0 - 5, y + size * 0.35, format(low + n * step, form), size, GREY, align="right")
    sheet.label(x0 - 5 - size * 2.2, y0 - size * 1.5, title, size, GREY)


def _legend(sheet: Sheet, right: float, y: float, names: Sequence[str], inks: Sequence[str], size: float) -> None:
    for name, ink in zip(reversed(names), reversed(inks), strict=True):
        right -= sheet.label(right, y, name, size, INK, align="right") + size * 1.4
        sheet.box((right, y - size * 0.75, right + size * 0.9, y + size * 0.1), fill=ink)
        right -= size * 1.2


def bars(
    sheet: Sheet, rect: Rect, categories: Sequence[str], series: Mapping[str, Sequence[float]], inks: Sequence[str], *,
    high: float, step: float, title: str, below: str = "", form: str = ",.0f", size: float = 8, name: str = "",
) -> None:  # fmt: skip
    """Grouped upright bars with the value above each."""
    x0, y0, x1, y1 = rect
    plot = (x0 + size * 4, y0 + size * 3.2, x1, y1 - size * (3.4 if below else 2))
    _axes(sheet, plot, 0, high, step, title, form, size)
    group, count = (plot[2] - plot[0]) / len(categories), len(series)
    width = min(group * 0.72 / count, size * 5)
    for c, category in enumerate(categories):
        middle = plot[0] + group * (c + 0.5)
        for s, (values, ink) in enumerate(zip(series.values(), inks, strict=True)):
            left = middle + (s - count / 2) * width
            top = plot[3] - (plot[3] - plot[1]) * values[c] / high
            sheet.box((left + 1, top, left + width - 1, plot[3]), fill=ink)
            sheet.label(left + width / 2, top - size * 0.4, format(values[c], form), size, INK, align="centre")
        sheet.label(middle, plot[3] + size * 1.5, category, size, INK, align="centre")
    if below:
        sheet.label((plot[0] + plot[2]) / 2, y1 - 1, below, size, GREY, align="centre")
    if count > 1:
        _legend(sheet, x1, y0 + size * 1.6, list(series), inks, size)
    if name:
        sheet.mark(name, rect)


def lines(
    sheet: Sheet, rect: Rect, categories: Sequence[str], series: Mapping[str, Sequence[float]], inks: Sequence[str], *,
    low: float, high: float, step: float, title: str, below: str = "", form: str = ",.0f", size: float = 8,
    label: Collection[str] = (), name: str = "",
) -> None:  # fmt: skip
    """Lines with a dot for each value; the series in `label` carry their values."""
    x0, y0, x1, y1 = rect
    plot = (x0 + size * 4, y0 + size * 3.2, x1, y1 - size * (3.4 if below else 2))
    _axes(sheet, plot, low, high, step, title, form, size)
    stride = (plot[2] - plot[0]) / len(categories)
    places = [plot[0] + stride * (c + 0.5) for c in range(len(categories))]
    for (key, values), ink in zip(series.items(), inks, strict=True):
        points = [
            (x, plot[3] - (plot[3] - plot[1]) * (v - low) / (high - low)) for x, v in zip(places, values, strict=True)
        ]
        sheet.line(points, ink, size * 0.2)
        for n, ((x, y), value) in enumerate(zip(points, values, strict=True)):
            sheet.dot(x, y, size * 0.3, "#ffffff", ink, size * 0.15)
            if key in label:
                dip = value < min(values[max(0, n - 1)], values[min(len(values) - 1, n + 1)])
                valley = 0 < n < len(values) - 1 and dip and y + size * 1.5 < plot[3]
                sheet.label(
                    x, y + (size * 1.4 if valley else -size * 0.75), format(value, form), size, ink, "bold", "centre"
                )
    for x, category in zip(places, categories, strict=True):
        sheet.label(x, plot[3] + size * 1.5, category, size, INK, align="centre")
    if below:
        sheet.label((plot[0] + plot[2]) / 2, y1 - 1, below, size, GREY, align="centre")
    if len(series) > 1:
        _legend(sheet, x1, y0 + size * 1.6, list(series), inks, size)
    if name:
        sheet.mark(name, rect)
