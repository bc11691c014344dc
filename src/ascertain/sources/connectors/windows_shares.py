"""Windows shares by fsspec, with connections of their own.

fsspec shares the connections of a process: whoever names a user who is connected already is let in whatever password comes with it.
It also keeps all others from a file while it reads it.
"""

from typing import Any

import smbclient
from fsspec.implementations.smb import SMBFileSystem


class WindowsShares(SMBFileSystem):
    """As fsspec's. ``timeout`` is how many seconds the server has to answer a new connection."""

    cachable = False

    def _connect(self) -> None:
        self._connections: dict[str, Any] = {}
        smbclient.register_session(
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
        return super().ls(path, detail, connection_cache=self._connections, **options)

    def info(self, path: str, **options: Any) -> Any:
        """What is known of a file."""
        return super().info(path, connection_cache=self._connections, **options)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        given = {"share_access": "rwd", **options, "connection_cache": self._connections}
        return super()._open(path, mode, **given)

    def close(self) -> None:
        """Close the connection."""
        smbclient.delete_session(self.host, self._port, self._connections, self.timeout)
