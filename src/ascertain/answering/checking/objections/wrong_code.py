"""Code with content that its sources do not have."""

from __future__ import annotations

import re

from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel

_TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)*")
_COMMENT = re.compile(r"(?m)(?:^|\s)(?:#|//|--\s).*$")
_PAIR = re.compile(
    r"(?<![\w-])(?P<name>--?[a-zA-Z][\w-]*|[a-zA-Z_]\w*)(?P<joint>\s?=\s?|(?<=\w)\s+(?!-))(?P<value>[\"'][^\"']*[\"']|[\w./:~%-]+)"
)
"""``name=value``, ``--name value``."""
_INLINE = re.compile(r"`([^`\n]+)`")


def find_foreign_code(case: Case) -> Objection | None:
    """The first identifier, value or word of the code, comments aside, that neither a source nor the question has, or the first
    value that they have but give to no option of that name.
    """
    code = _COMMENT.sub("", case.text)
    held = set(_TOKEN.findall(case.known))
    foreign = next((token for token in _TOKEN.findall(code) if token not in held), None)
    if foreign:
        return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source has {foreign} in its code")
    return _find_foreign_pair(code, case)


def find_foreign_inline_code(case: Case) -> Objection | None:
    """The same of the settings in a sentence: "set `multiple=True`"."""
    code = "\n".join(match[1] for match in _INLINE.finditer(case.text) if "=" in match[1])
    return _find_foreign_pair(code, case) if code else None


def _find_foreign_pair(code: str, case: Case) -> Objection | None:
    told = {(name, value) for name, value in _list_pairs(case.everywhere)}
    names = {name for name, _ in told}
    for name, value in _list_pairs(code):
        if name in names and (name, value) not in told and value not in case.statement.question:
            return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source has {name} with {value}")
    return None


def _list_pairs(code: str) -> list[tuple[str, str]]:
    """The values that code gives to names and options, without quotation marks; words that are merely adjacent do not count."""
    pairs = (match for match in _PAIR.finditer(code) if "=" in match["joint"] or match["name"].startswith("-"))
    return [(match["name"], match["value"].strip("\"'").rstrip(".,:")) for match in pairs]
