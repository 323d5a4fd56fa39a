"""Typography: the words of a page as they are set, with their size and place, for readers that go by the look."""

from indexing.parse.typography.printed import PrintedPage, PrintedWord
from indexing.parse.typography.setting import printed_page

__all__ = ["PrintedPage", "PrintedWord", "printed_page"]
