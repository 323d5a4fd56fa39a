"""A cited place on a page of the web is linked to its words; no other address becomes a link."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing.metadata import Metadata
from tests.support import fakes
from tests.ui.stand_ins import citation
from ui.export.sources import link_of

PAGE = "https://a.example/"


@pytest.mark.parametrize(
    ("url", "quote", "link"),
    [
        (PAGE, "two words", "https://a.example/#:~:text=two%20words"),
        (f"{PAGE}#part", "word", "https://a.example/#part:~:text=word"),
        (f"{PAGE}#part:~:text=old", "new", "https://a.example/#part:~:text=new"),
        (f"{PAGE}?q=1", "well-made, a & b", "https://a.example/?q=1#:~:text=well%2Dmade%2C%20a%20%26%20b"),
        (PAGE, "gr\u00fcn\n  ist", "https://a.example/#:~:text=gr%C3%BCn%20ist"),
        (PAGE, " ".join("abcdefghijkl"), "https://a.example/#:~:text=a%20b%20c%20d%20e,h%20i%20j%20k%20l"),
        (PAGE, "  ", PAGE),
        *((url, "The mill.", "") for url in ("", "javascript:alert(1)", "file:///etc/passwd", "//a.example")),
    ],
)
def test_links(url: str, quote: str, link: str) -> None:
    document = replace(fakes.document("page.html", []), metadata=Metadata(url=url))
    assert link_of(document, citation(quote=quote)) == link
