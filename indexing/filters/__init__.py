"""Parse and evaluate filters over document metadata, such as `tag=minutes and date>=2024`."""

from indexing.filters.facets import facets_of, fitting_documents
from indexing.filters.syntax import MOST_CHARACTERS, parse_filter
