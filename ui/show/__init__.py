"""Render what page, terminal and exports share: answers, boxes, marks of verdicts, and their words."""

from ui.show.html import HTML, answer_html, bars_svg, heat_svg, message_html, render
from ui.show.moment import Moment, State
from ui.show.overlay import badge_height, draw_overlay, place_badges, save_overlays
from ui.show.sanitize import clean, public_words, safe_cell, safe_name, shorten
from ui.show.wording import (
    KIND_NAMES,
    MODE_NAMES,
    OTHERS,
    SEARCHED_NAMES,
    SEEN_NAMES,
    STAGE_NAMES,
    VERDICT_NAMES,
    Numbered,
    answers,
    aside,
    beside,
    by_document,
    cited_pages,
    count_of,
    heading,
    how_checked,
    instead,
    is_other,
    looked_at,
    missing,
    no_answer,
    provenance,
    quote_to_show,
    role,
    shown_citations,
    size,
    source_lines,
    sources,
    tone,
    verdict_counts,
    verdict_numbers,
    why,
)
