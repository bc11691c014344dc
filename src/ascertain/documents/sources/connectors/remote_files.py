"""Files of any file system that fsspec knows: S3, GCS, Azure, SFTP, WebDAV, SMB, GitHub, inside a ZIP and others."""

import importlib
import math
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from ascertain.core.errors import MissingExtra, SourceError
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.connectors.ports import ItemGone, SourceGiven, SourceItem, join_source

_EXTRAS = {"gs": "gcs", "gcs": "gcs", "abfs": "azure", "abfss": "azure", "az": "azure", "smb": "smb"}
"""Those with packages of their own; all others come with ``remote``."""
_VERSIONS = (
    "ETag",
    "etag",
    "checksum",
    "sha",
    "md5Hash",
    "content_md5",
    "mtime",
    "LastModified",
    "modified",
    "updated",
    "last_modified",
    "last_write_time",
    "date_time",
    "created",
)
"""Where file systems say what changes with the content, the surest first."""
_WEBDAV = {"webdav": "http", "webdavs": "https", "dav": "http", "davs": "https"}
_SSH = frozenset({"sftp", "ssh"})
_REFUSED = frozenset({"http", "https"})
_LIST_REQUESTS = 6
"""A folder may take as long as so many requests: clients ask again, and ask for page after page."""


class RemoteFilesSource:
    """A ``Source``. Options are those of the file system of fsspec; values that are JSON are read as such."""

    is_complete = True
    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        scheme = given.address.partition("::")[0].partition("://")[0].lower()
        if scheme in _REFUSED:
            raise SourceError(f"{given.address}: use --kind site or feed for a page or a site")
        try:
            fsspec = importlib.import_module("fsspec.core")
            self._files: Any
            address, options = _read_options(scheme, given)
            self._files, path = cast("Any", fsspec).url_to_fs(address, skip_instance_cache=True, **options)
        except SourceError as error:
            raise SourceError(f"{given.address}: {error}") from error
        except ImportError as error:
            schemes = [part.partition("://")[0].lower() for part in given.address.split("::")]
            extra = next((_EXTRAS[each] for each in schemes if each in _EXTRAS), "remote")
            raise MissingExtra(f"{scheme} as a source", extra) from error
        except Exception as error:  # whatever a file system raises at what it is opened with
            raise SourceError(f"{given.address}: {_describe(error)}") from error
        if scheme in _SSH:
            self._files.ftp.get_channel().settimeout(given.web.timeout_seconds)
        self._path = str(path).rstrip("/")
        self._list_seconds = _LIST_REQUESTS * given.web.timeout_seconds
        self._reading: ReadOptions = given.reading
        self._sizes: tuple[str, int | None] = ("", None)
        self.root = given.address.rstrip("/")

    def list_items(self) -> Iterator[SourceItem]:
        """Every file below the address, folder by folder; hidden ones are left out."""
        try:
            self._files.invalidate_cache()
            waiting = [self._path]
            while waiting:
                folder = waiting.pop()
                for path, info in self._list_folder(folder):
                    if info.get("type") == "directory":
                        waiting.append(path)
                    else:
                        yield self._make_item(path, info)
        except Exception as error:  # a file system may raise anything
            raise SourceError(f"{self.root}: {_describe(error)}; nothing was deleted") from error

    def read(self, item: SourceItem) -> bytes:
        """All bytes of the file."""
        size = self._sizes[1] if self._sizes[0] == item.id else None
        if size is not None and size > self._reading.max_bytes:
            raise SourceError(f"{item.id}: {size:,} bytes; over ingest.max_file_bytes")
        try:
            content = bytes(self._files.cat_file(join_source(self._path, item.id) if self._path else item.id))
        except FileNotFoundError as error:
            raise ItemGone(f"{item.id}: it no longer exists") from error
        except Exception as error:  # a file system may raise anything
            raise SourceError(f"{item.id}: {_describe(error)}") from error
        if size is not None and len(content) < size:
            raise SourceError(f"{item.id}: {len(content):,} of {size:,} bytes came; read it again")
        return content

    def close(self) -> None:
        """Close the connections of file systems that keep some; the others do so by themselves."""
        client = getattr(self._files, "client", None)
        for closable in (client, getattr(client, "http", None), self._files):
            with suppress(Exception):
                cast("Any", closable).close()

    def _list_folder(self, folder: str) -> list[tuple[str, Mapping[str, Any]]]:
        """What lies in a folder, in order of name; some list the folder itself too. Unlike ``walk`` it leaves out no error."""
        listed = cast("list[Mapping[str, Any]]", self._ask_for_list(folder))
        entries = [(str(info["name"]).rstrip("/"), info) for info in listed]
        wanted = [
            (path, info)
            for path, info in entries
            if not posixpath.basename(path).startswith(".")
            and (path.strip("/") != folder.strip("/") or info.get("type") == "file")
        ]
        return sorted(wanted, key=lambda entry: entry[0])

    def _ask_for_list(self, folder: str) -> object:
        """Clients of clouds wait for minutes and ask again when nothing comes; those that fsspec runs in its own thread can be stopped."""
        if not getattr(self._files, "async_impl", False):
            return self._files.ls(folder, detail=True)
        sync = cast("Any", importlib.import_module("fsspec.asyn")).sync
        return sync(self._files.loop, self._files._ls, folder, detail=True, timeout=self._list_seconds)

    def _make_item(self, path: str, info: Mapping[str, Any]) -> SourceItem:
        name = path.lstrip("/").removeprefix(self._path.lstrip("/")).lstrip("/")
        size = info.get("size")
        self._sizes = (name, size if isinstance(size, int) else None)
        version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
        return SourceItem(name, f"{size}-{version}" if version else "", name=posixpath.basename(path))


def _read_options(scheme: str, given: SourceGiven) -> tuple[str, dict[str, Any]]:
    """Address and options as fsspec takes them: of WebDAV the host is an option, and user and password are one."""
    seconds = given.web.timeout_seconds
    options = given.read_values()
    if scheme in _SSH:
        from ascertain.documents.sources.connectors.host_keys import KNOWN_HOSTS, TrustedHosts  # noqa: PLC0415  paramiko comes with an extra

        trusted = TrustedHosts(str(options.pop("known_hosts", KNOWN_HOSTS)), str(options.pop("fingerprint", "")))
        options = {"timeout": seconds, "banner_timeout": seconds, "auth_timeout": seconds, **options}
        options["host_key_policy"] = trusted
    if "smb://" in given.address:
        from ascertain.documents.sources.connectors.windows_shares import WindowsShares  # noqa: PLC0415  smbprotocol comes with an extra

        cast("Any", importlib.import_module("fsspec")).register_implementation("smb", WindowsShares, clobber=True)
    if scheme == "smb":
        options = {"timeout": math.ceil(seconds), **options}
    if scheme not in _WEBDAV:
        return given.address, options
    host, _, path = given.address.partition("://")[2].partition("/")
    options.setdefault("base_url", f"{_WEBDAV[scheme]}://{host}")
    if "password" in options:
        options["auth"] = (options.pop("username", ""), options.pop("password"))
    return f"webdav://{path}", options


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:200].removesuffix(": ")
