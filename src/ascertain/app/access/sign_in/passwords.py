"""People who sign in by name and password: made, listed, removed, and known again.

A password is kept as scrypt of it with a salt (RFC 7914), at the cost that OWASP's Password Storage Cheat Sheet of 2026 asks for where memory is
short: N = 2^15, r = 8, p = 3, which takes 32 MB and about a quarter of a second. So only a few are worked out at a time, tries are counted by
name and by address, and an unknown name takes as long as a known one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
from datetime import UTC, datetime, timedelta

from ascertain.app.access.api_keys import USER_NAME, check_tenant, create_sign_in, list_keys, revoke_key
from ascertain.app.access.sign_in.admission import NotAdmitted
from ascertain.app.access.viewers import Viewer, note_audit
from ascertain.core.errors import UsageError
from ascertain.core.service.service import ApiKey, Role, User
from ascertain.stores.ports.service import ServiceStores

COST, BLOCK, PARALLEL = 2**15, 8, 3
SHORTEST, LONGEST = 10, 200
"""Characters of a password; NIST SP 800-63B asks for 8 at least, and takes no rule about kinds of characters for a good one."""
TRIES, TRIES_BY_ANYBODY = 10, 100
"""In TRY_SECONDS for one name from one address, and for one name or one address at all: enough for somebody who mistypes."""
TRY_SECONDS = 900.0

_AT_ONCE = threading.Semaphore(2)


class TooManyTries(NotAdmitted):
    """Somebody must wait. ``seconds`` is how long."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too-many", "there were too many tries; wait a little")
        self.seconds = seconds


def add_user(
    service: ServiceStores,
    name: str,
    password: str,
    *,
    tenant: str = "default",
    role: Role = Role.WRITE,
    viewer: Viewer = Viewer(),
) -> User:
    """Somebody new. Raises UsageError for a name that is taken or none, and for a password that is too short."""
    if not USER_NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid user name: use 1 to 100 letters, digits and ._+@|:=-")
    if service.users.find(name) is not None:
        raise UsageError(f"there is a user {name!r} already")
    user = User(name, check_tenant(tenant), role, datetime.now(UTC))
    service.users.put(user, _hash_password(check_password(password)))
    note_audit(service, viewer, user.tenant, "add_user", subject=f"{name} {role.value}")
    return user


def change_password(service: ServiceStores, name: str, password: str, viewer: Viewer = Viewer()) -> None:
    """Give somebody another password; who is signed in with the old one is signed out. Raises UsageError for an unknown name."""
    user = _find_user(service, name)
    service.users.put(
        User(user.name, user.tenant, user.role, datetime.now(UTC)), _hash_password(check_password(password))
    )
    _sign_out(service, user, viewer)
    note_audit(service, viewer, user.tenant, "change_password", subject=name)


def remove_user(service: ServiceStores, name: str, viewer: Viewer = Viewer()) -> None:
    """Let somebody in no more; their conversations stay. Raises UsageError for an unknown name."""
    user = _find_user(service, name)
    service.users.delete(name)
    _sign_out(service, user, viewer)
    note_audit(service, viewer, user.tenant, "remove_user", subject=name)


def sign_in(
    service: ServiceStores, name: str, password: str, *, lasts: timedelta, requests_per_minute: int, address: str
) -> tuple[ApiKey, str]:
    """A session of somebody, and the text for the cookie. Raises NotAdmitted, once it is in the audit log where the name is a user's."""
    user = verify_password(service, name, password, address)
    return create_sign_in(
        service,
        user.name,
        user.tenant,
        user.role,
        name=user.name,
        lasts=lasts,
        requests_per_minute=requests_per_minute,
        address=address,
    )


def verify_password(service: ServiceStores, name: str, password: str, address: str) -> User:
    """Who this is. Raises NotAdmitted for a wrong name or password, which it does not tell apart, and TooManyTries."""
    now = datetime.now(UTC)
    for bucket, most in (
        (f"{name} from {address}", TRIES),
        (f"{name} from anywhere", TRIES_BY_ANYBODY),
        (f"from {address}", TRIES_BY_ANYBODY),
    ):
        wait = service.rates.take(f"password {bucket}", most, TRY_SECONDS, now)
        if wait > 0:
            raise TooManyTries(wait)
    found = service.users.find(name)
    is_right = _is_password(password, found[1] if found else _NOBODY)
    if found is None or not is_right:
        if found is not None:
            viewer = Viewer(name, Role.READ, address=address, account=name)
            note_audit(
                service, viewer, found[0].tenant, "sign_in", subject=f"{name}: wrong password", outcome="refused"
            )
        raise NotAdmitted("wrong-password", "this name and password do not belong together here", name)
    return found[0]


def check_password(password: str) -> str:
    """The password; UsageError for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"a password has {SHORTEST} to {LONGEST} characters; a few words that do not belong together are a good one"
        )
    return password


def _find_user(service: ServiceStores, name: str) -> User:
    found = service.users.find(name)
    if found is None:
        raise UsageError(f"there is no user {name!r}; `ascertain users` lists them")
    return found[0]


def _sign_out(service: ServiceStores, user: User, viewer: Viewer) -> None:
    for key in list_keys(service):
        if key.is_sign_in and key.user == user.name and key.tenant == user.tenant and key.revoked_at is None:
            revoke_key(service, key.id, viewer)


def _hash_password(password: str) -> str:
    salt = secrets.token_bytes(16)
    return "$".join(
        (
            "scrypt",
            str(COST),
            str(BLOCK),
            str(PARALLEL),
            _encode(salt),
            _encode(_derive(password, COST, BLOCK, PARALLEL, salt=salt)),
        )
    )


def _is_password(password: str, stored: str) -> bool:
    _, cost, block, parallel, salt, expected = stored.split("$")
    found = _derive(password, int(cost), int(block), int(parallel), salt=base64.b64decode(salt))
    return hmac.compare_digest(found, base64.b64decode(expected))


def _derive(password: str, cost: int, block: int, parallel: int, *, salt: bytes) -> bytes:
    with _AT_ONCE:
        return hashlib.scrypt(
            password.encode("utf-8", "surrogatepass"),
            salt=salt,
            n=cost,
            r=block,
            p=parallel,
            maxmem=64 * 1024 * 1024,
            dklen=32,
        )


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


_NOBODY = "$".join(("scrypt", str(COST), str(BLOCK), str(PARALLEL), _encode(bytes(16)), _encode(bytes(32))))
"""What the password of an unknown name is compared with, for the time that takes."""
