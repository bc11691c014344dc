"""What somebody may do whom a proxy or a provider names: a role and a tenant by groups and names (``server.access``)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_network
from urllib.parse import urlsplit

from ascertain.app.access.api_keys import USER_NAME, check_tenant, is_loopback
from ascertain.core.errors import AscertainError, ConfigurationError, UsageError
from ascertain.core.service.service import Role
from ascertain.core.settings import AccessSettings, ServerSettings

EVERYBODY = "*"
PERSON = "user:"
"""How an entry begins that names one person and not a group."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was let in."""

    user: str
    role: Role
    tenant: str


class NotAdmitted(AscertainError):
    """Somebody is not let in. ``reason`` is one of a few words, for programs; the page has a sentence for each."""

    def __init__(self, reason: str, message: str, user: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.user = user


def admit_person(access: AccessSettings, user: str, groups: Collection[str], own_tenant: str) -> Person:
    """Who ``user`` is here; the highest role that fits counts. Raises NotAdmitted for somebody without a name, role or tenant."""
    if not USER_NAME.fullmatch(user):
        raise NotAdmitted(
            "no-user", f"{user[:100]!r} is not a valid user name: it takes 1 to 100 letters, digits and ._+@|:=-"
        )
    # a group may be called as it likes: one named like an entry for a person is not that person
    names = {group for group in groups if not group.startswith(PERSON) and group != EVERYBODY} | {PERSON + user}
    role = _find_role(access, names)
    if role is None:
        raise NotAdmitted("no-role", "no group of this user has a role here (server.access)", user)
    tenant = _find_tenant(access, names, own_tenant)
    if tenant is None:
        raise NotAdmitted("no-tenant", "no group of this user has a tenant here (server.access.tenants)", user)
    return Person(user, role, tenant)


def check_sign_in(server: ServerSettings) -> None:
    """Raise ConfigurationError for settings of signing in that cannot work, or would let in whoever asks."""
    if server.has_sign_in and server.open:
        raise ConfigurationError(
            "server.open lets in everybody of this machine, a proxy's requests without a user among them: leave it out where people sign in"
        )
    for entry in server.access.tenants:
        _, _, tenant = entry.rpartition("=")
        try:
            check_tenant(tenant if "=" in entry else "")
        except UsageError as error:
            raise ConfigurationError(f"server.access.tenants: {entry!r} is not GROUP=TENANT ({error})") from error
    if server.proxy.user_header and not server.proxy.addresses:
        raise ConfigurationError("server.proxy.user_header counts from server.proxy.addresses only, which names none")
    for address in server.proxy.addresses:
        try:
            ip_network(address)
        except ValueError as error:
            raise ConfigurationError(
                f"server.proxy.addresses: {address!r} is no address or network: {error}"
            ) from error
    if server.oidc.issuer:
        check_secure("server.oidc.issuer", server.oidc.issuer)
        if not server.oidc.client_id:
            raise ConfigurationError(
                "server.oidc.issuer needs server.oidc.client_id, the name that the provider knows this service by"
            )
        if server.oidc.address:
            check_secure("server.oidc.address", server.oidc.address)


def check_secure(what: str, address: str) -> None:
    """Raise ConfigurationError for an address that is none, or that anybody on the way could answer for."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError as error:
        raise ConfigurationError(f"{what}: {address!r} is no address: {error}") from error
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        raise ConfigurationError(f"{what}: {address!r} must begin with https://, or be an address of this machine")


def _find_role(access: AccessSettings, names: Collection[str]) -> Role | None:
    for role, entries in ((Role.ADMIN, access.admins), (Role.WRITE, access.writers), (Role.READ, access.readers)):
        if any(entry in names for entry in entries):
            return role
    return None if access.default_role == "none" else Role(access.default_role)


def _find_tenant(access: AccessSettings, names: Collection[str], own_tenant: str) -> str | None:
    if not access.tenants:
        return own_tenant
    for entry in access.tenants:
        name, _, tenant = entry.rpartition("=")
        if name == EVERYBODY or name in names:
            return tenant
    return None


def split_groups(text: str) -> list[str]:
    """Groups with commas between them."""
    return [group for part in re.split(r"[,;]", text) if (group := part.strip())]
