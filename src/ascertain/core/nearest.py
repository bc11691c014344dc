"""The nearest valid name to a mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """``; did you mean top_k?`` for the closest valid name, or a list of them when none is close.

    The last part of a dotted name counts too, so that ``top_k`` finds ``retrieval.top_k``.
    """
    names = list(valid)
    close = difflib.get_close_matches(name.lower(), [each.lower() for each in names], n=1, cutoff=0.6)
    if close:
        return f"; did you mean {next(each for each in names if each.lower() == close[0])}?"
    last_parts = {each.rpartition(".")[2].lower(): each for each in reversed(names)}
    close = difflib.get_close_matches(name.rpartition(".")[2].lower(), last_parts, n=1, cutoff=0.7)
    if close:
        return f"; did you mean {last_parts[close[0]]}?"
    return (
        f"; known are {', '.join(names)}"
        if len(names) <= 12
        else "; see ascertain config show for all of them"
    )
