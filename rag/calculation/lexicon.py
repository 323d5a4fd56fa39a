"""The words around a question that counts: those that say nothing of what is counted. Lower case, English."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABOUT_IT = _words(
    "does do is are was were there the a an this that these those my our your its in of have has had contain "
    "contains hold holds include includes it they document documents paper papers report reports file files pdf "
    "pdfs book books text guide manual user thesis study presentation brochure leaflet article collection all "
    "altogether total overall and whole entire how many here slides deck provided included contained given present "
    "exist appear appears listed shown"
)
"""The words of a question that is about the documents and not about what they say."""
ONE_DOCUMENT = _words(
    "document paper report file pdf book guide manual thesis study presentation brochure leaflet article"
)
"""The words for one document; beside one of them others can be its name."""
PLACED = _words("on to at by anywhere often times")
"""The words that may stand beside the pages that a question names."""
