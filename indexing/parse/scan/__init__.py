"""Scan: the words, paragraphs and pictures that are read off the pixels of a page, and a text layer made of them."""

from indexing.parse.scan.ocr import Word, read_page, recognise
from indexing.parse.scan.ocr_layer import blank, ocr_layer_of
from indexing.parse.scan.paragraphs import regions_of
from indexing.parse.scan.pictures import Box4, share, visual_regions

__all__ = [
    "Box4",
    "Word",
    "blank",
    "ocr_layer_of",
    "read_page",
    "recognise",
    "regions_of",
    "share",
    "visual_regions",
]
