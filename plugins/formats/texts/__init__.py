"""Convert plain text, Markdown, CSV and notebooks to blocks that know their source lines."""

from plugins.formats.texts.decoding import decode
from plugins.formats.texts.delimited import csv_rendition
from plugins.formats.texts.markdown import markdown_rendition
from plugins.formats.texts.notebook import notebook_rendition
from plugins.formats.texts.paragraphs import lay_out, paragraph_blocks, text_rendition
