"""Find a cited place again after its file was re-indexed, moved or renamed."""

from rag.anchors.anchor import Anchor, anchor_of
from rag.anchors.fingerprint import Occurrence, comparable_text, find_quote, fingerprint
from rag.anchors.resolve import Resolved, resolve
