"""What a model wrote, made fit to be shown: no links, marks or codes of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.language.folding import is_invisible

_TERMINAL = re.compile(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]?")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]")
_LINK = re.compile(r"\[([^\]]*)\]\(\s*<?([^)\s>]*)[^)]*\)")
_LOADING_TAG = re.compile(
    r"</?(?:a|img|iframe|script|link|object|embed|video|audio|svg|style|form|meta|base)\b[^>]*>?", re.I
)
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|file|wss?)://[^\s<>\"')\]]+|\b(?:javascript|vbscript|mailto):[^\s<>\"'\]]+|\bdata:[a-z]+/[^\s<>\"')\]]+"
    r"|\bwww\.[^\s<>\"')\]]+|\b(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s<>\"')\]]+",
    re.I,
)
_KEYS = re.compile(
    r"\s*[\[(]\s*S\d+(?:\s*[,;]\s*S?\d+)*\s*[\])]|\s*\[\d{1,3}(?:\s*,\s*\d{1,3})*\](?=[.!?]?\s*$)"
)


def shown_text(text: str, sources: Sequence[str]) -> str:
    """``text`` on one line, without terminal codes, invisible characters, images, tags that load something and citation marks
    (citations are numbered by us), and without addresses that stand in none of ``sources``; a link keeps its label.
    """
    text = _TERMINAL.sub("", text)
    text = "".join(c for c in text if c.isspace() or not is_invisible(c))
    text = _LOADING_TAG.sub("", _IMAGE.sub("", text))

    def known(address: str) -> bool:
        return any(address in source for source in sources)

    text = _LINK.sub(lambda m: f"{m[1]} ({m[2]})" if m[2] and known(m[2]) else m[1], text)
    text = _ADDRESS.sub(lambda m: m[0] if known(m[0].rstrip(".,;:!?")) else "", text)
    text = re.sub(r"\(\s*\)", "", _KEYS.sub("", text))
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))
