"""Text fragments: an address that leads a browser to the words of a quote on the page (`#:~:text=`)."""

from __future__ import annotations

from urllib.parse import quote as percent_encoded

EXACT_WORDS = 10
"""The most words of a quote that are given whole; of a longer one, the first and the last."""
END_WORDS = 5
CONTEXT_WORDS = 4
_DIRECTIVE = ":~:"


def text_fragment(url: str, quote: str, prefix: str = "", suffix: str = "") -> str:
    """Return `url` with a fragment that marks `quote`; the words before and after it tell it from others like it.

    The address is returned as it is where it is not one of the web, or the quote has no words.
    """
    words = quote.split()
    if not words or not url.lower().startswith(("https://", "http://")):
        return url
    address, _, fragment = url.partition("#")
    kept = fragment.partition(_DIRECTIVE)[0]
    parts = (
        [" ".join(words)] if len(words) <= EXACT_WORDS else [" ".join(words[:END_WORDS]), " ".join(words[-END_WORDS:])]
    )
    told = [_term(part) for part in parts]
    before, after = prefix.split()[-CONTEXT_WORDS:], suffix.split()[:CONTEXT_WORDS]
    if before:
        told.insert(0, f"{_term(' '.join(before))}-")
    if after:
        told.append(f"-{_term(' '.join(after))}")
    return f"{address}#{kept}{_DIRECTIVE}text={','.join(told)}"


def _term(text: str) -> str:
    """Return a text as a term of the directive, in which a dash, a comma and an ampersand have a meaning."""
    return percent_encoded(text, safe="").replace("-", "%2D")
