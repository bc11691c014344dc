"""A run in parts that somebody listens to as one."""

from __future__ import annotations

from ascertain.ingest.report import IngestListener


class Portion:
    """Hears of one part of a run and passes it on.

    The first part is told with ``more``, the bytes of the parts after it; those have none, for the whole has been told.
    """

    def __init__(
        self, listener: IngestListener, *, more: int | None = None, counts_bytes: bool = True
    ) -> None:
        self._listener = listener
        self._more = more
        self._counts_bytes = counts_bytes

    def found(self, total_documents: int | None, total_bytes: int) -> None:
        """Pass on how much there is to do in all parts, from the first."""
        if self._more is not None:
            self._listener.found(None, total_bytes + self._more)

    def advanced(self, source: str, bytes_done: int, chunks: int) -> None:
        """Pass it on."""
        self._listener.advanced(source, bytes_done if self._counts_bytes else 0, chunks)

    def failed(self, source: str, reason: str) -> None:
        """Pass it on."""
        self._listener.failed(source, reason)
