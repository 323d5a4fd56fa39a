"""Render HTML, MHTML, web archives and URLs with Chromium, and read elements and boxes from the DOM."""

from indexing.conversion.web.browser import chromium_of
from indexing.conversion.web.pages import FetchedPage, fetched_page, web_rendition
from indexing.conversion.web.reading import html_blocks

__all__ = ["FetchedPage", "chromium_of", "fetched_page", "html_blocks", "web_rendition"]
