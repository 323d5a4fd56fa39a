"""The address of the page of `vouch serve`, its host names and its origin. Independent of Gradio."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

import httpx

from ui.errors import AddressError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address to listen at, and its options.

    With `accounts` people have to log in. `root_path` is the path, or the whole address, at which a proxy in front of
    the page serves it; `share` asks Gradio's servers for a public address; `mcp` offers the tools to language models,
    who come by tokens where there are accounts.
    """

    host: str = LOOPBACK[0]
    port: int = 7860
    accounts: bool = False
    root_path: str = ""
    share: bool = False
    mcp: bool = False

    def __post_init__(self) -> None:
        """Raise AddressError for options that cannot work, or that are unsafe together."""
        if self.root_path and not re.fullmatch(r"(?:https?://[\w.:\[\]-]+)?(?:/[\w.~-]+)*/?", self.root_path):
            raise AddressError(f"--root-path {self.root_path!r}: give a path such as /vouch, or an address with one")
        try:
            _ = self.origin
        except ValueError:
            raise AddressError(f"--root-path {self.root_path!r}: that is not the address of a server") from None
        if self.share and not self.accounts:
            raise AddressError("--share puts the page on the internet: say who may use it with --accounts")
        if self.mcp and find_spec("mcp") is None:
            raise AddressError("--mcp needs a package that is not installed: pip install 'vouch[mcp]'")

    @property
    def local(self) -> bool:
        """True if only this machine can reach the page."""
        return self.host in LOOPBACK and not self.share

    @property
    def hosts(self) -> tuple[str, ...]:
        """The host names that requests may use, without port; others are refused, which prevents DNS rebinding.

        If others can reach the page, `Border` also accepts IP addresses and the names of the machine.
        """
        outside = urlsplit(self.root_path).hostname
        return (*dict.fromkeys((*LOOPBACK, self.host.strip("[]").lower(), *([outside] if outside else []))),)

    @property
    def origin(self) -> str:
        """The origin of the page in browsers ("https://docs.example"), if `--root-path` is a full address; else "".

        Raises ValueError for an invalid port.
        """
        parts = urlsplit(self.root_path)
        if not parts.hostname:
            return ""
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        usual = {"http": 80, "https": 443}[parts.scheme]
        return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port not in (None, usual) else "")

    @property
    def warning(self) -> str:
        """The warning to print when the page is started, that everybody can change collections; "" if it is safe."""
        if self.host in LOOPBACK or self.accounts:
            return ""
        return (
            f"vouch: anybody who reaches {self.host} can read and change these collections: add --accounts, or leave "
            "out --host"
        )


@contextmanager
def explain_start_failure(address: ServerAddress) -> Iterator[None]:
    """Add advice to the errors of a start: the port is not free, or Gradio's test request to the server failed."""
    try:
        yield
    except httpx.TransportError as error:
        raise AddressError(
            f"the page cannot be reached from this machine itself ({error}): check that /etc/hosts has 127.0.0.1 "
            "localhost, and that no proxy is used (no_proxy=localhost,127.0.0.1)"
        ) from error
    except OSError as error:
        raise OSError(
            f"cannot listen on {address.host}, port {address.port}: another program may have it; try --port"
        ) from error
