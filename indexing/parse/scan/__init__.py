"""Read words, paragraphs and pictures from page images by OCR, and build a text layer of them."""

from indexing.parse.scan.contrast import LEGIBLE, SURE, distance, pixels_in
from indexing.parse.scan.ocr import (
    Box4,
    Word,
    alphabet,
    bounding_box,
    by_line,
    read_lines,
    read_page,
    read_scored,
    recognise,
)
from indexing.parse.scan.ocr_layer import is_blank, ocr_layer_of
from indexing.parse.scan.paragraphs import regions_of, scanned_text
from indexing.parse.scan.picture_files import image_caption, whole_image
from indexing.parse.scan.pictures import (
    LINE,
    is_decoration,
    merged_figures,
    raster_images,
    share,
    visual_regions,
)
from indexing.parse.scan.spreads import facing_pages
from indexing.parse.scan.turns import read_upright
