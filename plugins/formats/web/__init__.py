"""Render HTML, MHTML, web archives and URLs with Chromium, and read elements and boxes from the DOM."""

from plugins.formats.web.browser import chromium_of
from plugins.formats.web.pages import fetched_page, web_rendition

__all__ = ["chromium_of", "fetched_page", "web_rendition"]
