"""Read words, paragraphs and pictures from page images by OCR, and build a text layer of them."""

from indexing.parse.scan.ocr import (
    LEGIBLE,
    SURE,
    Box4,
    Word,
    alphabet,
    bounding_box,
    by_line,
    distance,
    pixels_in,
    read_lines,
    read_page,
    read_scored,
    recognise,
)
from indexing.parse.scan.ocr_layer import is_blank, ocr_layer_of
from indexing.parse.scan.paragraphs import regions_of, scanned_text
from indexing.parse.scan.pictures import (
    LINE,
    image_caption,
    is_decoration,
    merged_figures,
    raster_images,
    share,
    visual_regions,
    whole_image,
)
from indexing.parse.scan.sheets import facing_pages, read_upright
