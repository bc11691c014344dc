"""Word lists as data: a file ``<topic>.toml`` somewhere in ``data/<language>``, one table a list.

Each table names its ``source`` in a line and holds one of

- ``words``, separated by white space,
- ``phrases``, a line each, without lines that begin with ``#``,
- ``pairs``, a table of strings,
- ``wordings``, regular expressions, a line each, in which a space stands for any white space,
- ``patterns``, regular expressions, a line each, in which a space is a space.

In wordings and patterns ``{name}`` stands for another list of the same file, ``{topic.name}`` for one of another file;
a line that is nothing else takes over its entries::

    [asking]
    source = "Written for this project."
    words = "tell give show explain describe"

    [request]
    source = "Written for this project."
    wordings = '''
    (?:please )?{asking} (?:me|us)
    '''

Lists of many languages are those of the language ``mul``, as ISO 639-2 calls them. All functions raise KeyError for a
list that there is not.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, cast

_REFERENCE = re.compile(r"\{(?:(?P<topic>[a-z_]+)\.)?(?P<name>[a-z_]+)\}")


def load_words(topic: str, name: str, language: str = "en") -> tuple[str, ...]:
    """The words of list ``name`` of ``topic``, in the order of the file."""
    return tuple(str(_load_list(language, topic, name)["words"]).split())


def load_word_set(topic: str, name: str, language: str = "en") -> frozenset[str]:
    """The words of list ``name`` of ``topic`` as a set."""
    return frozenset(load_words(topic, name, language))


def load_phrases(topic: str, name: str, language: str = "en") -> tuple[str, ...]:
    """The phrases of list ``name`` of ``topic``, in the order of the file."""
    lines = _split_lines(_load_list(language, topic, name)["phrases"])
    return tuple(line for line in lines if not line.startswith("#"))


def load_pairs(topic: str, name: str, language: str = "en") -> dict[str, str]:
    """The pairs of list ``name`` of ``topic``, in the order of the file."""
    return dict(cast(Mapping[str, str], _load_list(language, topic, name)["pairs"]))


def list_names(topic: str, language: str = "en") -> tuple[str, ...]:
    """The names of all lists of ``topic``, in the order of the file."""
    return tuple(_load_topic(language, topic))


def load_alternatives(topic: str, name: str, language: str = "en") -> str:
    """The words or phrases of list ``name`` of ``topic`` as alternatives of a regular expression.

    No such list holds a character that means something there.
    """
    has_words = "words" in _load_list(language, topic, name)
    return "|".join((load_words if has_words else load_phrases)(topic, name, language))


@cache
def load_patterns(topic: str, name: str, language: str = "en") -> tuple[str, ...]:
    """The words, wordings or patterns of list ``name`` of ``topic`` as regular expressions, one an entry."""
    table = _load_list(language, topic, name)
    if "words" in table:
        return load_words(topic, name, language)
    is_spaced = "wordings" in table
    entries: list[str] = []
    for line in _split_lines(table["wordings" if is_spaced else "patterns"]):
        if whole := _REFERENCE.fullmatch(line):
            entries += load_patterns(whole["topic"] or topic, whole["name"], language)
        else:
            entries.append(_expand_line(line.replace(" ", r"\s+") if is_spaced else line, topic, language))
    return tuple(entries)


def load_pattern(topic: str, name: str, language: str = "en") -> str:
    """List ``name`` of ``topic`` as one regular expression: its only entry, or a group of all."""
    entries = load_patterns(topic, name, language)
    return entries[0] if len(entries) == 1 else f"(?:{'|'.join(entries)})"


def compile_pattern(topic: str, name: str, flags: int = re.IGNORECASE, language: str = "en") -> re.Pattern[str]:
    """``load_pattern``, compiled."""
    return re.compile(load_pattern(topic, name, language), flags)


def compile_patterns(
    topic: str, name: str, flags: int = re.IGNORECASE, language: str = "en"
) -> tuple[re.Pattern[str], ...]:
    """``load_patterns``, each compiled."""
    return tuple(re.compile(entry, flags) for entry in load_patterns(topic, name, language))


def _expand_line(line: str, topic: str, language: str) -> str:
    return _REFERENCE.sub(lambda found: load_pattern(found["topic"] or topic, found["name"], language), line)


def _split_lines(listed: object) -> tuple[str, ...]:
    return tuple(line.strip() for line in str(listed).splitlines() if line.strip())


def _load_list(language: str, topic: str, name: str) -> Mapping[str, object]:
    return cast(Mapping[str, object], _load_topic(language, topic)[name])


@cache
def _load_topic(language: str, topic: str) -> Mapping[str, Any]:
    return tomllib.loads(topic_files(language)[topic].read_text("utf-8"))


@cache
def topic_files(language: str = "en") -> dict[str, Traversable]:
    """The file of each topic; its folder is for people and no part of the name."""
    folders = [files("ascertain.language").joinpath("data", language)]
    found: dict[str, Traversable] = {}
    for folder in folders:
        for each in folder.iterdir():
            if each.is_dir():
                folders.append(each)
            else:
                found[each.name.removesuffix(".toml")] = each
    return found
