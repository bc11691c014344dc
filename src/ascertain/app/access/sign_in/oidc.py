"""Signing in at an OpenID Connect provider: the authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1; RFC 7636).

What belongs to one try is derived from one secret that only the browser has, in a cookie: the state that ties the way back to it, the nonce that
ties the token to it, and the verifier of PKCE. So any replica can end what another began, and nothing is stored until somebody is known.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from ascertain.app.access.sign_in.admission import NotAdmitted, check_secure
from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.settings import OidcSettings

ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""Signatures with a key that the provider publishes the other half of. None with a shared secret: that would be ours."""
DEFAULT_ALGORITHM = "RS256"
"""What OpenID Connect Discovery 1.0 wants every provider to have."""
KEPT_SECONDS = 3600.0
"""How long the provider's description and keys are used again; a key that is not among them is looked for at once."""
LOOK_AGAIN_SECONDS = 30.0
"""How often keys are fetched again for tokens that name one that is not there, be the tokens made up."""
LEEWAY_SECONDS = 60
"""How far the clocks of provider and service may differ."""
ANSWER_SECONDS = 10.0
"""How long the provider may take to answer; people wait for it in front of a browser."""
MOST_BYTES = 1_000_000
_DISCOVERY = "/.well-known/openid-configuration"


class _Provider(BaseModel):
    """What is used of a provider's description (OpenID Connect Discovery 1.0, 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    token_endpoint_auth_methods_supported: list[str] = ["client_secret_basic"]
    id_token_signing_alg_values_supported: list[str] = [DEFAULT_ALGORITHM]


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody as the provider knows them."""

    user: str
    name: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to sign in; ``secret`` is in the browser's cookie alone."""

    secret: str

    @classmethod
    def begin(cls) -> Attempt:
        """A new one."""
        return cls(secrets.token_urlsafe(32))

    @property
    def state(self) -> str:
        """Comes back with the browser."""
        return self._derive("state")

    @property
    def nonce(self) -> str:
        """Comes back in the token."""
        return self._derive("nonce")

    @property
    def verifier(self) -> str:
        """Shows that whoever asks for the token began the try."""
        return self._derive("verifier")

    @property
    def challenge(self) -> str:
        """Of the verifier, which it does not show (RFC 7636, 4.2)."""
        return _encode(hashlib.sha256(self.verifier.encode("ascii")).digest())

    def _derive(self, what: str) -> str:
        return _encode(hmac.digest(self.secret.encode(), what.encode(), "sha256"))


