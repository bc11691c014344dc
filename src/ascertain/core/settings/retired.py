"""Settings that there were once: each key in ``retired.toml`` has a new name or is a constant now."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import NotRequired, TypedDict, cast


class Retired(TypedDict):
    """What became of a key: ``new`` took its place, or it is fixed at ``value``, and ``why``."""

    new: NotRequired[str]
    value: NotRequired[object]
    why: NotRequired[str]
    constant: NotRequired[str]


@cache
def retired_settings() -> dict[str, Retired]:
    """Every retired key with what became of it."""
    text = (files("ascertain.core.settings") / "retired.toml").read_text(encoding="utf-8")
    return cast("dict[str, Retired]", tomllib.loads(text))


def is_retired_section(key: str) -> bool:
    """Whether ``key`` was a section all of whose settings are retired or which lost some of them."""
    return any(retired.startswith(f"{key}.") for retired in retired_settings())


def explain_retired(key: str, spell: Callable[[str], str] = str) -> str:
    """What to do about ``key`` if it is retired, else an empty text; ``spell`` writes a key as the user would."""
    retired = retired_settings().get(key)
    if retired is None:
        return ""
    if "new" in retired:
        return f"this setting is called {spell(retired['new'])} now; rename it"
    return f"no setting any more, it is fixed at {retired.get('value')} ({retired.get('why')}); remove it"
