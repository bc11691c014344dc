"""An OpenID Connect provider on loopback, as the specifications document one (Core 1.0, Discovery 1.0, RFC 6749, 7636, 9207): it checks its
client as strictly as a good provider does, signs with a key of its own, and fails as it is told to.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa


class OidcProvider:
    """``person`` are the claims of whoever is at the browser, None for somebody who says no; ``changed`` are claims that come out another way.

    ``faults``: a set of ``wrong-key``, ``unknown-key``, ``shared-secret``, ``unsigned``, ``down``, ``slow``, ``other-issuer``, ``other-userinfo``.
    """

    def __init__(self, client_id="ascertain", client_secret="s e&cret"):
        self.client_id, self._secret = client_id, client_secret
        self.shows_button = False
        self._first_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._other_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._codes, self._tokens = {}, {}
        self.restore()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._make_handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_address[1]}/realms/staff"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def restore(self):
        """Be as at the start, for the next test."""
        self.client_secret = self._secret
        self.key_id, self._key = "first", self._first_key
        self.person = {"sub": "kim", "name": "Kim Lee", "email": "kim@example.org", "groups": ["staff"]}
        self.changed, self.faults, self.userinfo = {}, set(), {}
        self.asked = []

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def turn_key(self, key_id):
        """Sign with another key from now on, and publish that alone."""
        self.key_id, self._key = key_id, rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def describe(self):
        return {
            "issuer": self.issuer + ("/else" if "other-issuer" in self.faults else ""),
            **{
                name: f"{self.issuer}/{path}"
                for name, path in (
                    ("authorization_endpoint", "authorize"),
                    ("token_endpoint", "token"),
                    ("jwks_uri", "keys"),
                    ("userinfo_endpoint", "userinfo"),
                )
            },
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic" if self.client_secret else "none"],
        }

    def publish_keys(self):
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**key, "kid": self.key_id, "use": "sig", "alg": "RS256"}]}

    def authorize(self, query):
        """Where the browser is sent back to."""
        assert query["response_type"] == "code"
        assert query["client_id"] == self.client_id
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        answer = {"state": query["state"], "iss": self.issuer}
        if self.person is None:
            answer["error"] = "access_denied"
        else:
            answer["code"] = secrets.token_urlsafe(16)
            self._codes[answer["code"]] = query
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def give_tokens(self, form, authorization):
        """Status and body of the token endpoint."""
        if not self._knows(form, authorization):
            return 401, {"error": "invalid_client"}
        asked = self._codes.pop(form.get("code"), None)
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        access_token = secrets.token_urlsafe(16)
        self._tokens[access_token] = self.person["sub"]
        return 200, {"access_token": access_token, "token_type": "Bearer", "id_token": self._sign(asked["nonce"])}

    def tell_userinfo(self, authorization):
        sub = self._tokens.get(authorization.removeprefix("Bearer "))
        if sub is None:
            return 401, {"error": "invalid_token"}
        return 200, {"sub": "somebody" if "other-userinfo" in self.faults else sub, **self.userinfo}

    def _knows(self, form, authorization):
        if not self.client_secret:
            return form.get("client_id") == self.client_id
        given = base64.b64decode(authorization.removeprefix("Basic ")).decode() if authorization else ":"
        return tuple(map(unquote, given.split(":"))) == (self.client_id, self.client_secret)

    def _sign(self, nonce):
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": self.client_id,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
        }
        claims = {name: value for name, value in (claims | self.changed).items() if value is not None}
        header = {"kid": "nobody's" if "unknown-key" in self.faults else self.key_id}
        if "unsigned" in self.faults:
            return jwt.encode(claims, None, algorithm="none", headers=header)
        if "shared-secret" in self.faults:
            return jwt.encode(claims, self.client_secret.ljust(32), algorithm="HS256", headers=header)
        key = self._other_key if "wrong-key" in self.faults else self._key
        return jwt.encode(claims, key, algorithm="RS256", headers=header)

    def _make_handler(provider):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def _send(self, status, body, **headers):
                content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _answer(self, form=None):
                parts = urlsplit(self.path)
                name = parts.path.removeprefix(urlsplit(provider.issuer).path).lstrip("/")
                provider.asked.append(name)
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                authorization = self.headers.get("Authorization", "")
                if "slow" in provider.faults:
                    time.sleep(3)
                if "down" in provider.faults:
                    self._send(503, "<h1>Down</h1>", Content_Type="text/html")
                elif name == ".well-known/openid-configuration":
                    self._send(200, provider.describe())
                elif name == "keys":
                    self._send(200, provider.publish_keys())
                elif name == "authorize" and provider.shows_button:
                    back = provider.authorize(query).replace("&", "&amp;")
                    page = f'<!doctype html><title>Provider</title><h1>Example</h1><a href="{back}">Continue as Kim</a>'
                    self._send(200, page, Content_Type="text/html")
                elif name == "authorize":
                    self._send(302, "", Location=provider.authorize(query))
                elif name == "token" and form is not None:
                    self._send(*provider.give_tokens(form, authorization))
                elif name == "userinfo":
                    self._send(*provider.tell_userinfo(authorization))
                else:
                    self._send(404, {"error": "not found"})

            def do_GET(self):
                self._answer()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer({key: values[0] for key, values in parse_qs(body).items()})

        return Handler
