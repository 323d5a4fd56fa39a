"""Read words, paragraphs and pictures from page images by OCR, and build a text layer of them."""

from indexing.parse.scan.contrast import LEGIBLE, SURE, distance, inside
from indexing.parse.scan.figures import LINE, is_decoration, merged_figures, raster_images
from indexing.parse.scan.first_text import scanned_text
from indexing.parse.scan.ocr import Word, alphabet, read_lines, read_page, read_scored, recognise
from indexing.parse.scan.ocr_layer import blank, ocr_layer_of
from indexing.parse.scan.paragraphs import regions_of
from indexing.parse.scan.picture_files import image_caption, whole_image
from indexing.parse.scan.pictures import Box4, share, visual_regions
from indexing.parse.scan.spreads import facing_pages
from indexing.parse.scan.turns import page_quarters, upright_copy

__all__ = [
    "LEGIBLE",
    "LINE",
    "SURE",
    "Box4",
    "Word",
    "alphabet",
    "blank",
    "distance",
    "facing_pages",
    "image_caption",
    "inside",
    "is_decoration",
    "merged_figures",
    "ocr_layer_of",
    "page_quarters",
    "raster_images",
    "read_lines",
    "read_page",
    "read_scored",
    "recognise",
    "regions_of",
    "scanned_text",
    "share",
    "upright_copy",
    "visual_regions",
    "whole_image",
]
