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
    """Yield the package ray, connected to the cluster that `on` names until the end of the block.

    It is `ray` for the cluster that a node on this machine belongs to, or `ray://HOST:PORT` for that with its head
    there. Raises BadSetting, ExtraMissing, ClusterOpen without a token, ClusterMissing where no cluster answers.
    """
    options = _options(on)
    if os.environ.get("RAY_AUTH_MODE", "").lower() != "token":
        raise ClusterOpen(
            "Ray listens on all networks of a machine and runs whatever anybody sends to it: create a token "
            "with `ray get-auth-token --generate`, copy it to all nodes, and set RAY_AUTH_MODE=token there "
            "and here (docs/ray.md)"
        )
    # A call of Ray's after it was left would start a cluster of its own, open to the network: it shall fail instead.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    try:
        import ray
    except ImportError as error:
        raise ExtraMissing(f"--on {on} needs Ray ({error}): pip install 'vouch[ray]', on all nodes") from None
    mine = not ray.is_initialized()
    if mine:
        _connect(ray, on, options)
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()


def _connect(ray: ModuleType, on: str, options: dict[str, str]) -> None:
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options, namespace="vouch", log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ClusterMissing(
            f"no Ray cluster answers --on {on} ({said:.200}): this machine must be a node of it, with the same token: "
            "ray start --head, or ray start --address=HOST:6379 (docs/ray.md)"
        ) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)  # Ray puts its own in its place, which ends the process at once


def _options(on: str) -> dict[str, str]:
    """Return the arguments of `ray.init` for what `--on` names. Raises BadSetting."""
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
                raise _rewritten(on)
            # All nodes are on this machine, and Ray would look for ours at the address of its network card.
            return address | {"_node_ip_address": parts.hostname}
    if parts.hostname == "localhost":
        raise _rewritten(on)
    return address


def _rewritten(on: str) -> BadSetting:
    return BadSetting(
        f"--on {on}: Ray takes this host name for the address of a network card: give the address that `ray "
        "start --head` printed, or use --on ray"
    )


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The state of a node: the version of Vouch there, and the mode in which Ray asks who sends it commands."""

    version: str
    authentication: str


def installed_version() -> str:
    """Return the version of Vouch that is installed on this machine, empty where it runs from its source."""
    try:
        return version("vouch")
    except PackageNotFoundError:
        return ""


def node_report() -> NodeReport:
    """Return what a driver wants to know of this machine before it sends work."""
    return NodeReport(installed_version(), os.environ.get("RAY_AUTH_MODE", ""))


def refusal(address: str, told: NodeReport) -> ClusterMissing | None:
    """Return why the node at an address gets no work, None where it does."""
    if told.version != installed_version():
        return ClusterMissing(
            f"the node {address} has Vouch {told.version or '(from its source)'}, this machine "
            f"{installed_version() or '(from its source)'}: install the same version on both"
        )
    if told.authentication.lower() != "token":
        return ClusterMissing(
            f"the node {address} was started without RAY_AUTH_MODE=token, so it accepts commands from anybody "
            "who can reach it: restart the cluster with that variable set (docs/ray.md)"
        )
    return None


def unwrap_error(error: BaseException) -> BaseException:
    """Return the error that a node raised, or Ray's where it raised none."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else error


def last_line(error: BaseException) -> str:
    """Return what an error says last, of a traceback the error itself; its kind where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]
