"""Connect this process to a Ray cluster, check that a node is fit for work, and read the errors of nodes."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from urllib.parse import urlsplit

from indexing import BadSetting, ExtraMissing
from plugins.cluster.errors import ClusterMissing, ClusterOpen

SCHEME = "ray"


@contextlib.contextmanager
def connect(on: str) -> Iterator[ModuleType]:
    """Yield the package ray, connected until the end of the block to the cluster that `on` names.

    `ray` is the cluster that this machine is a node of, `ray://HOST:PORT` the one whose head node has that address.
    Raises BadSetting, ExtraMissing, ClusterOpen without a token, ClusterMissing where no cluster answers.
    """
    options = _options(on)
    if os.environ.get("RAY_AUTH_MODE", "").lower() != "token":
        raise ClusterOpen(
            "Ray listens on all networks of a machine and runs whatever anybody sends to it: create a token "
            "with `ray get-auth-token --generate`, copy it to all nodes, and set RAY_AUTH_MODE=token there "
            "and here (docs/ray.md)"
        )
    # After disconnecting, a call of Ray would start a new cluster, open to the network: let it fail instead.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    try:
        import ray
    except ImportError as error:
        raise ExtraMissing(f"--on {on} needs Ray ({error}): pip install 'vouch[ray]', on all nodes") from None
    connects = not ray.is_initialized()
    if connects:
        _connect(ray, on, options)
    try:
        yield ray
    finally:
        if connects:
            ray.shutdown()


def _connect(ray: ModuleType, on: str, options: dict[str, str]) -> None:
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options, namespace="vouch", log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        text = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ClusterMissing(
            f"no Ray cluster answers --on {on} ({text:.200}): this machine must be a node of it, with the same token: "
            "ray start --head, or ray start --address=HOST:6379 (docs/ray.md)"
        ) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)  # Ray installs a handler that ends the process at once


def _options(on: str) -> dict[str, str]:
    """Return the arguments of `ray.init` for the value of `--on`. Raises BadSetting."""
    if on == SCHEME:
        return {"address": "auto"}
    try:
        parts = urlsplit(on)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != SCHEME or not parts.hostname or port is None or f"{SCHEME}://{parts.netloc}" != on.rstrip("/"):
        raise BadSetting(
            f"--on {on} is not a cluster: give ray for the cluster of this machine, or ray://HOST:PORT for "
            "the one whose head node runs there (PORT is usually 6379)"
        )
    address = {"address": parts.netloc}
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(parts.hostname).is_loopback:
            if parts.hostname == "127.0.0.1":
                raise _unusable_host(on)
            # All nodes are on this machine, and Ray would look for ours at the address of its network card.
            return address | {"_node_ip_address": parts.hostname}
    if parts.hostname == "localhost":
        raise _unusable_host(on)
    return address


def _unusable_host(on: str) -> BadSetting:
    return BadSetting(
        f"--on {on}: Ray takes this host name for the address of a network card: give the address that `ray "
        "start --head` printed, or use --on ray"
    )


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The state of a node: its version of Vouch, and its RAY_AUTH_MODE ("token" if senders of commands need one)."""

    version: str
    authentication: str


def installed_version() -> str:
    """Return the version of Vouch that is installed on this machine, empty where it runs from its source."""
    try:
        return version("vouch")
    except PackageNotFoundError:
        return ""


def node_report() -> NodeReport:
    """Return the version of Vouch and the authentication mode of Ray on this machine."""
    return NodeReport(installed_version(), os.environ.get("RAY_AUTH_MODE", ""))


def refusal(address: str, report: NodeReport) -> ClusterMissing | None:
    """Return the error that excludes the node at an address (another version, or no token); None if it can work."""
    if report.version != installed_version():
        return ClusterMissing(
            f"the node {address} has Vouch {report.version or '(from its source)'}, this machine "
            f"{installed_version() or '(from its source)'}: install the same version on both"
        )
    if report.authentication.lower() != "token":
        return ClusterMissing(
            f"the node {address} was started without RAY_AUTH_MODE=token, so it accepts commands from anybody "
            "who can reach it: restart the cluster with that variable set (docs/ray.md)"
        )
    return None


def unwrap_error(error: BaseException) -> BaseException:
    """Return the error that a node raised, or Ray's own error if it wraps none."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def last_line(error: BaseException) -> str:
    """Return the last line of an error's message, which ends a traceback; the name of its type if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
