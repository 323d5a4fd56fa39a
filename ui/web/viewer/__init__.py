"""Show cited pages as images, with their boxes as SVG in fractions of the page."""

from ui.web.viewer.html import NO_PAGE, empty_viewer_html, viewer_html
from ui.web.viewer.images import WIDTHS, PageImages, address, fitting, nearest, srcset, webp
from ui.web.viewer.pages import MOST_PAGES, CitedPage, page_views

__all__ = [
    "MOST_PAGES",
    "NO_PAGE",
    "WIDTHS",
    "CitedPage",
    "PageImages",
    "address",
    "empty_viewer_html",
    "fitting",
    "nearest",
    "page_views",
    "srcset",
    "viewer_html",
    "webp",
]
