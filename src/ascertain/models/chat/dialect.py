"""What a server understands of the ways to ask for a structured reply, found out by its refusals."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Structured = Literal["json_schema", "json_object", "prompt"]

_SIMPLER: dict[Structured, Structured] = {"json_schema": "json_object", "json_object": "prompt"}
# A prompt past the model's window is refused with the same status, and no other wording would help.
_TOO_LONG = re.compile(r"context|too long|too large|too many tokens", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one model is asked.

    ``temperature``: whether it is sent; reasoning models refuse any but their own. ``old_limit``: whether the longest
    reply is given as max_tokens, which every compatible server knows, or as max_completion_tokens, which OpenAI's own
    reasoning models insist on.
    """

    structured: Structured
    temperature: bool = True
    old_limit: bool = False

    def conceding(self, refusal: str) -> Dialect | None:
        """What to try after the server refused a request as faulty; None when there is nothing simpler."""
        if _TOO_LONG.search(refusal):
            return None
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        if self.old_limit and "max_tokens" in refusal:
            return replace(self, old_limit=False)
        return self.simpler()

    def simpler(self) -> Dialect | None:
        """The next simpler way of asking for structure."""
        kind = _SIMPLER.get(self.structured)
        return replace(self, structured=kind) if kind else None
