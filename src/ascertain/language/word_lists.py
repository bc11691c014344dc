"""Word lists as data: ``data/<language>/<topic>.toml``, one table a list.

Each table names its ``source`` in a line and holds one of ``words`` (separated by white space), ``phrases``
(a line each) or ``pairs`` (a table of strings)::

    [asking]
    source = "Written for this project."
    words = "tell give show explain describe"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast


def load_words(topic: str, name: str, language: str = "en") -> tuple[str, ...]:
    """The words of list ``name`` of ``topic``, in the order of the file; KeyError where there is no such
    list.
    """
    return tuple(str(_load_list(language, topic, name)["words"]).split())


def load_phrases(topic: str, name: str, language: str = "en") -> tuple[str, ...]:
    """The phrases of list ``name`` of ``topic``, one a line; empty lines and those that begin with ``#`` are
    none.

    KeyError where there is no such list.
    """
    lines = str(_load_list(language, topic, name)["phrases"]).splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def load_pairs(topic: str, name: str, language: str = "en") -> dict[str, str]:
    """The pairs of list ``name`` of ``topic``, in the order of the file; KeyError where there is no such
    list.
    """
    return dict(cast(Mapping[str, str], _load_list(language, topic, name)["pairs"]))


def _load_list(language: str, topic: str, name: str) -> Mapping[str, object]:
    return cast(Mapping[str, object], _load_topic(language, topic)[name])


@cache
def _load_topic(language: str, topic: str) -> Mapping[str, Any]:
    raw = files("ascertain.language").joinpath("data", language, f"{topic}.toml").read_text("utf-8")
    return tomllib.loads(raw)


def load_word_set(topic: str, name: str, language: str = "en") -> frozenset[str]:
    """The words of list ``name`` of ``topic`` as a set; KeyError where there is no such list."""
    return frozenset(load_words(topic, name, language))


def load_alternatives(topic: str, name: str, language: str = "en") -> str:
    """The words or phrases of list ``name`` of ``topic`` as alternatives of a regular expression.

    No such list holds a character that means something there. KeyError where there is no such list.
    """
    has_words = "words" in _load_list(language, topic, name)
    return "|".join((load_words if has_words else load_phrases)(topic, name, language))
