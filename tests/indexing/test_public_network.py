"""Which addresses may be asked."""

import pytest

from indexing.public_network import is_public, may_be_asked


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
     "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
     "ff02::1", "2606:4700::6810:84e5%eth0", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "::8.8.8.8",
     "64:ff9b:1::1", "64:ff9b:1::7f00:1", "64:ff9b:1::8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "fec0::1",
     "feff::1", "4000::1", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "2002:0a00:0001::1", "2002:7f00:1::", "2001::1",
     "2001:0:4136:e378:8000:63bf:3fff:fdd2", "records.example", "8.8.8.8%eth0", "", "0x7f000001", "2130706433"],
)  # fmt: skip
def test_addresses_of_no_public_network_are_none_to_ask(address: str) -> None:
    assert not is_public(address)
    assert not may_be_asked(address, loopback=False)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:4700::6810:84e5", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)
def test_public_addresses_may_be_asked(address: str) -> None:
    assert is_public(address)
    assert may_be_asked(address, loopback=False)


def test_loopback_is_asked_where_tests_say_so_and_nothing_else_near() -> None:
    assert may_be_asked("127.0.0.1", loopback=True)
    assert may_be_asked("::1", loopback=True)
    assert not may_be_asked("192.168.1.1", loopback=True)
