"""Addresses: no spelling of one leads to this machine, or to one nearby."""

import ipaddress

from hypothesis import strategies as st

from indexing.public_network import is_public, may_be_asked
from tests.fuzz.conftest import Fuzz
from tests.fuzz.hostile import ANY, is_a_message
from ui.errors import AddressError
from ui.web.server.origin_check import ServerAddress

HOSTS = ("docs.example", "www.docs.example", "evil.example", "127.0.0.1", "2130706433", "0x7f.1", "[::1]",
         "[::ffff:7f00:1]",
         "localhost", "docs.example.", "DOCS.example", "docs.example@evil.example", "\uff44ocs.example",
         "[fe80::1%25eth0]", "")  # fmt: skip
URLS = st.lists(
    st.sampled_from(("http", "https", "file", "ftp", "://", ":", "//", "/", "\\", "@", "?", "#", "..", "%00",
    "\r\n", "\t",
                     ":80", ":443", ":22", ":99999", "*", *HOSTS)) | ANY,
    max_size=8,
).map("".join)  # fmt: skip
WHOLE = st.builds("{}://{}{}".format, st.sampled_from(("http", "https", "HTTP")), st.sampled_from(HOSTS), URLS)
V4 = st.integers(0, 2**32 - 1).map(ipaddress.IPv4Address)
CARRIERS = ("{}", "::ffff:{}", "64:ff9b::{}", "::{}", "::ffff:0:{}", "64:ff9b:1::{}", "{}%eth0", " {}", "{}/8")
NEAR = ("10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "0.0.0.0/8",
        "224.0.0.0/4", "240.0.0.0/4")  # fmt: skip


def test_an_address_is_as_public_as_the_one_that_it_carries(fuzz: Fuzz) -> None:
    near = [ipaddress.ip_network(one) for one in NEAR]

    def check(address: ipaddress.IPv4Address, carrier: str) -> None:
        said = carrier.format(address)
        if any(address in network for network in near):
            assert not is_public(said)
            assert not may_be_asked(said, loopback=False)
        assert not (is_public(said) and carrier not in ("{}", "::ffff:{}", "64:ff9b::{}"))

    inside = st.sampled_from(near).flatmap(lambda n: st.integers(0, n.num_addresses - 1).map(lambda k: n[k]))
    fuzz(check, address=V4 | inside, carrier=st.sampled_from(CARRIERS))


def test_no_text_is_an_address_of_a_server_that_it_does_not_name(fuzz: Fuzz) -> None:
    def check(root_path: str, host: str) -> None:
        try:
            server = ServerAddress(host=host, root_path=root_path)
        except AddressError as error:
            is_a_message(error)
            return
        assert not set("\r\n\"'<> \\") & set(server.origin + root_path)
        assert server.origin == "" or server.origin.startswith(("http://", "https://"))
        assert all(name for name in server.hosts if name != host.strip("[]").lower())

    fuzz(check, root_path=URLS | WHOLE | st.just("/vouch"), host=st.sampled_from(HOSTS) | ANY)
