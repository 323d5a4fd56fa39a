"""Web pages as documents: HTML, MHTML, web archives and addresses, drawn by Chromium, with boxes out of the DOM."""

from indexing.conversion.web.browser import chromium_of
from indexing.conversion.web.pages import FetchedPage, fetched_page, web_rendition
from indexing.conversion.web.reading import html_blocks

__all__ = ["FetchedPage", "chromium_of", "fetched_page", "html_blocks", "web_rendition"]
