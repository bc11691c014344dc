"""Windows shares by fsspec, with connections of their own.

fsspec shares the connections of a process: whoever names a user who is connected already is let in whatever password comes with it.
It also keeps all others from a file while it reads it.
"""

import importlib
from typing import Any

_client: Any = importlib.import_module("smbclient")
_implementation: Any = importlib.import_module("fsspec.implementations.smb")
_FileSystem: type[Any] = _implementation.SMBFileSystem


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
        """What lies in a folder."""
        base: Any = super()
        return base.ls(path, detail, connection_cache=self._connections, **options)

    def info(self, path: str, **options: Any) -> Any:
        """What is known of a file."""
        base: Any = super()
        return base.info(path, connection_cache=self._connections, **options)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        given = {"share_access": "rwd", **options, "connection_cache": self._connections}
        base: Any = super()
        return base._open(path, mode, **given)

    def close(self) -> None:
        """Close the connection."""
        _client.delete_session(self.host, self._port, self._connections, self.timeout)
