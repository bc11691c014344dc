"""Settings from their layers: defaults < profile < ``ascertain.toml`` < environment < arguments.

Every value remembers the layer it came from, so that an error can name it and ``ascertain config show`` list it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import cast

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from ascertain.core.errors import ConfigurationError, did_you_mean
from ascertain.core.settings.answers import (
    AnswerSettings,
    BudgetSettings,
    ResearchSettings,
    VerificationSettings,
    WorkflowSettings,
)
from ascertain.core.settings.ingest import IngestSettings
from ascertain.core.settings.models import ModelSettings
from ascertain.core.settings.profiles import load_profile, read_toml
from ascertain.core.settings.retrieval import RetrievalSettings
from ascertain.core.settings.section import Leaf, Section, list_leaves, list_sections
from ascertain.core.settings.service import CacheSettings, ServerSettings, TelemetrySettings
from ascertain.core.settings.sources import NewsSettings, WebSettings
from ascertain.core.settings.store import GraphSettings, StoreSettings


class Settings(Section):
    """All settings of Ascertain, from defaults < profile < ``ascertain.toml`` < environment < arguments."""

    home: Path = Field(
        default=Path(".ascertain"),
        description="Folder of the knowledge base; another for each collection of documents that is asked by itself.",
    )
    profile: str = Field(
        default="docs",
        description="What the documents are: docs, news, papers, podcasts or a profile of your own, with its "
        "aliases and defaults.",
    )
    now: datetime | None = Field(
        default=None, description="Pretend it is this moment, to ask as of a past day or to repeat a run."
    )
    ingest: IngestSettings = IngestSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    answers: AnswerSettings = AnswerSettings()
    verification: VerificationSettings = VerificationSettings()
    workflow: WorkflowSettings = WorkflowSettings()
    budget: BudgetSettings = BudgetSettings()
    research: ResearchSettings = ResearchSettings()
    models: ModelSettings = ModelSettings()
    store: StoreSettings = StoreSettings()
    graph: GraphSettings = GraphSettings()
    web: WebSettings = WebSettings()
    news: NewsSettings = NewsSettings()
    cache: CacheSettings = CacheSettings()
    server: ServerSettings = ServerSettings()
    telemetry: TelemetrySettings = TelemetrySettings()


@cache
def leaves_by_key() -> dict[str, Leaf]:
    """Every value that can be set by its dotted key, in the order of the models."""
    return {leaf.key: leaf for leaf in list_leaves(Settings)}


@cache
def sections_by_key() -> dict[str, type[Section]]:
    """Every section by its dotted key."""
    return dict(list_sections(Settings))


CONFIG_NAME = "ascertain.toml"
ENVIRONMENT_PREFIX = "ASCERTAIN_"
OTHER_VARIABLES = frozenset({"ASCERTAIN_API_KEY", "ASCERTAIN_GRAPH_KEY", "ASCERTAIN_BENCH"})
"""Variables with our prefix that are never settings: a client's key of the service, the password of a graph's server, where
the evaluation data is.
"""

SHORT_VARIABLES = {"RERANKING_STRATEGY": "retrieval.reranking_strategy"}
"""Variables without our prefix, and the settings that they are of; the variable with the prefix wins."""


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """``origins`` has one entry for every setting: ``default``, ``profile news``, ``ascertain.toml``, ..."""

    settings: Settings
    origins: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Given:
    value: object
    origin: str


Layer = dict[str, _Given]


def load_settings(
    *,
    home: Path | None = None,
    config_file: Path | None = None,
    environ: Mapping[str, str],
    arguments: Mapping[str, object],
) -> LoadedSettings:
    """Merge all layers; a later one wins for each single value.

    ``config_file`` must exist when given; else ``ascertain.toml`` of the current folder is read, or the one in the
    home. ``arguments`` maps dotted keys to values; None means not given. Raises ConfigurationError with one line that
    names the key, the value, where it came from and what is allowed.
    """
    given = {key: value for key, value in arguments.items() if value is not None}
    if home is not None:
        given["home"] = home
    top = _environment_layer(environ) | _argument_layer(given)
    file_layer = _file_layer(_find_config(config_file, _given_path(top.get("home")) or _default_home()))
    upper = file_layer | top
    profile_layer = _profile_layer(upper)
    merged = profile_layer | upper
    settings = _validate_settings(merged)
    _refuse_unknown(environ, settings)
    origins = {key: merged[key].origin if key in merged else "default" for key in leaves_by_key()}
    return LoadedSettings(settings, origins)


def flatten_settings(settings: Settings) -> dict[str, object]:
    """Every value by its dotted key, in the order of the models."""
    return {key: _value_at(settings, key) for key in leaves_by_key()}


def _value_at(settings: Settings, key: str) -> object:
    value: object = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _default_home() -> Path:
    return cast(Path, leaves_by_key()["home"].default)


def _given_path(given: _Given | None) -> Path | None:
    return Path(str(given.value)).expanduser() if given is not None else None


def _find_config(config_file: Path | None, home: Path) -> Path | None:
    if config_file is not None:
        if not config_file.is_file():
            raise ConfigurationError(f"{config_file}: no such configuration file; check the path given by --config")
        return config_file
    for candidate in (Path(CONFIG_NAME), home / CONFIG_NAME):
        if candidate.is_file():
            return candidate
    return None


def _file_layer(path: Path | None) -> Layer:
    if path is None:
        return {}
    layer = _build_layer(read_toml(path), str(path))
    if "home" in layer:
        # A home in a file means the same folder wherever the command is started.
        folder = path.parent / Path(str(layer["home"].value)).expanduser()
        layer["home"] = _Given(folder, layer["home"].origin)
    return layer


def _profile_layer(upper: Layer) -> Layer:
    named = upper.get("profile")
    name = str(named.value) if named is not None else str(leaves_by_key()["profile"].default)
    home = _given_path(upper.get("home")) or _default_home()
    try:
        profile = load_profile(name, home / "profiles")
    except ConfigurationError as error:
        origin = f" (from {named.origin})" if named is not None else ""
        raise ConfigurationError(f"{error}{origin}") from error
    layer = _build_layer(profile.settings, f"profile {name}")
    for key in ("home", "profile"):
        if key in layer:
            raise ConfigurationError(f"{key}: profile {name} must not set it; remove it from the profile's [settings]")
    return layer


def _environment_layer(environ: Mapping[str, str]) -> Layer:
    layer: Layer = {
        key: _Given(environ[variable], f"environment {variable}")
        for variable, key in SHORT_VARIABLES.items()
        if environ.get(variable, "").strip()
    }
    for variable, value in environ.items():
        # An empty variable counts as not set, as in most programs.
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in OTHER_VARIABLES or not value.strip():
            continue
        key = _key_of(variable)
        if key in leaves_by_key():
            layer[key] = _Given(value_of(key, value), f"environment {variable}")
    return layer


def _key_of(variable: str) -> str:
    return variable.removeprefix(ENVIRONMENT_PREFIX).lower().replace("__", ".")


def _refuse_unknown(environ: Mapping[str, str], settings: Settings) -> None:
    """Raise for variables with our prefix that are neither a setting nor the place of a secret."""
    named = {key: value for key, value in flatten_settings(settings).items() if key.endswith("key_variable")}
    secrets = {*named.values(), *(leaves_by_key()[key].default for key in named)}
    for variable, value in environ.items():
        is_ours = variable.startswith(ENVIRONMENT_PREFIX) and variable not in OTHER_VARIABLES
        if is_ours and value.strip() and variable not in secrets and _key_of(variable) not in leaves_by_key():
            valid = [variable_of(known) for known in leaves_by_key()]
            raise ConfigurationError(f"{variable}: unknown setting in the environment{did_you_mean(variable, valid)}")


def value_of(key: str, text: str) -> object:
    """What ``text`` gives the setting ``key``: a list has its values with commas, or is a JSON array."""
    if not leaves_by_key()[key].is_list:
        return text
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text  # refused later, with what is allowed
    return [part.strip() for part in text.split(",") if part.strip()]


def parse_value(key: str, text: str) -> object:
    """The value that ``text`` gives ``key``, of the setting's own type.

    Raises ConfigurationError for an unknown key or a value that is not allowed.
    """
    require_setting(key, "the command")
    return _value_at(_validate_settings({key: _Given(value_of(key, text), "the command")}), key)


def require_setting(key: str, origin: str) -> None:
    """Raise ConfigurationError where no setting has this dotted key; ``origin`` is where it was named."""
    if key not in leaves_by_key():
        raise ConfigurationError(_explain_unknown(key, origin))


def variable_of(key: str) -> str:
    """The environment variable that sets ``key``: ``ASCERTAIN_RETRIEVAL__TOP_K`` for ``retrieval.top_k``."""
    return ENVIRONMENT_PREFIX + key.upper().replace(".", "__")


def _argument_layer(arguments: Mapping[str, object]) -> Layer:
    layer: Layer = {}
    for key, value in arguments.items():
        origin = f"argument --{key.rpartition('.')[2].replace('_', '-')}"
        require_setting(key, origin)
        layer[key] = _Given(value, origin)
    return layer


def _build_layer(tables: Mapping[str, object], origin: str) -> Layer:
    return {key: _Given(value, origin) for key, value in flatten_tables(tables, origin)}


def flatten_tables(tables: Mapping[str, object], origin: str, prefix: str = "") -> Iterator[tuple[str, object]]:
    """The settings in nested ``tables`` by dotted key; ConfigurationError naming ``origin`` for an unknown one."""
    for name, value in tables.items():
        key = prefix + name
        if key in sections_by_key():
            if not isinstance(value, Mapping):
                raise ConfigurationError(f"{key} in {origin} is a section: write [{key}] and its settings below it")
            yield from flatten_tables(cast("Mapping[str, object]", value), origin, f"{key}.")
        elif key in leaves_by_key():
            yield key, value
        else:
            raise ConfigurationError(_explain_unknown(key, origin))


def _explain_unknown(key: str, origin: str) -> str:
    if key in sections_by_key():
        return f"{key} in {origin} is a section; `ascertain config get {key}` lists its settings"
    return f"{key}: unknown setting in {origin}{did_you_mean(key, [*leaves_by_key(), *sections_by_key()])}"


def _validate_settings(merged: Layer) -> Settings:
    nested: dict[str, object] = {}
    for key, given in merged.items():
        *path, name = key.split(".")
        table = nested
        for part in path:
            table = cast("dict[str, object]", table.setdefault(part, {}))
        table[name] = given.value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ConfigurationError(_bad_value(problems[0], merged) + more) from error


def _bad_value(problem: ErrorDetails, merged: Layer) -> str:
    # a number in the place is that of a value in a list
    key = ".".join(part for part in problem["loc"] if isinstance(part, str))
    message = problem["msg"].removeprefix("Value error, ")
    leaf = leaves_by_key().get(key)
    if leaf is None:
        # Values that contradict each other: named are those of the section that were set.
        culprits = [f"{k} from {given.origin}" for k, given in merged.items() if k.startswith(f"{key}.")]
        return f"{key}: {message} ({'; '.join(culprits)})"
    given = merged[key]
    kind = f"{leaf.type}, with commas or as an array" if leaf.is_list else leaf.type
    allowed = f"{kind}, {leaf.allowed}" if leaf.allowed else kind
    return f"{key} = {given.value!r} in {given.origin}: not allowed; expected {allowed}"
