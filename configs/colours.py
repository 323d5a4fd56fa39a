"""The colours of the verdicts on a sentence and its citations, on the page and in images, exports and the terminal."""

from __future__ import annotations

from typing import NamedTuple


class Shades(NamedTuple):
    """The shades of one verdict. The image of a page is always light paper.

    `deep` is for what is selected or printed, `pale` and `pale_dark` are backgrounds of text. A `highlight` in a PDF,
    red green blue from 0 to 1, is multiplied with the page. `terminal` is a style of Rich.
    """

    light: str
    dark: str
    deep: str
    pale: str
    pale_dark: str
    highlight: tuple[float, float, float]
    terminal: str

    @property
    def rgb(self) -> tuple[int, int, int]:
        """`light` as red green blue from 0 to 255."""
        red, green, blue = bytes.fromhex(self.light[1:])
        return red, green, blue

    @property
    def outline(self) -> tuple[float, float, float]:
        """`light` as red green blue from 0 to 1."""
        red, green, blue = self.rgb
        return red / 255, green / 255, blue / 255


PROOF = Shades("#18694e", "#7ccba8", "#0c3f2e", "#d8f0e2", "#173b2d", (0.55, 0.87, 0.72), "green")
CONTRADICTION = Shades("#a3261d", "#f28b82", "#6f150e", "#fbd5d0", "#4d1d18", (0.98, 0.72, 0.68), "bold red")
UNCONFIRMED = Shades("#5c655f", "#a6aca7", "#4b524d", "#e6e8ec", "#2b3036", (0.84, 0.86, 0.90), "dim")
