"""Process the pages of a collection after they were indexed: read their pixels, compare their text with them."""

from indexing.looks.looking_ahead import LookedPage, look_ahead
from indexing.looks.pixels import read_pixels, unread_pixels
