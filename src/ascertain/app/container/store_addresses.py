"""Addresses of knowledge bases: one line that says where one is kept, for people to write and to read.

    team.kb                                 a folder; its ascertain.toml says which store it uses
    embedded:team.kb                        the embedded store in a folder, whatever its ascertain.toml says
    postgresql://user@host/database#schema  a schema of a PostgreSQL database
    qdrant+http://host:6333/collection      a collection of a Qdrant server
    chroma+http://host:8000/collection      a collection of a Chroma server; chroma:FOLDER for one without a server
    KIND:FOLDER                             a store of another package (docs/extending.md) in a folder

Schema and collection are ``ascertain`` when left out. What a store keeps in a folder besides (the record of Chroma,
conversations of Qdrant) is in ``?home=FOLDER``, by default in the home of the command. Passwords are read from an
address, and never shown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from pydantic import ValidationError

from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings, StoreSettings
from ascertain.core.settings.layers import CONFIG_NAME, flatten_settings, load_settings, variable_of
from ascertain.core.system.plugins import STORES, find_plugin

EXAMPLES = (
    "a folder such as team.kb, postgresql://user@host/database#schema, qdrant+http://host:6333/collection, "
    "chroma+http://host:8000/collection?home=FOLDER, or embedded: or chroma: before a folder"
)
_FOLDER_KINDS = ("embedded", "chroma")
_RECORD_IN_HOME = ("embedded", "chroma")
_SERVER_KINDS = {
    "postgresql": "postgres",
    "postgres": "postgres",
    "qdrant+http": "qdrant",
    "qdrant+https": "qdrant",
    "chroma+http": "chroma",
    "chroma+https": "chroma",
}
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_PLACES = ("store.kind", "store.url", "store.name", "store.conversations_url")
"""Settings that say where a knowledge base is; an address replaces them all."""
_URLS = ("store.url", "store.conversations_url")
_SECRETS = frozenset({"password", "sslpassword", "api_key", "apikey", "key", "token"})


@dataclass(frozen=True, slots=True)
class Address:
    """Where a knowledge base is: the settings that open it, and its home folder."""

    store: StoreSettings
    home: Path

    @property
    def place(self) -> str:
        """As an address, without secrets."""
        return place_of(self.store, self.home)

    def is_same(self, other: Address) -> bool:
        """Whether both name one knowledge base."""
        return self._identity_key() == other._identity_key()

    @property
    def is_record_in_home(self) -> bool:
        """Whether everything but derived indexes is in the home."""
        return self.store.kind in _RECORD_IN_HOME

    def _identity_key(self) -> tuple[str, ...]:
        if self.is_record_in_home:
            return "home", str(self.home.resolve())
        if not self.store.url:
            return self.store.kind, str(self.home.resolve())
        parts = urlsplit(without_secrets(self.store.url))
        host = parts.netloc.rpartition("@")[2]
        return self.store.kind, host, parts.path.rstrip("/"), parts.query, self.store.name


def parse_address(text: str, base: Settings, environ: Mapping[str, str]) -> Address:
    """The knowledge base that ``text`` names. What an address leaves open (time limits, connections) is as in ``base``.

    Raises UsageError with examples, and ConfigurationError for an invalid ascertain.toml in a folder.
    """
    scheme = _SCHEME.match(text)
    if scheme:
        return _on_server(text, scheme[1].lower(), base)
    kind, colon, folder = text.partition(":")
    if colon and (kind in _FOLDER_KINDS or _is_foreign(kind)):
        if not folder:
            raise UsageError(f"{text} does not name a folder; write for example {kind}:team.kb")
        return Address(_change_store(base.store, kind=kind, url="", conversations_url=""), _expand_folder(folder))
    if not text.strip():
        raise UsageError(f"an address of a knowledge base is empty; give {EXAMPLES}")
    return _of_folder(_expand_folder(text), base, environ)


def place_of(store: StoreSettings, home: Path) -> str:
    """Where a knowledge base is, as an address without secrets."""
    if store.kind == "postgres":
        return f"{without_secrets(store.url)}#{store.name}"
    if store.url:
        return f"{store.kind}+{without_secrets(store.url).rstrip('/')}/{store.name}"
    return str(home) if store.kind == "embedded" else f"{store.kind}:{home}"


def without_secrets(url: str) -> str:
    """``url`` without its password and without keys among its parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that cannot be read"
    login, at, host = parts.netloc.rpartition("@")
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name.lower() not in _SECRETS]
    netloc = f"{login.partition(':')[0]}{at}{host}"
    return _join_url(parts._replace(netloc=netloc, query=urlencode(kept, safe="/:")))


