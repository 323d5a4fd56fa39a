"""What may be asked: named hosts at public addresses, encrypted; nothing else, whoever names it."""

import pytest

from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.errors import SourceUnreachable
from tests.plugins.audit.record_service import Answer, Asked, RecordService
from tests.support import network

HOSTS = frozenset({"records.example", "localhost"})


@pytest.mark.parametrize(
    "url",
    [
        "http://records.example/works", "https://records.example:8443/works", "https://127.0.0.1/works",
        "https://records.example.evil.example/", "https://records.example@10.0.0.1/",
        "https://user:word@records.example/", "https://[::1]/", "https://records.example:port/",
        "ftp://records.example/", "file:///etc/passwd", "//records.example/", "",
    ],
)  # fmt: skip
def test_an_address_that_is_none_of_the_hosts_is_not_asked(url: str) -> None:
    client = GuardedClient(HOSTS, agent="test")
    with pytest.raises(SourceUnreachable, match=r"may be asked|without encryption|cannot be read"):
        client.get(url, "*/*")


@pytest.mark.parametrize("addresses", [["192.168.1.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:10.0.0.1"], ["not one"]])
def test_a_name_of_a_private_address_is_not_connected(addresses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    client = GuardedClient(HOSTS, agent="test", resolve=lambda _host, _port: addresses)
    before = list(network.attempts)
    with pytest.raises(SourceUnreachable, match="no public address"):
        client.get("https://records.example/", "*/*")
    assert network.attempts == before


def test_the_permission_for_loopback_is_for_no_other_private_address() -> None:
    client = GuardedClient(HOSTS, agent="test", loopback=True, resolve=lambda _host, _port: ["10.0.0.1"])
    with pytest.raises(SourceUnreachable, match=r"leads to 10\.0\.0\.1"):
        client.get("http://records.example/", "*/*")


def test_the_address_that_was_checked_is_the_one_that_is_connected_to() -> None:
    answers = iter([["127.0.0.1"]])
    with RecordService(lambda asked: Answer(200, asked.headers["host"].encode())) as server:
        client = GuardedClient(HOSTS, agent="test", loopback=True, resolve=lambda _host, _port: next(answers))
        fetched = client.get(f"http://records.example:{server.port}/", "*/*")
    assert fetched.body.decode() == f"records.example:{server.port}"


def test_headers_that_are_slow_to_come_are_held_to_the_seconds() -> None:
    with RecordService(Answer(200, b"x", stuck=True)) as server:
        client = GuardedClient(HOSTS, agent="test", seconds=0.2, loopback=True)
        with pytest.raises(SourceUnreachable, match=r"no whole answer in 0\.2 s"):
            client.get(f"http://localhost:{server.port}/", "*/*")


def test_headers_without_an_end_are_held_to_the_bytes() -> None:
    with RecordService(Answer(200, headers={f"x-{n}": "y" * 900 for n in range(90)})) as server:
        client = GuardedClient(HOSTS, agent="test", most_bytes=20_000, loopback=True)
        with pytest.raises(SourceUnreachable, match="sends more than 20,000 bytes"):
            client.get(f"http://localhost:{server.port}/", "*/*")


def test_a_redirect_that_leaves_encryption_is_taken_up_with_it() -> None:
    client = GuardedClient(HOSTS, agent="test")
    assert client._with_https("http://records.example/x") == "https://records.example/x"


def test_a_key_goes_to_the_first_host_alone() -> None:
    def answer(asked: Asked) -> Answer:
        away = asked.headers["host"].startswith("localhost")
        return Answer(302, headers={"location": f"http://records.example:{server.port}/"}) if away else Answer(200)

    with RecordService(answer) as server:
        client = GuardedClient(HOSTS, agent="test", loopback=True, resolve=lambda _host, _port: ["127.0.0.1"])
        client.get(f"http://localhost:{server.port}/", "*/*", {"x-api-key": "k"})
    assert [asked.headers.get("x-api-key") for asked in server.asked] == ["k", None]


def test_by_a_proxy_of_the_environment_the_list_of_hosts_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    with RecordService(Answer(200)) as proxy:
        for name in ("https_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.address)
        monkeypatch.setenv("no_proxy", "")
        monkeypatch.setenv("NO_PROXY", "")
        client = GuardedClient(HOSTS, agent="test")
        with pytest.raises(SourceUnreachable, match="the connection failed"):  # it refuses CONNECT, which says it came
            client.get("https://records.example/", "*/*")
        with pytest.raises(SourceUnreachable, match="none of the hosts"):
            client.get("https://elsewhere.example/", "*/*")
