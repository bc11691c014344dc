"""Windows shares by fsspec, with connections of their own.

fsspec shares the connections of a process: whoever names a user who is connected already is let in whatever password comes with it.
It also keeps all others from a file while it reads it.
"""

import importlib
from typing import Any

_client: Any = importlib.import_module("smbclient")
_implementation: Any = importlib.import_module("fsspec.implementations.smb")
_FileSystem: type[Any] = _implementation.SMBFileSystem
_NOT_THERE = frozenset({0xC000000F, 0xC0000034, 0xC000003A})
"""STATUS_NO_SUCH_FILE, STATUS_OBJECT_NAME_NOT_FOUND and STATUS_OBJECT_PATH_NOT_FOUND of [MS-ERREF]."""


class WindowsShares(_FileSystem):
    """As fsspec's. ``timeout`` is how many seconds the server has to answer a new connection."""

    cachable = False
    host: str
    username: str | None
    password: str | None
    encrypt: bool | None
    timeout: int
    _port: int

    def _connect(self) -> None:
        self._connections: dict[str, Any] = {}
        _client.register_session(
            self.host,
            username=self.username,
            password=self.password,
            port=self._port,
            encrypt=self.encrypt,
            connection_timeout=self.timeout,
            connection_cache=self._connections,
        )

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        """What lies in a folder, in one request; fsspec asks for each file again, and fails where one is gone by then."""
        folder = path.rstrip("/")
        where = f"\\\\{self.host}{folder}".replace("/", "\\")
        found = [
            {
                "name": f"{folder}/{entry.name}",
                "type": "directory" if entry.is_dir() else "file",
                "size": entry.smb_info.end_of_file,
                "mtime": entry.smb_info.last_write_time,
            }
            for entry in _client.scandir(where, port=self._port, connection_cache=self._connections, **options)
        ]
        return found if detail else [each["name"] for each in found]

    def info(self, path: str, **options: Any) -> Any:
        """What is known of a file."""
        base: Any = super()
        return base.info(path, connection_cache=self._connections, **options)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        given = {"share_access": "rwd", **options, "connection_cache": self._connections}
        base: Any = super()
        try:
            return base._open(path, mode, **given)
        except OSError as error:
            if getattr(error, "ntstatus", None) in _NOT_THERE:
                raise FileNotFoundError(path) from error
            raise

    def close(self) -> None:
        """Close the connection."""
        _client.delete_session(self.host, self._port, self._connections, self.timeout)
