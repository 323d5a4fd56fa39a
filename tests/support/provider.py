"""A provider of OpenID Connect on loopback: it knows one person, signs with a key made for it, and checks PKCE."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

CLIENT, SECRET = "vouch", "a secret of both"


class Provider:
    """The provider; a test changes what it says of itself (`said`), what it claims (`claims`), and how it signs."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.signing: Any = self.key
        self.header = {"alg": "RS256", "kid": "one"}
        self.claims: dict[str, Any] = {"sub": "42", "email": "ada@example.org", "email_verified": True}
        self.said: dict[str, Any] = {}
        self.address = ""
        self.tokens = 0
        self._codes: dict[str, dict[str, str]] = {}

    def forge(self, alg: str) -> None:
        """Sign with a key that is not the provider's."""
        self.header = {"alg": alg, "kid": "one"}
        self.signing = OctKey.import_key(SECRET * 4) if alg.startswith("HS") else RSAKey.generate_key(2048)

    def described(self) -> dict[str, Any]:
        """The document of discovery."""
        at = self.address
        return {
            "issuer": at,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "jwks_uri": f"{at}/keys",
        } | self.said

    def authorized(self, asked: dict[str, str]) -> str:
        """Where a browser goes that has signed on there."""
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT)
        assert asked["code_challenge_method"] == "S256"
        assert len(asked["nonce"]) > 20
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, sent: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The answer to a code, None for one that is unknown, used, or asked by another program."""
        asked = self._codes.pop(sent.get("code", ""), None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest())
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = asked is not None and asked["code_challenge"] == proof.decode().rstrip("=")
        if asked is None or not known or authorization != f"Basic {basic}":
            return None
        self.tokens += 1
        claims = {"iss": self.address, "aud": CLIENT, "exp": int(time.time()) + 300, "nonce": asked["nonce"]}
        signed = jwt.encode(self.header, claims | self.claims, self.signing, algorithms=["RS256", "HS256"])
        return {"access_token": "x", "token_type": "Bearer", "id_token": signed}


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that answers until the block ends."""
    held = Provider()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("location", held.authorized(asked))
                self.end_headers()
            elif parts.path == "/keys":
                self._say(KeySet([held.key]).as_dict(private=False))
            else:
                self._say(held.described())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            found = held.token(sent, self.headers.get("authorization", ""))
            self._say(found or {"error": "invalid_grant"}, 200 if found else 400)

        def _say(self, said: object, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        held.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield held
        finally:
            server.shutdown()
            thread.join()
