"""Keep collections open: answer from them, draw their pages, verify their texts while idle."""

from ui.web.open_collections.collections import OpenCollections, page_name
from ui.web.open_collections.idle_looks import IdleLooks
