"""HTML as a browser reads it: what tags, attributes and texts a string really has, and whether any could do harm."""

import re
from html.parser import HTMLParser

from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    ["<script>", '"><img src=x onerror=alert(1)>', "</p>", "'--><svg/onload=1>", "${1}", "{{this}}", "&lt;"]
)
TAGS = {
    *("a", "article", "br", "button", "circle", "details", "div", "figcaption", "figure", "g", "h2", "h3", "img", "li"),
    *("ol", "output", "p", "path", "progress", "q", "rect", "section", "span", "summary", "svg", "table", "tbody"),
    *("td", "th", "thead", "tr", "ul", "caption", "dd", "dl", "dt", "fieldset", "figure", "input", "label", "legend"),
    *("mark", "strong", "text"),
}


class Reader(HTMLParser):
    """Collects tags, attributes and text the way a browser would."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        """The tags in their order."""
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def tags(self) -> set[str]:
        return set(self.opened)

    def values(self, name: str) -> list[str | None]:
        return [value for key, value in self.attributes if key == name]


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def harmless(html: str) -> None:
    """Only our tags, no handlers, and nothing that Gradio's templates would fill."""
    reader = read(html)
    assert reader.tags <= TAGS
    assert not [key for key, _ in reader.attributes if key.startswith("on")]
    assert not re.search(r"[{}$`\x1b\u202e]", html)
    places = reader.values("href") + reader.values("src")
    assert not [v for v in places if not (v or "").startswith(("vouch/", "data:text/csv;charset=utf-8;base64,"))]
