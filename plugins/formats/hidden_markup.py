"""What HTML hides or strikes out by its styles.

Style sheets are read as far as authors hide text with them: selectors of tags, classes and names, one within another;
of rules that say the same property the more special one holds, then the later one. Conditions of `@media` other than
screen and all, and selectors with `:`, `[`, `+` or `~`, are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

MOST_RULES = 200
"""The most rules of style sheets that are kept: only those that may hide something are."""
MOST_STEPS = 2_000_000
"""The most elements around others that are looked at for the rules of a page."""
MOST_CHARS = 200_000
"""The most characters of style sheets, and of a style, that are read."""
FAINT, SMALL, AWAY = 0.1, 3.0, -200.0
"""The opacity and the size in pixels below which a text is unreadable, and the offset in pixels that moves it away."""
_COMPOUND = re.compile(r"(?:\*|[a-z][\w-]*)?(?:[.#][\w-]+)*")
_PART = re.compile(r"[.#]?[\w-]+|\*")
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|vw|vh|%|cm|mm|in|pc)?")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_PIXELS = {"pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 10.0, "vh": 8.0, "%": 0.16, "cm": 38.0,
           "mm": 3.8, "in": 96.0, "pc": 16.0}  # fmt: skip
_OFFSETS = ("left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent", "transform", "translate")
_SIZES = ("width", "height", "max-width", "max-height")
_RELEVANT = frozenset((
    *_OFFSETS, *_SIZES, "display", "visibility", "content-visibility", "opacity", "font-size", "font", "clip", "scale",
    "clip-path", "overflow", "color", "background", "background-color", "text-decoration", "text-decoration-line",
))  # fmt: skip
Style = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule of a style sheet: its compounds, the outermost first, each as tags, `.classes` and `#names`."""

    compounds: tuple[frozenset[str], ...]
    order: tuple[int, int, int, int]
    style: Style


class HiddenMarkup:
    """The styles of an HTML page: which of its elements are invisible, and which are struck out."""

    def __init__(self, tree: etree._Element) -> None:
        """Read the style sheets in a page."""
        sheets = "\n".join("".join(map(str, sheet.itertext())) for sheet in tree.iter("style"))
        self._steps = 0
        self._last: tuple[etree._Element | None, Style] = (None, {})
        self._rules = sorted(_rules(_without_comments(sheets[:MOST_CHARS])), key=lambda rule: rule.order)

    def hides(self, element: etree._Element) -> bool:
        """Return True for an element that is not drawn, or drawn so that it cannot be read."""
        return element.get("hidden") is not None or _is_hidden(self._style(element))

    def strikes(self, element: etree._Element) -> bool:
        """Return True for an element whose text is struck out."""
        if element.tag in ("s", "del", "strike"):
            return True
        style = self._style(element)
        return any("line-through" in style.get(name, "") for name in ("text-decoration", "text-decoration-line"))

    def _style(self, element: etree._Element) -> Style:
        if self._last[0] is element:
            return self._last[1]
        style: dict[str, str] = {}
        own = _selectors_of(element) if self._rules else frozenset()
        for rule in self._rules:
            if rule.compounds[-1] <= own and self._has_ancestors(element, rule.compounds[:-1]):
                style.update(rule.style)
        style.update(_declarations((element.get("style") or "")[:MOST_CHARS]))
        self._last = element, style
        return style

    def _has_ancestors(self, element: etree._Element, compounds: tuple[frozenset[str], ...]) -> bool:
        """Return True if ancestors of an element match the compounds in order, the last of them the nearest."""
        waiting = list(compounds)
        around = element.getparent() if waiting else None
        while waiting and around is not None:
            self._steps += 1
            if self._steps > MOST_STEPS:  # a hostile page: take it as hidden
                return True
            if waiting[-1] <= _selectors_of(around):
                waiting.pop()
            around = around.getparent()
        return not waiting


def _selectors_of(element: etree._Element) -> frozenset[str]:
    return _simple_selectors(str(element.tag), element.get("id") or "", element.get("class") or "")


@lru_cache(maxsize=4096)
def _simple_selectors(tag: str, ident: str, classes: str) -> frozenset[str]:
    return frozenset(
        (tag, "*", *(f".{one}" for one in classes.lower().split()), *([f"#{ident.lower()}"] if ident else []))
    )


