"""Show cited pages as images, with their boxes as SVG in fractions of the page."""

from ui.web.viewer.pages import (
    MOST_PAGES,
    NO_PAGE,
    WIDTHS,
    CitedPage,
    address,
    empty_viewer_html,
    fitting,
    nearest,
    page_views,
    srcset,
    viewer_html,
    webp,
)
