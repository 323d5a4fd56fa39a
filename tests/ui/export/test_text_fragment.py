"""Text fragments: the rules of the directive, and addresses that have none."""

from __future__ import annotations

import pytest

from ui.export.text_fragment import text_fragment


@pytest.mark.parametrize(
    ("url", "told", "fragment"),
    [
        ("https://a.example/p", ("two words",), "https://a.example/p#:~:text=two%20words"),
        ("https://a.example/p#part", ("word",), "https://a.example/p#part:~:text=word"),
        ("https://a.example/p#part:~:text=old", ("new",), "https://a.example/p#part:~:text=new"),
        (
            "https://a.example/?q=1",
            ("well-made, a & b",),
            "https://a.example/?q=1#:~:text=well%2Dmade%2C%20a%20%26%20b",
        ),
        ("https://a.example/", ("grün\n  ist",), "https://a.example/#:~:text=gr%C3%BCn%20ist"),
        ("https://a.example/", ("x", "a b c d e-f", "g h"), "https://a.example/#:~:text=b%20c%20d%20e%2Df-,x,-g%20h"),
        (
            "https://a.example/",
            (" ".join("abcdefghijkl"),),
            "https://a.example/#:~:text=a%20b%20c%20d%20e,h%20i%20j%20k%20l",
        ),
        ("https://a.example/", ("  ",), "https://a.example/"),
        ("file:///a.html", ("word",), "file:///a.html"),
        ("javascript:alert(1)", ("word",), "javascript:alert(1)"),
        ("", ("word",), ""),
    ],
)
def test_fragments(url: str, told: tuple[str, ...], fragment: str) -> None:
    assert text_fragment(url, *told) == fragment