def settings_without_secrets(settings: Settings) -> dict[str, object]:
    """Every setting by dotted key, without the passwords that addresses may hold."""
    return {
        key: without_secrets(value) if key in _URLS and isinstance(value, str) else value
        for key, value in flatten_settings(settings).items()
    }


def has_secret(url: str) -> bool:
    """Whether ``without_secrets`` leaves something out."""
    parts = urlsplit(url)
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    return bool(password) or any(name.lower() in _SECRETS for name, _ in parse_qsl(parts.query))


def _is_foreign(kind: str) -> bool:
    """Whether a plug-in provides this kind of store."""
    plugin = find_plugin(STORES, kind)
    return plugin is not None and not plugin.is_own


def _of_folder(folder: Path, base: Settings, environ: Mapping[str, str]) -> Address:
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{folder} is a file; the address of a knowledge base is {EXAMPLES}")
    except OSError as error:
        raise UsageError(f"{folder} cannot be a folder here: {error.strerror}") from error
    config = folder / CONFIG_NAME
    if not config.is_file():
        return Address(base.store.in_folder(), folder)
    # The environment of the command names one knowledge base, and this address another.
    places = {variable_of(key) for key in _PLACES}
    elsewhere = {name: value for name, value in environ.items() if name not in places}
    loaded = load_settings(home=folder, config_file=config, environ=elsewhere, arguments={})
    return Address(loaded.settings.store, folder)


def _on_server(text: str, scheme: str, base: Settings) -> Address:
    kind = _SERVER_KINDS.get(scheme)
    if kind is None:
        raise UsageError(f"{scheme}:// is an unknown kind of address; give {EXAMPLES}")
    try:
        parts = urlsplit(text)
        _ = parts.port if "," not in parts.netloc else None
    except ValueError as error:
        raise UsageError(f"an address with {scheme}:// cannot be read ({error}); give {EXAMPLES}") from error
    home, parts = _without_home(parts)
    name, parts = _without_name(parts, kind)
    if not parts.netloc and not parts.query:
        raise UsageError(f"an address with {scheme}:// does not name a server; give {EXAMPLES}")
    url = _join_url(parts).removeprefix(f"{kind}+")
    return Address(
        _change_store(base.store, kind=kind, url=url, name=name), _expand_folder(home) if home else base.home
    )


def _without_home(parts: SplitResult) -> tuple[str, SplitResult]:
    query = parse_qsl(parts.query, keep_blank_values=True)
    if "schema" in dict(query):
        raise UsageError("the schema comes after a #: postgresql://user@host/database#schema")
    home = dict(query).get("home", "")
    if not home:
        return "", parts
    return home, parts._replace(query=urlencode([(name, value) for name, value in query if name != "home"], safe="/:"))


def _without_name(parts: SplitResult, kind: str) -> tuple[str, SplitResult]:
    default = StoreSettings().name
    if kind == "postgres":
        return parts.fragment or default, parts._replace(fragment="")
    rest, _, name = parts.path.rpartition("/")
    return name or parts.fragment or default, parts._replace(path=rest, fragment="")


def _join_url(parts: SplitResult) -> str:
    # urlunsplit leaves the slashes out of postgresql:///database, which is a database over the local socket
    if parts.netloc:
        return urlunsplit(parts)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.path}{query}"


def _change_store(store: StoreSettings, **fields: str) -> StoreSettings:
    try:
        return StoreSettings.model_validate({**store.model_dump(), **fields})
    except ValidationError as error:
        raise UsageError(
            f"{fields.get('name')!r} cannot name a schema or collection: lower-case letters, digits and _, three to 48 "
            "of them, a letter first"
        ) from error


def _expand_folder(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except (RuntimeError, ValueError) as error:  # ValueError of a NUL in the name
        raise UsageError(f"{text!r}: no user with that name has a home folder here") from error


def named_homes() -> Path:
    """The folder that knowledge bases with a name are in, one folder each."""
    from platformdirs import user_data_path

    return user_data_path("ascertain", appauthor=False)


def list_named_homes() -> list[Path]:
    """The knowledge bases that have a name."""
    folder = named_homes()
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def word_adding(home: Path) -> str:
    """The command that fills the knowledge base in ``home``."""
    if home == Path(".ascertain"):
        return "add documents first: ascertain add PATH"
    if home.parent != named_homes():
        return f"add documents first: ascertain add PATH --home {shlex.quote(str(home))}"
    others = [other.name for other in list_named_homes() if other != home]
    known = f"; there are {', '.join(others)}" if others else ""
    return f"add documents first: ascertain add PATH --kb {shlex.quote(home.name)}{known}"
