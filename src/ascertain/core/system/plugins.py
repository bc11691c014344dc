"""Adapters by entry point: built-in ones and those of other packages are found the same way.

A group (``ascertain.stores``) holds names; each stands for an object of some module, which is imported when it is
chosen. Built-in ones are looked up first, so that a search with them inspects no other package.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, distribution, entry_points

from ascertain.core.errors import AscertainError, ConfigurationError, did_you_mean

STORES = "ascertain.stores"
EMBEDDERS = "ascertain.embedders"
RERANKERS = "ascertain.rerankers"
ENTAILMENT = "ascertain.entailment"
READERS = "ascertain.readers"
FORMATS = "ascertain.formats"
NEWS = "ascertain.news"
SOURCES = "ascertain.sources"
GROUPS = (STORES, EMBEDDERS, RERANKERS, ENTAILMENT, READERS, FORMATS, NEWS, SOURCES)

_OWN_PACKAGE = "ascertain"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One adapter: its name in its group, and the package that provides it."""

    entry: EntryPoint
    package: str
    distribution: Distribution | None

    @property
    def name(self) -> str:
        """The name used in settings."""
        return self.entry.name

    @property
    def version(self) -> str:
        """Of the package."""
        return self.distribution.version if self.distribution else ""

    @property
    def is_own(self) -> bool:
        """Whether it belongs to this package."""
        return self.package == _OWN_PACKAGE

    def load(self, setting: str) -> object:
        """What the entry point stands for; ConfigurationError, naming ``setting`` and package, when it is broken."""
        with self.blame_package(setting):
            return self.entry.load()

    @contextmanager
    def blame_package(self, setting: str) -> Generator[None]:
        """Turn errors in the code of another package into a ConfigurationError that names it; our own errors
        pass.
        """
        try:
            yield
        except AscertainError:
            raise
        except Exception as error:
            if self.is_own:
                raise
            raise self.make_error(setting, f"{type(error).__name__}: {error}") from error

    def make_error(self, setting: str, reason: str) -> ConfigurationError:
        """The error for a plugin that cannot be used."""
        return ConfigurationError(
            f"{setting} = {self.name!r}: the package {self.package} {self.version} offers it as {self.entry.value}, which "
            f"does not work ({reason}); update or uninstall that package, or choose another"
        )


def list_plugins(group: str) -> Mapping[str, Plugin]:
    """All adapters of a group by name, ours first; another package cannot replace a built-in name."""
    own = _list_own(group)
    others = {name: plugin for name, plugin in _list_others(group).items() if name not in own}
    return {**own, **others}


def find_plugin(group: str, name: str) -> Plugin | None:
    """The adapter of that name, None when there is none."""
    return _list_own(group).get(name) or _list_others(group).get(name)


def require_plugin(group: str, name: str, setting: str) -> Plugin:
    """The adapter that ``setting`` selects; ConfigurationError with the nearest known name, and all of them, if there
    is none.
    """
    plugin = find_plugin(group, name)
    if plugin is None:
        known = sorted(list_plugins(group))
        near = did_you_mean(name, known) if known else "; reinstall ascertain, its own entry points are missing"
        listed = "" if "known are" in near else f" (known are {', '.join(known)})" if known else ""
        raise ConfigurationError(f"{setting}: there is no {name!r}{near}{listed}")
    return plugin


def list_foreign_plugins() -> list[tuple[str, Plugin]]:
    """Group and adapter of everything that other packages provide, in order of group and name."""
    return [
        (group, plugin)
        for group in GROUPS
        for plugin in sorted(list_plugins(group).values(), key=lambda plugin: plugin.name)
        if not plugin.is_own
    ]


def forget_plugins() -> None:
    """Refresh the list of installed packages, for a process that installs packages."""
    _list_own.cache_clear()
    _list_others.cache_clear()


@cache
def _list_own(group: str) -> Mapping[str, Plugin]:
    try:
        own = distribution(_OWN_PACKAGE)
    except PackageNotFoundError:
        return {}
    return {entry.name: Plugin(entry, _OWN_PACKAGE, own) for entry in own.entry_points if entry.group == group}


@cache
def _list_others(group: str) -> Mapping[str, Plugin]:
    found = sorted(entry_points(group=group), key=lambda entry: entry.name)
    # the metadata of a package is parsed whenever its name is asked for, and all entries of a package share one object
    packages = {id(entry.dist): entry.dist for entry in found}
    names = {key: package.metadata["Name"] if package else "an unknown package" for key, package in packages.items()}
    plugins = (Plugin(entry, names[id(entry.dist)], entry.dist) for entry in found)
    return {plugin.name: plugin for plugin in plugins if not plugin.is_own}
