"""API keys: made, checked, listed and revoked.

A key is ``ask_`` and 256 random bits. At rest there is only its SHA-256: a slow, salted hash is for credentials without
much entropy, which attackers guess (RFC 6819, 5.1.4.1.3); 256 random bits cannot be guessed, however fast the hash (the
same, 5.1.4.2.2). A key is looked up by its digest, so the time it takes reveals something of digests and nothing of keys.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ascertain.app.access.viewers import Viewer, note_audit
from ascertain.core.errors import StoreError, UsageError
from ascertain.core.service.service import SIGN_IN, ApiKey, Role
from ascertain.core.settings import ServerSettings
from ascertain.stores.ports.service import ServiceStores

if TYPE_CHECKING:
    from ascertain.app.container.container import Container

_logger = logging.getLogger(__name__)

PREFIX = "ask_"
"""What every key begins with, so that scanners for leaked secrets recognise one."""
CACHE_SECONDS = 3.0
"""How long a valid key is not looked up again: a revoked key is refused everywhere after this time."""

LOOK_AGAIN_SECONDS = 2.0
"""How soon an open server notices its first key."""

_RANDOM_BYTES = 32
_HINT_CHARACTERS = 8
_CACHED_KEYS = 1000
_TOUCH_EVERY = timedelta(minutes=1)
_NAME_CHARACTERS = 100
_TEXT = re.compile(r"ask_[A-Za-z0-9_-]{43}")
USER_NAME = re.compile(r"[A-Za-z0-9._+@|:=-]{1,100}")
"""Names of users; providers write some with these marks."""
_NO_GOOD_KEY = (
    "every key is revoked or expired, so no one has access; create another with `ascertain keys add NAME`, or open the service to the programs of "
    "this machine with --open"
)
_TENANT = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LIFETIME = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def create_key(
    service: ServiceStores,
    name: str,
    tenant: str = "default",
    *,
    user: str = "",
    role: Role = Role.WRITE,
    expires: timedelta | None = None,
    requests_per_minute: int | None = None,
    viewer: Viewer = Viewer(),
) -> tuple[ApiKey, str]:
    """A new key and its text, which is not stored and not shown again.

    Keys of one ``user`` open the same conversations, jobs, runs and feedback. ``requests_per_minute`` 0 means no limit, None the default
    of the service. Raises UsageError for an invalid name, user or tenant.
    """
    limit = ServerSettings().requests_per_minute if requests_per_minute is None else requests_per_minute
    if limit < 0:
        raise UsageError(f"{limit} requests a minute: give a number from 0, which is without a limit")
    if user and not USER_NAME.fullmatch(user):
        raise UsageError(f"{user!r} is not a valid user name: use 1 to 100 letters, digits and ._+@|:=-")
    key, text = _add_key(
        service,
        ApiKey(
            id=secrets.token_hex(4),
            name=_clean_name(name),
            tenant=check_tenant(tenant),
            hint="",
            created_at=datetime.now(UTC),
            requests_per_minute=limit,
            user=user,
            role=role,
        ),
        expires,
    )
    note_audit(service, viewer, key.tenant, "add_key", subject=f"{key.id} {key.role.value} of {key.user}")
    return key, text


def create_sign_in(
    service: ServiceStores,
    user: str,
    tenant: str,
    role: Role,
    *,
    name: str,
    lasts: timedelta,
    requests_per_minute: int,
    address: str = "",
) -> tuple[ApiKey, str]:
    """A key for one browser of somebody who signed in, and its text, which goes into the cookie; those that ended are forgotten.

    ``name`` is for people, and shortened. Raises UsageError for a tenant that is none.
    """
    shown = " ".join(re.sub(r"[^\w .,'@+-]", " ", name).split())[:_NAME_CHARACTERS]
    now = datetime.now(UTC)
    for ended in (key for key in list_keys(service) if key.is_sign_in and not key.is_good(now)):
        service.keys.delete(ended.id)
    key, text = _add_key(
        service,
        ApiKey(
            id=SIGN_IN + secrets.token_hex(6),
            name=shown or user,
            tenant=check_tenant(tenant),
            hint="",
            created_at=now,
            requests_per_minute=requests_per_minute,
            user=user,
            role=role,
        ),
        lasts,
    )
    note_audit(service, Viewer.of(key, address), key.tenant, "sign_in", subject=f"{key.user} {key.role.value}")
    return key, text


def _add_key(service: ServiceStores, key: ApiKey, lasts: timedelta | None) -> tuple[ApiKey, str]:
    text = _make_text()
    made = replace(key, hint=text[:_HINT_CHARACTERS], expires_at=key.created_at + lasts if lasts else None)
    service.keys.add(made, _hash_key(text))
    return made, text


def rotate_key(
    service: ServiceStores, key_id: str, expires: timedelta | None = None, viewer: Viewer = Viewer()
) -> tuple[ApiKey, str]:
    """Replace the text of a key, and return the new one; the old one is refused, in every process within CACHE_SECONDS.

    Everything else stays. It expires after ``expires``, by default after the same time as before. Raises UsageError for an id
    that is unknown or revoked.
    """
    key = _find_key(service, key_id)
    if key.is_sign_in:
        raise UsageError("this is somebody who signed in, and no key to hand out; revoke it to sign them out")
    text, now = _make_text(), datetime.now(UTC)
    lasts = expires or (key.expires_at - key.created_at if key.expires_at else None)
    expires_at = now + lasts if lasts else None
    if not service.keys.rotate(key_id, _hash_key(text), text[:_HINT_CHARACTERS], now, expires_at):
        raise UsageError(f"the key {key_id!r} is revoked; create another: ascertain keys add NAME")
    _good_keys(service).clear()
    note_audit(service, viewer, key.tenant, "rotate_key", subject=key_id)
    return replace(key, hint=text[:_HINT_CHARACTERS], created_at=now, expires_at=expires_at), text


def authenticate_key(service: ServiceStores, text: str, now: datetime, address: str = "") -> ApiKey | None:
    """The key that ``text`` is; None for one that is unknown, revoked or expired.

    It may be one that was good up to CACHE_SECONDS ago. That it was used is noted once a minute, and in the audit log the first use of a day
    (UTC), with the ``address`` that it came from.
    """
    if not _TEXT.fullmatch(text):
        return None
    digest = _hash_key(text)
    good = _good_keys(service)
    found, since = good.get(digest, now) or (service.keys.find(digest), now)
    if found is None or not found.is_good(now):
        return None
    if not found.is_sign_in and (found.last_used_at is None or found.last_used_at.date() < now.date()):
        note_audit(service, Viewer.of(found, address), found.tenant, "use_key", subject=found.id)
    if found.last_used_at is None or now - found.last_used_at >= _TOUCH_EVERY:
        found = _note_use(service, found, now)
    good.put(digest, found, since)
    return found


def list_keys(service: ServiceStores) -> list[ApiKey]:
    """All keys, revoked ones included, oldest first."""
    return service.keys.keys()


def revoke_key(service: ServiceStores, key_id: str, viewer: Viewer = Viewer()) -> None:
    """Refuse a key, in every process within CACHE_SECONDS. Raises UsageError for an unknown id."""
    key = _find_key(service, key_id)
    service.keys.revoke(key_id, datetime.now(UTC))
    _good_keys(service).clear()
    note_audit(service, viewer, key.tenant, "revoke_key", subject=key_id)


class Openness:
    """Whether a server answers without keys: on loopback, as long as the home never had one and nobody signs in, or where that is set on purpose.

    A home that ever had a key never opens by itself, even if all of its keys are revoked.
    """

    def __init__(self, service: Callable[[], ServiceStores], settings: ServerSettings, host: str) -> None:
        self._service = service
        self._is_set = settings.open
        # where people sign in, who does not is a stranger
        self._may_be_open = is_loopback(host) and not settings.has_sign_in
        self._looked: float | None = None

    def __call__(self) -> bool:
        """Looks for keys at most every LOOK_AGAIN_SECONDS."""
        if not self._may_be_open or self._is_set:
            return self._may_be_open
        now = time.monotonic()
        if self._looked is None or now - self._looked > LOOK_AGAIN_SECONDS:
            self._may_be_open = not _has_ways_in(self._service())
            self._looked = now
        return self._may_be_open


def check_reach(container: Container, host: str, *, has_sign_in: bool = False) -> bool:
    """Whether a server on ``host`` would be open now; ``has_sign_in`` where people may come in without a key, by name.

    Raises UsageError where nobody could be let in, or all other machines would be.
    """
    if has_sign_in:
        return False
    keys = list_keys(container.service) if container.is_there else []
    has_users = container.is_there and bool(container.service.users.users())
    has_good_key = has_users or any(key.is_good(datetime.now(UTC)) for key in keys)
    if is_loopback(host):
        if keys and not has_good_key and not container.settings.server.open:
            _logger.warning(_NO_GOOD_KEY)
        return container.settings.server.open or not (keys or has_users)
    if container.settings.server.open:
        raise UsageError(
            f"{host} can be reached from other machines, where a service is never open; listen on 127.0.0.1, or leave out --open"
        )
    if not has_good_key:
        raise UsageError(
            f"{host} can be reached from other machines, and there is no key yet; create one first: ascertain keys add NAME, "
            "or start with serve --first-key NAME"
        )
    return False


def _has_ways_in(service: ServiceStores) -> bool:
    return bool(list_keys(service) or service.users.users())


def is_loopback(host: str) -> bool:
    """Whether a name or address, without a port, belongs to this machine alone."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return False


