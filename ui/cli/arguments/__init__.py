"""Parse single arguments, and add the options that several commands share."""

from ui.cli.arguments.reading import add_index_options, add_reading_options
from ui.cli.arguments.scale import add_search_on
from ui.cli.arguments.shared import (
    add_collection,
    add_existing_collection,
    add_password,
    add_profile,
    add_retrieval,
)
from ui.cli.arguments.values import descriptor, existing_collection, port, positive, question_words

__all__ = [
    "add_collection",
    "add_existing_collection",
    "add_index_options",
    "add_password",
    "add_profile",
    "add_reading_options",
    "add_retrieval",
    "add_search_on",
    "descriptor",
    "existing_collection",
    "port",
    "positive",
    "question_words",
]
