"""A folder of a mailbox over IMAP4rev1 (RFC 3501). Messages never change; a moved one is another."""

import imaplib
import re
import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import cast
from urllib.parse import unquote, urlsplit

from ascertain.core.errors import SourceError
from ascertain.documents.sources.connectors.ports import ItemGone, SourceGiven, SourceItem

_BATCH = 500
"""Messages that are listed in one request."""
_LISTED = re.compile(rb"UID (\d+)")
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ImapSource:
    """A ``Source``. ``imaps://HOST/FOLDER`` with the options user and password; ``imap://`` begins TLS by STARTTLS."""

    is_complete = True
    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        given.check_options("user", "password")
        parts = urlsplit(given.address)
        self._host, self._port = parts.hostname or "", parts.port
        self._folder = unquote(parts.path.strip("/")) or "INBOX"
        self._user = given.options.get("user") or unquote(parts.username or "")
        self._password = given.options.get("password", "")
        self._is_secure = parts.scheme.lower() == "imaps"
        self._seconds = given.web.timeout_seconds
        self._limit = given.reading.max_bytes
        self.root = f"{parts.scheme.lower()}://{self._user}@{parts.netloc.rpartition('@')[2]}/{self._folder}"
        self._client: imaplib.IMAP4 | None = None
        self._sizes: dict[str, int] = {}
        if not (self._host and self._user and self._password):
            raise SourceError(
                f"{given.name}: needs a host, a user and a password: imaps://mail.example.org/INBOX --option user=NAME "
                "--option password=env:MAIL_PASSWORD"
            )

    def list_items(self) -> Iterator[SourceItem]:
        """Every message that is not marked as deleted, the oldest first."""
        try:
            client = self._connect()
            validity = (client.response("UIDVALIDITY")[1] or [b"0"])[0]
            stamp = validity.decode("ascii") if isinstance(validity, bytes) else "0"
            found = self._ask(client.uid("SEARCH", "UNDELETED"))
            uids = b" ".join(part for part in found if isinstance(part, bytes)).split()
            for start in range(0, len(uids), _BATCH):
                chosen = b",".join(uids[start : start + _BATCH]).decode("ascii")
                answered = self._ask(client.uid("FETCH", chosen, "(UID RFC822.SIZE)"))
                lines = [line for line in answered if isinstance(line, bytes)]
                self._sizes = {
                    uid[1].decode("ascii"): int(size[1])
                    for line in lines
                    if (uid := _LISTED.search(line)) and (size := _SIZE.search(line))
                }
                for uid in self._sizes:
                    yield SourceItem(f"{stamp}-{uid}", "1", name=f"{uid}.eml")
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            raise self._explain(error) from error

    def read(self, item: SourceItem) -> bytes:
        """The message as it is on the server, without marking it as seen."""
        uid = item.id.rpartition("-")[2]
        size = self._sizes.get(uid, 0)
        if size > self._limit:
            raise SourceError(f"{item.name}: {size:,} bytes; over ingest.max_file_bytes")
        try:
            answered = self._ask(self._connect().uid("FETCH", uid, "(BODY.PEEK[])"))
        except (imaplib.IMAP4.error, OSError) as error:
            raise self._explain(error) from error
        parts = [cast("tuple[bytes, bytes]", part) for part in answered if isinstance(part, tuple)]
        body = parts[0][1] if parts else None
        if body is None:
            raise ItemGone(f"{item.name}: the message no longer exists")
        if size and len(body) < size:
            raise SourceError(f"{item.name}: {len(body):,} of {size:,} bytes arrived; read it again")
        return body

    def close(self) -> None:
        """Log out."""
        if self._client is not None:
            with suppress(imaplib.IMAP4.error, OSError):
                self._client.logout()
            self._client = None

    def _connect(self) -> imaplib.IMAP4:
        if self._client is None:
            tls = ssl.create_default_context()
            if self._is_secure:
                client = imaplib.IMAP4_SSL(self._host, self._port or 993, ssl_context=tls, timeout=self._seconds)
            else:
                client = imaplib.IMAP4(self._host, self._port or 143, timeout=self._seconds)
            self._client = client
            if not self._is_secure and self._host not in _LOOPBACK:
                client.starttls(tls)
            client.login(self._user, self._password)
            self._ask(client.select(f'"{self._folder}"', readonly=True))
        return self._client

    def _ask(self, answered: tuple[str, Sequence[object]]) -> Sequence[object]:
        state, lines = answered
        if state != "OK":
            first = lines[0] if lines else b""
            raise imaplib.IMAP4.error(first.decode("utf-8", "replace") if isinstance(first, bytes) else state)
        return lines

    def _explain(self, error: Exception) -> SourceError:
        if self._client is not None:
            with suppress(OSError):
                self._client.shutdown()
            self._client = None
        text = error.args[0] if error.args else ""
        reason = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(error)
        return SourceError(
            f"{self.root}: {reason or type(error).__name__}; check the address, the user and the password"
        )
