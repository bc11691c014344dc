"""Which SSH servers are trusted: those whose key ``known_hosts`` has, or whose fingerprint was given."""

from pathlib import Path

import paramiko

from ascertain.core.errors import SourceError

KNOWN_HOSTS = "~/.ssh/known_hosts"


class TrustedHosts(paramiko.MissingHostKeyPolicy):
    """Lets a server in whose key is in one of the files of OpenSSH's form, or whose fingerprint (``SHA256:…``, as ``ssh-keygen -l`` prints
    it) is the one given; SourceError for any other. A missing file trusts no one.
    """

    def __init__(self, known_hosts: str = KNOWN_HOSTS, fingerprint: str = "") -> None:
        self._path = Path(known_hosts).expanduser()
        self._fingerprint = fingerprint

    def missing_host_key(self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey) -> None:
        """Called for every server, since the client itself knows none."""
        shown = key.fingerprint
        if self._fingerprint:
            if shown.rstrip("=") != self._fingerprint.rstrip("="):
                raise SourceError(f"{hostname} has the key {shown}, not the one given as fingerprint")
            return
        known = paramiko.HostKeys()
        if self._path.is_file():
            known.load(str(self._path))
        if known.check(hostname, key):
            return
        if known.lookup(hostname) is not None:
            raise SourceError(f"{hostname} has another key than {self._path} has for it: {shown}")
        raise SourceError(
            f"{hostname} is not in {self._path}. If its key is {shown}, connect once with ssh, "
            f"or give --option fingerprint={shown}"
        )
