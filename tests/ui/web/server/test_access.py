"""The address of the server: what is refused before anything is served, and what is said about an open one."""

from __future__ import annotations

import pytest

from ui.errors import AddressError
from ui.web.server.access import ServerAddress
from ui.web.server.guard import counted_as, is_own


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1:2:3%eth0", "2001:db8::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_an_address_is_counted_as_what_one_machine_has(host: str, counted: str) -> None:
    assert counted_as(host) == counted
    assert is_own(counted_as("::1"))
    assert not is_own(counted_as("2001:db8::1"))


@pytest.mark.parametrize(
    ("root_path", "origin"),
    [
        ("", ""),
        ("/vouch", ""),
        ("https://docs.example/vouch", "https://docs.example"),
        ("https://Docs.example:443", "https://docs.example"),
        ("https://docs.example:8443/", "https://docs.example:8443"),
        ("http://[::1]:80/vouch", "http://[::1]"),
    ],
)
def test_the_origin_is_the_one_that_a_browser_would_say(root_path: str, origin: str) -> None:
    assert ServerAddress(root_path=root_path).origin == origin


@pytest.mark.parametrize(
    "path",
    [
        "https://docs.example:x",
        "https://docs.example:99999",
        "https://[::1",
        "vouch",
        "/a b",
        "javascript:alert(1)",
        "/x?y",
        "//evil.example",
    ],
)
def test_an_odd_root_path_is_refused(path: str) -> None:
    with pytest.raises(AddressError, match="--root-path"):
        ServerAddress(root_path=path)