class OidcClient:
    """The service as the provider's client. Belongs to one event loop.

    Every method raises NotAdmitted, whose reason is ``provider-away`` where the provider does not answer as it should.
    """

    def __init__(self, settings: OidcSettings, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises MissingExtra, and ConfigurationError for a secret that is not there."""
        _import_jwt()
        self._settings = settings
        self._clock = clock
        self._secret = _read_secret(settings.client_secret_variable)
        self._provider: tuple[float, _Provider] | None = None
        self._keys: tuple[float, list[dict[str, Any]]] | None = None

    @property
    def label(self) -> str:
        """What to call the provider."""
        return self._settings.label or urlsplit(self._settings.issuer).netloc

    async def find_way_in(self, attempt: Attempt, callback: str) -> str:
        """The address of the provider that the browser is sent to; it comes back to ``callback``."""
        provider = await self._find_provider()
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": callback,
            "scope": " ".join(self._settings.scopes),
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        mark = "&" if "?" in provider.authorization_endpoint else "?"
        return f"{provider.authorization_endpoint}{mark}{urlencode(query)}"

    async def identify(self, attempt: Attempt, callback: str, answer: Mapping[str, str]) -> Identity:
        """Who came back with ``answer``, the parameters of the way back. Raises NotAdmitted."""
        if not hmac.compare_digest(answer.get("state", "").encode(), attempt.state.encode()):
            raise NotAdmitted("expired", "the way back does not belong to a try of this browser")
        provider = await self._find_provider()
        if "iss" in answer and answer["iss"] != provider.issuer:
            raise NotAdmitted(
                "bad-token", f"the way back is of {answer['iss'][:200]!r} and not of {provider.issuer} (RFC 9207)"
            )
        if "error" in answer:
            reason = (
                "denied"
                if answer["error"] in {"access_denied", "login_required", "consent_required"}
                else "provider-away"
            )
            raise NotAdmitted(
                reason, f"the provider answered {answer['error'][:100]!r} {answer.get('error_description', '')[:300]!r}"
            )
        if not answer.get("code"):
            raise NotAdmitted("expired", "the way back has no code")
        tokens = await self._fetch_tokens(provider, attempt, callback, answer["code"])
        claims = await self._check_token(provider, attempt, str(tokens.get("id_token", "")))
        return self._read_identity(await self._add_userinfo(provider, claims, str(tokens.get("access_token", ""))))

    async def _find_provider(self) -> _Provider:
        if self._provider is None or self._clock() - self._provider[0] > KEPT_SECONDS:
            issuer = self._settings.issuer
            described = await self._request("GET", issuer.rstrip("/") + _DISCOVERY)
            try:
                provider = _Provider.model_validate(described)
            except ValidationError as error:
                raise NotAdmitted("provider-away", f"{issuer} describes itself wrongly: {error}") from error
            # a description that is another's would make another's tokens good here (Discovery 1.0, 4.3)
            if provider.issuer != issuer:
                raise NotAdmitted(
                    "provider-away",
                    f"{issuer} calls itself {provider.issuer!r}; server.oidc.issuer must be the same to the character",
                )
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                _check_endpoint(name, getattr(provider, name))
            self._provider = (self._clock(), provider)
        return self._provider[1]

    async def _fetch_tokens(self, provider: _Provider, attempt: Attempt, callback: str, code: str) -> dict[str, Any]:
        body = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": attempt.verifier,
        }
        basic = None
        if self._secret and "client_secret_basic" in provider.token_endpoint_auth_methods_supported:
            # each is written as in a form before it is one half of the header (RFC 6749, 2.3.1)
            basic = httpx.BasicAuth(quote(self._settings.client_id, safe=""), quote(self._secret, safe=""))
        else:
            body |= {"client_id": self._settings.client_id} | ({"client_secret": self._secret} if self._secret else {})
        return await self._request("POST", provider.token_endpoint, data=body, auth=basic)

    async def _check_token(self, provider: _Provider, attempt: Attempt, token: str) -> dict[str, Any]:
        """The claims of an ID token that is the provider's, for this service and this try (OpenID Connect Core 1.0, 3.1.3.7)."""
        jwt = _import_jwt()
        allowed = sorted(ALGORITHMS.intersection(provider.id_token_signing_alg_values_supported))
        try:
            header = jwt.get_unverified_header(token)
            claims = _verify(token, await self._find_keys(provider, header), allowed, self._settings)
        except jwt.PyJWTError as error:
            raise NotAdmitted("bad-token", f"the token of {provider.issuer} is not good: {error}") from error
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), attempt.nonce.encode()):
            raise NotAdmitted("bad-token", "the token is of another try: its nonce is not ours")
        party = claims.get(
            "azp", self._settings.client_id if isinstance(claims["aud"], str) or len(claims["aud"]) == 1 else None
        )
        if party != self._settings.client_id:
            raise NotAdmitted("bad-token", f"the token was made for {str(party)[:100]!r} (azp)")
        return claims

    async def _find_keys(self, provider: _Provider, header: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The published keys that a token with this header may be signed with; fetched again where it names one that is not there."""
        for oldest in (KEPT_SECONDS, LOOK_AGAIN_SECONDS):
            if self._keys is None or self._clock() - self._keys[0] > oldest:
                self._keys = (self._clock(), _read_list(await self._request("GET", provider.jwks_uri), "keys"))
            fitting = [key for key in self._keys[1] if _may_have_signed(key, header)]
            if fitting:
                return fitting
        raise NotAdmitted(
            "bad-token",
            f"the token is signed with a key {str(header.get('kid'))[:100]!r} that {provider.issuer} does not publish",
        )

    async def _add_userinfo(self, provider: _Provider, claims: dict[str, Any], access_token: str) -> dict[str, Any]:
        """The claims, with those that are wanted and not in the token, where the provider says them at its userinfo endpoint."""
        wanted = (self._settings.user_claim, self._settings.groups_claim)
        if all(name in claims for name in wanted) or not provider.userinfo_endpoint or not access_token:
            return claims
        _check_endpoint("userinfo_endpoint", provider.userinfo_endpoint)
        told = await self._request(
            "GET", provider.userinfo_endpoint, headers={"Authorization": f"Bearer {access_token}"}
        )
        # somebody else's would be theirs to sign in with (Core 1.0, 5.3.2)
        if told.get("sub") != claims["sub"]:
            raise NotAdmitted("bad-token", "the userinfo endpoint speaks of somebody else than the token")
        return told | claims

    def _read_identity(self, claims: Mapping[str, Any]) -> Identity:
        claim = self._settings.user_claim
        user = claims.get(claim)
        if not isinstance(user, str) or not user:
            raise NotAdmitted("no-user", f"the provider says no claim {claim} (server.oidc.user_claim)")
        if claim == "email" and claims.get("email_verified") is False:
            raise NotAdmitted("no-user", "the provider has not verified this email address", user)
        groups = tuple(str(group) for group in _read_list(claims, self._settings.groups_claim))
        named = next((str(claims[name]) for name in ("name", "preferred_username", "email") if claims.get(name)), user)
        return Identity(user, named, groups)

    async def _request(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        """A JSON object. Redirects are not followed: what is asked for was named by the provider itself."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS), httpx.AsyncClient(timeout=None) as client:
                headers = {"Accept": "application/json", **options.pop("headers", {})}
                async with client.stream(method, url, headers=headers, **options) as response:
                    body = b""
                    async for piece in response.aiter_bytes():
                        body += piece
                        if len(body) > MOST_BYTES:
                            raise NotAdmitted("provider-away", f"{url} answers with more than {MOST_BYTES:,} bytes")
            told = httpx.Response(response.status_code, content=body).json()
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
            what = f"no answer within {ANSWER_SECONDS:g} s" if isinstance(error, TimeoutError) else str(error)
            raise NotAdmitted("provider-away", f"{url}: {what or type(error).__name__}") from error
        if isinstance(told, dict):
            told = cast("dict[str, Any]", told)
            if response.is_success:
                return told
            if told.get("error") == "invalid_grant":
                raise NotAdmitted("expired", f"{url}: the code was used before, or is too old")
        raise NotAdmitted("provider-away", f"{url} answered {response.status_code} {str(told)[:200]}")


def _check_endpoint(name: str, address: str) -> None:
    try:
        check_secure(name, address)
    except ConfigurationError as error:
        raise NotAdmitted("provider-away", str(error)) from error


def _read_list(told: Mapping[str, Any], name: str) -> list[Any]:
    """The member as a list, be it one thing alone or not there."""
    found = told.get(name)
    return cast("list[Any]", found) if isinstance(found, list) else [] if found is None else [found]


def _may_have_signed(key: Any, header: Mapping[str, Any]) -> bool:
    if not isinstance(key, dict):
        return False
    key = cast("dict[str, Any]", key)
    named = header.get("kid") is None or key.get("kid") == header.get("kid")
    return named and key.get("use", "sig") == "sig" and key.get("alg", header.get("alg")) == header.get("alg")


def _verify(token: str, keys: list[dict[str, Any]], allowed: list[str], settings: OidcSettings) -> dict[str, Any]:
    """The claims, by the first of the keys that fits; raises what PyJWT raises."""
    jwt = _import_jwt()
    wrong: Exception | None = None
    for key in keys:
        try:
            return jwt.decode(
                token,
                jwt.PyJWK.from_dict(key, algorithm=jwt.get_unverified_header(token).get("alg")).key,
                algorithms=allowed,
                audience=settings.client_id,
                issuer=settings.issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except (jwt.InvalidSignatureError, jwt.InvalidKeyError, jwt.PyJWKError) as error:
            wrong = error
    raise wrong or jwt.InvalidKeyError("no key")


def _import_jwt() -> Any:
    try:
        import cryptography  # noqa: F401  # pyright: ignore[reportUnusedImport]
        import jwt
    except ImportError as error:
        raise MissingExtra("Signing in at a provider", "oidc") from error
    return jwt


def _read_secret(variable: str) -> str:
    if variable and not os.environ.get(variable):
        raise ConfigurationError(f"{variable}, which server.oidc.client_secret_variable names, is not set")
    return os.environ.get(variable, "") if variable else ""


def _encode(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")
