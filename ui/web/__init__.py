"""The page of `vouch serve`, and the APIs beside it."""

from typing import TYPE_CHECKING

from indexing.lazy_imports import lazy_names

if TYPE_CHECKING:
    from ui.web.app import PageContext, serve
    from ui.web.followed_work import FollowedWork, begin_thread
    from ui.web.frame import FOLLOWERS, QUIET, visitor_of


_LATE = {
    "serve": "app",
    "FollowedWork": "followed_work",
    "begin_thread": "followed_work",
    "PageContext": "app",
}
_LATE |= dict.fromkeys(("FOLLOWERS", "QUIET", "visitor_of"), "frame")

__getattr__ = lazy_names(__name__, _LATE)  # Gradio takes seconds: what cannot be served is told before it
