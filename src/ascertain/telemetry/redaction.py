"""Redaction: what must not leave the process in a log line or a trace.

Two ways together: the values of environment variables whose names say that they are secrets are known to the letter, and whatever
looks like a key, an Authorization header or a password in an address is replaced where it stands. Rather too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

HIDDEN = "***"

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|HEADERS)$", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value would also occur in ordinary text, and is no secret worth the name."""

_NAMED = r"authorization|(?:x-)?api[-_]?key|apikey|access[-_]?token|auth[-_]?token|client[-_]?secret|secret|password|passwd|pwd|token"
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(://)[^\s\"'<>]*@"), rf"\1{HIDDEN}@"),
    (re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (
        re.compile(rf"\b({_NAMED})([\"']?\s*[:=]\s*[\"']?)(?!(?:bearer|basic)\s)[^\s\"'&,;]+", re.IGNORECASE),
        rf"\1\2{HIDDEN}",
    ),
    # Keys tell themselves by their beginning: our own ask_, OpenAI and Anthropic sk-, Tavily tvly-, GitHub gh?_, Slack xox?-, Google AIza.
    (re.compile(r"(?:\bask_(?=[\w-]{43})|\b(?:sk-|tvly-|gh[a-z]_|xox[a-z]-|AIza))[\w-]{8,}"), HIDDEN),
)


class Redaction:
    """Replaces secrets in text by ``***``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Redaction:
        """Knows the values of the variables whose names end as those of secrets do, such as TAVILY_API_KEY."""
        return cls(value for name, value in environ.items() if _SECRET_NAME.search(name))

    def __call__(self, text: str) -> str:
        """``text`` without secrets."""
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        return text
