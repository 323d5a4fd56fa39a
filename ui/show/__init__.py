"""The parts that page, terminal and exports show alike: answers, overlays, marks and words."""

from ui.show.answer_html import answer_html, examples_html, message_html
from ui.show.badges import badge_height, place_badges
from ui.show.citations import Numbered, cited_pages, quote_to_show, shown_citations
from ui.show.moment import Moment
from ui.show.overlay import draw_overlay, save_overlays
from ui.show.rendering import HTML, render
from ui.show.sanitize import clean, safe_name, shorten
from ui.show.svg import bars_svg, heat_svg
from ui.show.wording import (
    BESIDE,
    KIND_NAMES,
    METHOD_NAMES,
    MODE_NAMES,
    SEARCHED_NAMES,
    SEEN_NAMES,
    STAGE_NAMES,
    VERDICT_NAMES,
    answers,
    counted,
    looked_at,
    no_answer,
    no_proof,
    size,
    verdict_counts,
    why,
)

__all__ = [
    "BESIDE",
    "HTML",
    "KIND_NAMES",
    "METHOD_NAMES",
    "MODE_NAMES",
    "SEARCHED_NAMES",
    "SEEN_NAMES",
    "STAGE_NAMES",
    "VERDICT_NAMES",
    "Moment",
    "Numbered",
    "answer_html",
    "answers",
    "badge_height",
    "bars_svg",
    "cited_pages",
    "clean",
    "counted",
    "draw_overlay",
    "examples_html",
    "heat_svg",
    "looked_at",
    "message_html",
    "no_answer",
    "no_proof",
    "place_badges",
    "quote_to_show",
    "render",
    "safe_name",
    "save_overlays",
    "shorten",
    "shown_citations",
    "size",
    "verdict_counts",
    "why",
]
