"""Memory for what is computed of a text and of nothing else: a question comes back to the same titles, sentences and passages
at each of its steps, and so does the next question that finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_REMEMBERED = 6_000
"""Characters of a text that is remembered: more than a passage has, so that so many texts take only so much memory."""


def remember_texts(most: int) -> Callable[[Callable[Concatenate[str, P], R]], Callable[Concatenate[str, P], R]]:
    """Remember what a function makes of the last ``most`` texts; for a long text it is recomputed.

    What the function returns is shared, so it must not be one that is changed. Further arguments belong to the key.
    """

    def decorate(compute: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[str, P], R]:
        recall = cast(Any, lru_cache(maxsize=most)(compute))

        @wraps(compute)
        def remembered(text: str, *args: P.args, **kwargs: P.kwargs) -> R:
            if len(text) > LONGEST_REMEMBERED:
                return compute(text, *args, **kwargs)
            return recall(text, *args, **kwargs)

        return remembered

    return decorate
