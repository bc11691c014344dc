"""Code that holds what its sources do not."""

from __future__ import annotations

import re

from ascertain.answering.checking.objections import Case, Objection
from ascertain.core.answers import VerdictLabel

_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)*")
_COMMENT = re.compile(r"(?m)(?:^|\s)(?:#|//|--\s).*$")


def find_foreign_code(case: Case) -> Objection | None:
    """The first identifier, value or word of the code, comments aside, that no source and not the question has."""
    held = set(_TOKEN.findall(case.known))
    foreign = next((token for token in _TOKEN.findall(_COMMENT.sub("", case.text)) if token not in held), None)
    return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source has {foreign} in its code") if foreign else None
