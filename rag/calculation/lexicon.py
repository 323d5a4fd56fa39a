"""The words that calculation knows: what to do, which end, how to compare. Data, no code; lower case, English."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SIGNS = _words(
    "how many much number count amount total sum combined altogether together overall average mean median "
    "difference differ more less fewer most least fewest greater greatest higher highest lower lowest larger "
    "largest smaller smallest bigger biggest longer longest shorter shortest taller tallest older oldest younger "
    "youngest newest newer latest earliest earlier later recent recently best worst better worse top bottom "
    "maximum minimum max min peak first last second third fourth fifth final initial next previous prior "
    "preceding following follow followed before after since until above below between through from to than over "
    "under exceed exceeded exceeding at within up same other another besides also else except only not never no "
    "without either or and both each every all any different unique distinct separate percent percentage "
    "proportion ratio share change changed increase increased decrease decreased growth grow grew decline "
    "declined rise rose fall fell respectively who when where which what year years date day month time times "
    "long old often come came ever list listed name row column consecutive fastest slowest farthest furthest "
    "heaviest lightest strongest deepest strictly lasted tied tie alone whose is are was were did do does have "
    "has had"
)
"""The words of English that say what to do rather than what it is about: question words, degrees, order, change."""
EXTREMES = _words(
    "most least fewest greatest highest lowest largest smallest biggest longest shortest tallest oldest youngest "
    "newest latest earliest recent recently best worst top bottom maximum minimum max min peak -est fastest "
    "slowest farthest furthest heaviest lightest strongest deepest more less fewer higher lower larger smaller "
    "bigger longer shorter older younger better worse"
)
"""The words that ask for an end of a scale."""
ENDS = _words(
    "first last top bottom final initial latest earliest recent recently previous prior newest oldest -est ever"
)
"""The words that ask for the first or the last."""
NEXT = _words("next previous prior preceding following follow followed before after above below")
"""The words that ask for a neighbour."""
COMBINED = _words("total sum combined altogether together overall much many number amount all average mean")
"""The words that put values together."""
APART = _words(
    "difference differ more less fewer than change changed increase increased decrease decreased growth grow grew "
    "decline declined rise rose fall fell between longer higher lower larger older younger taller"
)
"""The words that hold two values against each other."""
SHARES = _words("percent percentage proportion ratio share change growth increase decrease")
"""The words that ask for a part of a whole, or for a change in percent."""
CHOICE = _words("or more most less least fewer higher lower better first last than highest lowest larger largest both")
"""The words that choose one of two."""
ELSE = _words("other another besides else except not never no without only")
"""The words that leave rows out."""
THAN = _words("than more less fewer above below better worse exceed exceeded higher lower over under")
"""The words that compare with a row."""
SAME = _words("same also another other besides both tied tie else")
"""The words that ask for rows like another."""
ORDER = _words("before after since until following prior preceding above below")
"""The words that ask for all rows on one side of another."""
TOGETHER = _words("and or both between combined together total sum to average difference")
"""The words that take several rows together."""
FIRST_FEW = _words("first last top bottom final initial")
"""The words before the number of rows at an end of the table."""
OPENING = _words("how what which who when where whose in name is was did")
"""The words that open a question."""
HIGH = _words(
    "most greatest highest largest biggest longest tallest maximum max peak top strongest heaviest deepest "
    "farthest furthest"
)
LOW = _words("least fewest lowest smallest shortest minimum min bottom lightest")
"""The superlatives of size and number, for the one end and for the other."""
UPWARD = _words("most largest biggest greatest maximum larger bigger more")
"""The words that never ask for the lesser of two, or for the least."""
DOWNWARD = _words("fewest smallest minimum fewer smaller less least")
"""The words that never ask for the greater of two, or for the most."""
RANKED = _words("rank ranking place position pos standing time seconds error errors loss")
"""The heads of columns in which the best is the lowest, so that the highest may be the least."""
PERCENT = _words("percent percentage")
"""The words that ask for a percentage."""
CALLS = _words(
    "many number total count sum combined altogether average mean difference differ more less fewer than most "
    "least fewest greatest highest lowest largest smallest biggest longest shortest tallest oldest youngest "
    "newest latest earliest best worst maximum minimum max min percent percentage proportion ratio share change "
    "increase increased decrease decreased growth higher lower larger smaller -est frequent often"
)
"""The words that call for a calculation; without one no table is looked at."""
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
