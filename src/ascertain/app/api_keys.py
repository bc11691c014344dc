"""API keys: made, checked, listed and revoked.

A key is ``ask_`` and 256 random bits. At rest there is only its SHA-256: a slow, salted hash is for credentials without
much entropy, which attackers guess (RFC 6819, 5.1.4.1.3); 256 random bits nobody guesses, however fast the hash (the
same, 5.1.4.2.2). A key is looked up by its digest, so how long that takes tells of digests and nothing of keys.
"""

import hashlib
import logging
import re
import secrets
import threading
from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

from ascertain.core.errors import StoreError, UsageError
from ascertain.core.service import ApiKey
from ascertain.core.settings import ServerSettings
from ascertain.stores.service_ports import ServiceStores

_logger = logging.getLogger(__name__)

PREFIX = "ask_"
"""What every key begins with, so that scanners for leaked secrets can tell one."""
CACHE_SECONDS = 3.0
"""How long a key that was found good is not looked up again: a revoked key is refused everywhere after this time."""

_RANDOM_BYTES = 32
_HINT_CHARACTERS = 8
_CACHED_KEYS = 1000
_TOUCH_EVERY = timedelta(minutes=1)
_NAME_CHARACTERS = 100
_TEXT = re.compile(r"ask_[A-Za-z0-9_-]{43}")
_TENANT = re.compile(r"[A-Za-z0-9._-]{1,64}")


def create_key(
    service: ServiceStores,
    name: str,
    tenant: str = "default",
    *,
    requests_per_minute: int | None = None,
    is_admin: bool = False,
) -> tuple[ApiKey, str]:
    """A new key and its text, which is nowhere else and never shown again.

    ``requests_per_minute`` 0 is without a limit, None the default of the service. Raises UsageError for a name or
    tenant that is none.
    """
    limit = ServerSettings().requests_per_minute if requests_per_minute is None else requests_per_minute
    if limit < 0:
        raise UsageError(f"{limit} requests a minute: give a number from 0, which is without a limit")
    text = PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    key = ApiKey(
        id=secrets.token_hex(4),
        name=_clean_name(name),
        tenant=check_tenant(tenant),
        hint=text[:_HINT_CHARACTERS],
        created_at=datetime.now(UTC),
        requests_per_minute=limit,
        is_admin=is_admin,
    )
    service.keys.add(key, _hash_key(text))
    return key, text


def authenticate_key(service: ServiceStores, text: str, now: datetime) -> ApiKey | None:
    """The key that ``text`` is; None for one that is unknown or revoked.

    It may be one that was good up to CACHE_SECONDS ago. That it was used is noted once a minute.
    """
    if not _TEXT.fullmatch(text):
        return None
    digest = _hash_key(text)
    good = _good_keys(service)
    found, since = good.get(digest, now) or (service.keys.find(digest), now)
    if found is None or found.revoked_at is not None:
        return None
    if found.last_used_at is None or now - found.last_used_at >= _TOUCH_EVERY:
        found = _note_use(service, found, now)
    good.put(digest, found, since)
    return found


def list_keys(service: ServiceStores) -> list[ApiKey]:
    """All keys, revoked ones included, the oldest first."""
    return service.keys.keys()


def revoke_key(service: ServiceStores, key_id: str) -> None:
    """Refuse a key, in every process within CACHE_SECONDS. Raises UsageError for an unknown id."""
    if not service.keys.revoke(key_id, datetime.now(UTC)):
        raise UsageError(f"there is no key {key_id!r}; `ascertain keys list` shows their ids")
    _good_keys(service).clear()


def check_tenant(name: str) -> str:
    """``name``; raises UsageError when it cannot be that of a tenant."""
    if not _TENANT.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a tenant: use 1 to 64 letters, digits, '-', '_' and '.'")
    return name


def _clean_name(name: str) -> str:
    shown = " ".join(name.split())
    if not shown or len(shown) > _NAME_CHARACTERS or not shown.isprintable():
        raise UsageError(f"a key's name says who uses it, in 1 to {_NAME_CHARACTERS} characters; {name!r} does not")
    return shown


class _GoodKeys:
    """Keys found good a moment ago, by digest, with the time they were looked up; the most recently used ones."""

    def __init__(self) -> None:
        self._found: OrderedDict[bytes, tuple[ApiKey, datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, digest: bytes, now: datetime) -> tuple[ApiKey, datetime] | None:
        with self._lock:
            known = self._found.get(digest)
        # a clock that was set back makes nothing last longer
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
        # a full disk is no reason to turn somebody with a good key away
        _logger.warning("that key %s was used could not be noted: %s", key.id, error)
    return replace(key, last_used_at=now)
