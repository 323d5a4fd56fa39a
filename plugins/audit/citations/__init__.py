"""Follow the citations of a text to documents of the collection, and check the text against them."""

from plugins.audit.citations.documents import DocumentIndex, opening_texts
from plugins.audit.citations.sources import CitedSources, NamedSource