def _rules(sheet: str) -> Iterator[_Rule]:
    """Yield the rules of a style sheet that may hide something."""
    count, depths, selectors = 0, [True], ""
    pieces = re.split(r"([{}])", sheet)
    for before, sign in zip(pieces[::2], pieces[1::2], strict=False):
        text = before.strip().lower()
        if sign == "{":
            selectors = text.rpartition(";")[2].strip()
            applies = not selectors.startswith("@") or selectors in ("@media screen", "@media all")
            depths.append(depths[-1] and applies)
        elif len(depths) > 1 and depths.pop() and text and (style := _declarations(text)):
            for selector in selectors.split(","):
                compounds = selector.replace(">", " ").split()
                if count < MOST_RULES and compounds and all(_COMPOUND.fullmatch(one) for one in compounds):
                    count += 1
                    yield _rule(compounds, style, count)


def _rule(compounds: list[str], style: Style, number: int) -> _Rule:
    parts = [frozenset(_PART.findall(one)) for one in compounds]
    names = sum(one.startswith("#") for every in parts for one in every)
    classes = sum(one.startswith(".") for every in parts for one in every)
    return _Rule(tuple(parts), (names, classes, sum(map(len, parts)) - names - classes, number), style)


def _without_comments(css: str) -> str:
    first, *others = css.split("/*")
    return " ".join([first, *(one.partition("*/")[2] for one in others)])


@lru_cache(maxsize=1024)
def _declarations(css: str) -> Style:
    """Return the properties of a style that may hide something."""
    plain = _ESCAPE.sub(lambda match: chr(min(int(match[1], 16), 0x10FFFF)), _without_comments(css))
    pairs = (one.partition(":")[::2] for one in plain.lower().split(";"))
    declarations = {name.strip(): value.replace("!important", "").strip() for name, value in pairs}
    return {name: value for name, value in declarations.items() if name in _RELEVANT and value}


def _is_hidden(style: Style) -> bool:
    """Return True if a style hides an element: not displayed, transparent, tiny, off the page or clipped."""
    if not style:
        return False
    if style.get("display") == "none" or style.get("visibility") in ("hidden", "collapse"):
        return True
    opacity = _NUMBER.match(style.get("opacity", ""))
    faint = opacity is not None and float(opacity[1]) / (100 if opacity[2] == "%" else 1) < FAINT
    ink, paper = style.get("color"), style.get("background-color") or style.get("background")
    unseen = ink is not None and (ink in ("transparent", paper) or _opacity_of(ink) < FAINT)
    size = _pixels(style.get("font-size") or style.get("font", ""), search="font-size" not in style)
    small = size is not None and size < SMALL
    away = any(
        (offset := _pixels(style.get(name, ""), search=True)) is not None and offset <= AWAY for name in _OFFSETS
    )
    scale = _pixels(style.get("scale", "") or style.get("transform", "").partition("scale")[2], search=True)
    shrunk = scale is not None and scale < FAINT
    clips = re.search("hidden|clip", style.get("overflow", ""))
    flat = clips and any((edge := _pixels(style.get(name, ""))) is not None and edge < SMALL for name in _SIZES)
    unrendered = style.get("content-visibility") == "hidden"
    return bool(faint or unseen or small or away or shrunk or flat or unrendered or _is_clipped(style))


def _opacity_of(colour: str) -> float:
    """Return the fourth number of a colour such as `rgba(0, 0, 0, 0.5)`; 1 where it has none."""
    numbers = _NUMBER.findall(colour) if colour.startswith(("rgb", "hsl")) else []
    return float(numbers[3][0]) if len(numbers) > 3 else 1.0


def _is_clipped(style: Style) -> bool:
    """Return True where `clip` or `clip-path` leaves nothing of an element, or a point."""
    edges = [float(one[0]) for one in _NUMBER.findall(style.get("clip", ""))]
    path = style.get("clip-path", "")
    inset = _NUMBER.search(path) if path.startswith(("inset", "circle")) else None
    vanishes = inset is not None and (float(inset[1]) >= 50 if path.startswith("inset") else float(inset[1]) < SMALL)
    return vanishes or (bool(edges) and style.get("clip", "").startswith("rect") and max(edges) - min(edges) < SMALL)


def _pixels(value: str, *, search: bool = False) -> float | None:
    """Return the length at the beginning of a value in pixels, or the first one anywhere in it; None without one."""
    number = _NUMBER.search(value) if search else _NUMBER.match(value)
    return None if number is None else float(number[1]) * _PIXELS.get(number[2] or "px", 1.0)
