"""The connection to an object store: its timeouts, and its failures as errors of ours, without any secret.

Credentials come from the environment, where the libraries read them (AWS_*, AZURE_*, GOOGLE_*). Messages of a store or
a library are only passed on after `redact`, as an address can be signed.
"""

from __future__ import annotations

import os
import re
from datetime import timedelta
from typing import Any

from indexing.errors import CollectionError, StoreDenied, StoreUnreachable

CONNECT_SECONDS = 5.0
REQUEST_SECONDS = 60.0
"""The most seconds of one request, which carries at most `objects.PIECE` bytes."""
RETRIES = 8
RETRY_SECONDS = 30.0
"""The times, and the most seconds, for which a request that fails is tried again, after pauses that grow."""
_ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "az": ("AZURE_STORAGE_ENDPOINT",),
    "gs": ("GOOGLE_BASE_URL",),
}
"""The variables that name a store of one's own, by the scheme of its address."""
_STORES = ("AWS_", "AZURE_", "GOOGLE_", "GCS_")
_SECRET = ("KEY", "SECRET", "TOKEN", "SAS", "PASSWORD", "CREDENTIAL", "SERVICE_ACCOUNT", "SIGNATURE")
_CREDENTIALS = {"gs": "GOOGLE_SERVICE_ACCOUNT", "az": "AZURE_STORAGE_ACCOUNT_KEY"}
"""The variable that is named to whoever has set none, by the scheme of the address; Amazon's for any other."""
_SIGNED = re.compile(r"\?[^\s\"'<>)]{1,4000}")
_STATUS = re.compile(r"status code: ([45]\d\d)|status: ([45]\d\d)|, status[^0-9]{1,12}([45]\d\d)")
_DENIED = ("AccessDenied", "Forbidden", "Unauthorized", "InvalidAccessKeyId", "SignatureDoesNotMatch")
_NO_CREDENTIALS = ("CredentialsNotLoaded", "no credentials", "169.254.169.254", "metadata.google", "instance metadata")
_AWAY = ("error sending request", "timed out", "timeout", "RetryError", "connection", "Connection", "HTTP error", "dns")
_APART = re.compile(r"[\s\"'(),]+")


def no_bucket(address: str) -> StoreUnreachable:
    """Return the error for an address whose bucket does not exist."""
    return StoreUnreachable(f"{address}: there is no such bucket: create it, or correct VOUCH_HOME")


def endpoint(address: str) -> str:
    """Return the server that the environment names for stores of an address's scheme; "" for the maker's own."""
    names = _ENDPOINTS.get(_scheme(address), ())
    return next((value for name in names if (value := os.environ.get(name))), "")


def client_settings(address: str) -> dict[str, Any]:
    """Return the keyword arguments with which obstore connects to the store of an address."""
    return {
        "client_options": {
            "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
            "timeout": timedelta(seconds=REQUEST_SECONDS),
            "allow_http": endpoint(address).startswith("http://"),
        },
        "retry_config": {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
    }


def table_settings(address: str) -> dict[str, str]:
    """Return the storage options with which LanceDB connects to an address.

    LanceDB itself reads credentials from the environment, and the servers of Azure and Google.
    """
    options = {
        "connect_timeout": f"{CONNECT_SECONDS:g}s",
        "timeout": f"{REQUEST_SECONDS:g}s",
        "client_max_retries": str(RETRIES),
        "client_retry_timeout": f"{RETRY_SECONDS:.0f}",
    }
    server = endpoint(address)
    if server.startswith("http://"):
        options["allow_http"] = "true"
    if server and _scheme(address) == "s3" and "AWS_ENDPOINT" not in os.environ:
        options["aws_endpoint"] = server
    return options


def _scheme(address: str) -> str:
    return address.partition("://")[0]


def redact(text: str) -> str:
    """Return a text without the values of credential variables, and without the query of addresses."""
    for name, value in os.environ.items():
        if name.startswith(_STORES) and any(part in name for part in _SECRET) and len(value) > 3:
            text = text.replace(value, "***")
    return _SIGNED.sub("?***", text)


def refusal(address: str, message: str) -> CollectionError | None:
    """Return the error that a failure means, with the `message` of a library; None where it is not the store's.

    It is StoreDenied or StoreUnreachable, and quotes nothing but a status.
    """
    if "NoSuchBucket" in message:
        return no_bucket(address)
    if any(sign in message for sign in _NO_CREDENTIALS):
        variable = _CREDENTIALS.get(_scheme(address), "AWS_ACCESS_KEY_ID")
        return StoreDenied(
            f"{address}: no credentials for the object store: set its environment variables ({variable} and so on)"
        )
    status = _STATUS.search(message)
    number = next((group for group in status.groups() if group), "") if status else ""
    # Addresses and paths are no words of a failure: "403" stands in many a hexadecimal name.
    words = " ".join(word for word in _APART.split(message) if "/" not in word)
    if number in ("401", "403") or (not number and any(sign in words for sign in _DENIED)):
        return StoreDenied(f"{address}: the object store refused access: check its credentials and their permissions")
    if not number.startswith("5") and not any(sign in words for sign in (*_AWAY, *_DENIED)):
        return None
    why = f"status {number}" if number else "no answer in time" if "timed out" in message.lower() else "no connection"
    return StoreUnreachable(
        f"{address}: the object store does not answer ({why}): check the network and its endpoint, then run the same "
        "command again; what was complete is kept"
    )
