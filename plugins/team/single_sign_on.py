"""Single sign-on by OpenID Connect: the code flow with PKCE, by authlib; only the provider's own address is asked.

The provider's metadata, its keys and its token endpoint must be at the origin of the issuer that the settings name.
"""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import httpx

from configs import parsed_json
from ui import AddressError, NotSignedOn

_SECONDS = 10.0
_CACHE_SECONDS = 300.0
"""The seconds for which the metadata and the keys of the provider are cached."""
_MOST_BYTES = 1_000_000
_SIGNED_BY = ["RS256", "PS256", "ES256", "EdDSA"]
"""The algorithms that a provider may sign with: no symmetric ones."""
_LEEWAY = 60


@dataclass(frozen=True, slots=True)
class SignOnStart:
    """The start of a sign-on: the address to which the browser goes, and the secrets that its return must match."""

    address: str
    state: str
    nonce: str
    verifier: str


class SingleSignOn:
    """The provider of single sign-on. Every method may be called from any thread, and may take seconds."""

    def __init__(self, issuer: str, client: str, secret: str) -> None:
        """Keep the provider's address, and our client id and secret.

        Raises AddressError where the package is missing, and for an address without TLS that is not this machine's.
        """
        parts = urlsplit(issuer)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise AddressError(f"sso_issuer {issuer!r}: give the address of the provider, beginning with https://")
        if find_spec("authlib") is None:  # an error at the start, not at the first login
            raise AddressError("sso_issuer needs a package that is not installed: pip install 'vouch[sso]'")
        self._issuer = issuer.rstrip("/")
        self._origin = (parts.scheme, parts.netloc)
        self._client = client
        self._secret = secret
        self._lock = threading.Lock()
        self._cache: tuple[float, dict[str, Any], dict[str, Any]] | None = None

    def start(self, redirect: str) -> SignOnStart:
        """Return the address to send a browser to, which will come back to `redirect`. Raises NotSignedOn."""
        metadata, _ = self._metadata()
        nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
        with self._session(redirect) as session:
            address, state = session.create_authorization_url(
                metadata["authorization_endpoint"], nonce=nonce, code_verifier=verifier
            )
        return SignOnStart(address, state, nonce, verifier)

    def finish(self, redirect: str, code: str, start: SignOnStart) -> tuple[str, str]:
        """Return (subject, e-mail address) of the person for the code that the browser brought. Raises NotSignedOn.

        The address is "" unless the provider states that it has verified it.
        """
        from authlib.integrations.base_client import OAuthError

        metadata, keys = self._metadata()
        try:
            with self._session(redirect) as session:
                token = session.fetch_token(
                    metadata["token_endpoint"],
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=start.verifier,
                )
        except (OAuthError, httpx.HTTPError, ValueError):
            raise NotSignedOn("the single sign-on provider rejected the code: sign on again") from None
        claims = self._verified_claims(token.get("id_token"), keys, start.nonce, str(metadata["issuer"]))
        email = claims.get("email") if claims.get("email_verified") is True else ""
        return f"{self._issuer} {claims['sub']}", str(email or "")

    def _verified_claims(self, id_token: object, keys: dict[str, Any], nonce: str, issuer: str) -> dict[str, Any]:
        """Return the claims of a token that the provider signed for us and for this sign-on. Raises NotSignedOn."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        rules = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": self._client},
            exp={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            token = jwt.decode(str(id_token), KeySet.import_key_set(keys), algorithms=_SIGNED_BY)  # type: ignore[arg-type]
            rules.validate(token.claims)
        except (JoseError, ValueError, KeyError, TypeError):
            raise NotSignedOn("the single sign-on provider did not prove who you are: sign on again") from None
        claims: dict[str, Any] = token.claims
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self._client:
            raise NotSignedOn("the provider's token is for another program: sign on again")
        if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
            raise NotSignedOn("the provider does not say who you are: ask its administrator")
        return claims

    def _session(self, redirect: str) -> Any:
        """Return a client of authlib for one sign-on."""
        from authlib.integrations.httpx_client import OAuth2Client

        return OAuth2Client(
            self._client,
            self._secret or None,
            scope="openid email",
            redirect_uri=redirect,
            code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if self._secret else "none",
            timeout=_SECONDS,
            trust_env=False,
            follow_redirects=False,
        )

    def _metadata(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the provider's metadata and its keys, both cached for a while. Raises NotSignedOn."""
        with self._lock:
            if self._cache is None or time.monotonic() - self._cache[0] > _CACHE_SECONDS:
                metadata = self._fetch_json(f"{self._issuer}/.well-known/openid-configuration")
                if str(metadata.get("issuer", "")).rstrip("/") != self._issuer:
                    raise NotSignedOn("the single sign-on provider gives a different address as its own: tell an admin")
                for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    parts = urlsplit(str(metadata.get(name, "")))
                    if (parts.scheme, parts.netloc) != self._origin:
                        raise NotSignedOn("the single sign-on provider redirects to a different address: tell an admin")
                self._cache = (time.monotonic(), metadata, self._fetch_json(metadata["jwks_uri"]))
            return self._cache[1:]

    def _fetch_json(self, address: str) -> dict[str, Any]:
        """Fetch a JSON object from the provider; redirects are not followed. Raises NotSignedOn."""
        value: object = None
        with suppress(httpx.HTTPError, ValueError), httpx.Client(timeout=_SECONDS, trust_env=False) as client:
            with client.stream("GET", address) as response:
                body = bytearray()
                for part in response.iter_bytes():
                    body += part
                    if len(body) > _MOST_BYTES:
                        break
            value = parsed_json(bytes(body)) if response.status_code == 200 and len(body) <= _MOST_BYTES else None
        if not isinstance(value, dict):
            raise NotSignedOn("the single sign-on provider cannot be reached: try again later")
        return value
