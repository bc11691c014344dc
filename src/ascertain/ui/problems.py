"""Why the service did not do what was asked, as the page tells it to people."""

from __future__ import annotations

from ascertain.core.errors import AscertainError


class ServiceProblem(AscertainError):
    """The service answered with a problem (RFC 9457), or with something that is no answer of it."""

    def __init__(self, detail: str, *, status: int = 0, request_id: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.request_id = request_id


class ServiceAway(ServiceProblem):
    """Nothing answers at the address, or it stopped in the middle."""


class ServiceBusy(ServiceProblem):
    """It is full, or shutting down; the same request may succeed later."""


class KeyWanted(ServiceProblem):
    """It asks for a key, or does not take the one it was given."""


class TooManyRequests(ServiceProblem):
    """The key's limit is reached; ``seconds`` until it takes requests again, None when it does not say."""

    def __init__(self, detail: str, *, seconds: float | None, request_id: str = "") -> None:
        super().__init__(detail, status=429, request_id=request_id)
        self.seconds = seconds


class NotThere(ServiceProblem):
    """What was asked for does not exist, or not any more; ``suggestions`` are names like it that do."""

    def __init__(
        self, detail: str, *, status: int = 404, request_id: str = "", suggestions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(detail, status=status, request_id=request_id)
        self.suggestions = suggestions