def read_lifetime(text: str | None) -> timedelta | None:
    """How long ``90d`` is, None for None; UsageError for anything else."""
    if text is None:
        return None
    match = _LIFETIME.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a duration: give a number of hours, days or weeks, such as 12h, 90d or 4w")
    return int(match[1]) * _UNITS[match[2]]


def check_tenant(name: str) -> str:
    """``name``; raises UsageError unless it is a valid tenant name."""
    if not _TENANT.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid tenant name: use 1 to 64 letters, digits, '-', '_' and '.'")
    return name


def _find_key(service: ServiceStores, key_id: str) -> ApiKey:
    key = next((each for each in list_keys(service) if each.id == key_id), None)
    if key is None:
        raise UsageError(f"there is no key {key_id!r}; `ascertain keys list` shows their ids")
    return key


def _make_text() -> str:
    return PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)


def _clean_name(name: str) -> str:
    shown = " ".join(name.split())
    if not shown or len(shown) > _NAME_CHARACTERS or not shown.isprintable():
        raise UsageError(f"a key's name says who uses it, in 1 to {_NAME_CHARACTERS} characters; {name!r} does not")
    return shown


class _GoodKeys:
    """Recently validated keys, by digest, with the time they were looked up; the most recently used ones."""

    def __init__(self) -> None:
        self._found: OrderedDict[bytes, tuple[ApiKey, datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: bytes, now: datetime) -> tuple[ApiKey, datetime] | None:
        with self._lock:
            known = self._found.get(digest)
        # a clock that was set back does not extend anything
        is_fresh = known is not None and timedelta(0) <= now - known[1] < timedelta(seconds=CACHE_SECONDS)
        return known if is_fresh else None

    def put(self, digest: bytes, key: ApiKey, since: datetime) -> None:
        with self._lock:
            self._found[digest] = key, since
            self._found.move_to_end(digest)
            while len(self._found) > _CACHED_KEYS:
                self._found.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._found.clear()


_by_service: WeakKeyDictionary[ServiceStores, _GoodKeys] = WeakKeyDictionary()
_by_service_lock = threading.Lock()


def _good_keys(service: ServiceStores) -> _GoodKeys:
    with _by_service_lock:
        return _by_service.setdefault(service, _GoodKeys())


def _hash_key(text: str) -> bytes:
    return hashlib.sha256(text.encode("ascii")).digest()


def _note_use(service: ServiceStores, key: ApiKey, now: datetime) -> ApiKey:
    try:
        service.keys.touch(key.id, now)
    except StoreError as error:
        # a full disk is not a reason to refuse a valid key
        _logger.warning("that key %s was used could not be noted: %s", key.id, error)
    return replace(key, last_used_at=now)
