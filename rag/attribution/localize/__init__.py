"""Find the places in an element that prove a verified sentence."""

from rag.attribution.localize.drawn import (
    CONVENTIONS,
    Corners,
    Fit,
    Picture,
    VisaLocalizer,
    box_of,
    drawing_model,
    localizer_of,
    snap_to_element,
)
from rag.attribution.localize.words import BY_WORDS, WordLocalizer, boxes_of, localize
