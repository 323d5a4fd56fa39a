"""The looks of the page: the colours of the system, and the size of the window."""

import pytest

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def looks(wide: object, narrow: object) -> list[object]:
    """Each colour in each size, as parameters: two show both colours and both sizes, the others are thorough."""
    return [
        pytest.param("light", wide, id="light-wide"),
        pytest.param("dark", narrow, id="dark-phone"),
        pytest.param("light", narrow, id="light-phone", marks=pytest.mark.thorough),
        pytest.param("dark", wide, id="dark-wide", marks=pytest.mark.thorough),
    ]


EVERY_WIDTH = pytest.mark.parametrize(("scheme", "width"), looks(1280, 390))
"""For tests of the colours and the width in pixels."""
EVERY_WINDOW = pytest.mark.parametrize(("look", "size"), looks({}, PHONE))
"""For tests of the colours and what a context takes for a window or a phone."""
