"""Profiles: what is known about a kind of material, as data.

The built-in ones are TOML files in ``ascertain/data/profiles``. A file with the same name in the user's folder is merged
over the built-in one, value by value; a file with a new name is a new profile.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ascertain.core.asking.plans import QuestionType
from ascertain.core.errors import ConfigurationError, did_you_mean

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read_toml(path: Path) -> dict[str, object]:
    """The tables of ``path``. Raises ConfigurationError when it cannot be read or is not TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror})") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, name: str) -> dict[str, object]:
    """The tables in ``text``; errors name ``name`` and the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = (place[1] if place else None) or str(text.count("\n") + 1)
        raise ConfigurationError(f"{name}:{line}: not valid TOML: {_PLACE.sub('', message)}") from error


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AliasTable(_Data):
    """Short forms of one domain and what they stand for.

    ``strong`` ones have no other meaning and are always expanded. ``ambiguous`` ones are also ordinary words, and are
    expanded only where the question has a strong alias or a word of ``context`` besides, or where one that stands for a
    name comes right before another. ``protected`` phrases hold
    words that look like aliases and are left as they are. An alias may have several words. Keys are lower case.
    """

    about: tuple[str, ...] = ()
    """What the domain as a whole is called: an analysis of one of these is of whatever names a word of ``context``."""
    context: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    also: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What the things that aliases stand for are called besides, by their full names: ether is Ethereum's coin."""
    strong: dict[str, str] = Field(default_factory=dict)
    ambiguous: dict[str, str] = Field(default_factory=dict)

    @field_validator("strong", "ambiguous")
    @classmethod
    def _is_whole(cls, aliases: dict[str, str]) -> dict[str, str]:
        for alias, canonical in aliases.items():
            if not alias.strip() or not canonical.strip():
                raise ValueError(f"{alias!r} = {canonical!r}: both sides need a word")
        return {alias.strip().lower(): canonical.strip() for alias, canonical in aliases.items()}


class Profile(_Data):
    """``settings`` overrides defaults, nested as in ``ascertain.toml``; ``aliases`` has one table for each domain."""

    name: str
    description: str = ""
    settings: dict[str, object] = Field(default_factory=dict)
    entity_types: tuple[str, ...] = ()
    """Kinds of things the knowledge graph looks for in this material."""
    question_types: tuple[QuestionType, ...] = ()
    """Kinds of questions that are asked of this material besides the general ones."""
    aliases: dict[str, AliasTable] = Field(default_factory=dict)
    moods: dict[str, float] = Field(default_factory=dict)
    """Valences, -4 to 4, of words and phrases that say well or ill of something in this material."""


def profile_names(folder: Path | None = None) -> list[str]:
    """The built-in profiles and those in ``folder``, sorted."""
    built_in = {
        entry.name.removesuffix(".toml") for entry in _profiles_folder().iterdir() if entry.name.endswith(".toml")
    }
    own = {path.stem for path in folder.glob("*.toml")} if folder is not None and folder.is_dir() else set[str]()
    return sorted(built_in | own)


def load_profile(name: str, folder: Path | None = None) -> Profile:
    """The profile ``name``, with what ``folder`` adds to it.

    Raises ConfigurationError for an unknown name, naming the nearest, and for a faulty file.
    """
    names = profile_names(folder)
    if name not in names:
        raise ConfigurationError(f"unknown profile {name!r}{did_you_mean(name, names)}")
    own = folder / f"{name}.toml" if folder is not None else None
    if own is None or not own.is_file():
        return _built_in(name)
    tables = read_toml(own)
    base = _read_tables(name) if (_profiles_folder() / f"{name}.toml").is_file() else {}
    return _validate_profile(name, _overlay_tables(base, tables), str(own))


def load_profiles(folder: Path) -> dict[str, Profile]:
    """Every profile that a document may have, by name: those built in and those of ``folder``."""
    return {name: load_profile(name, folder) for name in profile_names(folder)}


def _profiles_folder() -> Path:
    # Installed packages are folders of files; a zipped one would need importlib.resources.as_file.
    return Path(str(files("ascertain") / "data" / "profiles"))


@lru_cache(maxsize=32)
def _built_in(name: str) -> Profile:
    return _validate_profile(name, _read_tables(name), f"profile {name}")


def _read_tables(name: str) -> dict[str, object]:
    path = _profiles_folder() / f"{name}.toml"
    return parse_toml(path.read_text(encoding="utf-8"), str(path))


def _validate_profile(name: str, tables: Mapping[str, object], origin: str) -> Profile:
    try:
        return Profile.model_validate({**tables, "name": name})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            valid = AliasTable.model_fields if key.startswith("aliases.") else Profile.model_fields
            hint = did_you_mean(key.rpartition(".")[2], valid)
            raise ConfigurationError(f"{origin}: {key}: unknown key{hint}") from error
        raise ConfigurationError(f"{origin}: {key}: {first['msg'].removeprefix('Value error, ')}") from error


def _overlay_tables(base: Mapping[str, object], top: Mapping[str, object]) -> dict[str, object]:
    """``top`` over ``base``: tables are merged, lists joined, everything else is replaced."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _overlay_tables(cast("dict[str, object]", below), cast("dict[str, object]", value))
        elif isinstance(below, list) and isinstance(value, list):
            joined = [*cast("list[object]", below), *cast("list[object]", value)]
            merged[key] = list(dict.fromkeys(joined))
        else:
            merged[key] = value
    return merged
