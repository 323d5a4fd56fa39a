"""The network: what a call may take from a server, in seconds and bytes, on the wire itself."""

from rag.network.held_network import Allowance, HeldNetwork, seconds_of

__all__ = ["Allowance", "HeldNetwork", "seconds_of"]
