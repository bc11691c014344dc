"""``ascertain config``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ascertain.app.choosing.settings_file import TomlValue


@spread_options
def show_settings(context: typer.Context, shared: SharedOptions) -> None:
    """List every setting with its value and where it came from.

    Later layers win: default, profile, ascertain.toml, environment (ASCERTAIN_RETRIEVAL__TOP_K=5), command line.

    \b
    Examples:
      ascertain config show
      ascertain config show --profile news --json
    """
    from ascertain.app.container.store_addresses import settings_without_secrets
    from ascertain.app.wire.holdings import describe_settings

    invocation = Invocation(context, shared)
    loaded = invocation.settings()
    values = settings_without_secrets(loaded.settings)
    if invocation.as_json:
        invocation.emit(describe_settings(values, loaded.origins))
        return

    _print_values(invocation, values, loaded.origins)


def _print_values(invocation: Invocation, values: Mapping[str, object], origins: Mapping[str, str]) -> None:
    rows = [(key, _format_value(value), origins[key]) for key, value in values.items()]
    print_table(invocation.out, ("setting", "value", "from"), rows, elastic=2)


@spread_options
def get_value(
    context: typer.Context,
    shared: SharedOptions,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Which setting, as `config show` names it, or a section.")],
) -> None:
    """Print the value of one setting, and on standard error where it came from. For a section, list all.

    \b
    Examples:
      ascertain config get retrieval.top_k
      ascertain config get models.chat
      ascertain config get models.chat.model --json
    """
    from ascertain.app.container.store_addresses import settings_without_secrets
    from ascertain.app.wire.holdings import describe_settings
    from ascertain.core.settings.layers import require_setting

    invocation = Invocation(context, shared)
    loaded = invocation.settings()
    every = settings_without_secrets(loaded.settings)
    if section := {name: value for name, value in every.items() if name.startswith(f"{key}.")}:
        if invocation.as_json:
            invocation.emit(describe_settings(section, loaded.origins))
        else:
            _print_values(invocation, section, loaded.origins)
        return
    require_setting(key, "the command")
    values = {key: every[key]}
    if invocation.as_json:
        invocation.emit(describe_settings(values, loaded.origins)[key])
        return
    typer.echo(_format_value(values[key]))
    typer.echo(f"(from {loaded.origins[key]})", err=True)


@spread_options
def print_path(context: typer.Context, shared: SharedOptions) -> None:
    """Print the settings file in use, or the path where one would be read.

    \b
    Example:
      $EDITOR "$(ascertain config path)"
    """
    invocation = Invocation(context, shared)
    file, exists = invocation.settings_file()
    if invocation.as_json:
        from ascertain.app.wire.holdings import SettingsFileJson

        invocation.emit(SettingsFileJson(path=str(file), exists=exists))
        return
    typer.echo(file)
    if not exists:
        typer.echo("(does not exist yet; all settings are defaults or from the environment)", err=True)


@spread_options
def set_value(
    context: typer.Context,
    shared: SharedOptions,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Which setting, as `config show` names it.")],
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="Its value; those of a list with commas, or a JSON array.")
    ],
) -> None:
    """Check one setting and write it into the settings file; the rest of the file stays as it is.

    The file is the one that `config path` names.

    \b
    Examples:
      ascertain config set retrieval.top_k 5
      ascertain config set news.providers tavily,rss
      ascertain config set news.rss.urls https://example.org/feed.xml --config team.toml
    """
    from ascertain.app.choosing.settings_file import set_values
    from ascertain.core.settings.layers import parse_value

    invocation = Invocation(context, shared)
    checked = parse_value(key, value)
    # it must be valid together with the other settings too
    invocation.settings({key: checked})
    file, _ = invocation.settings_file()
    set_values(file, {key: _toml_value(checked)})
    origin = invocation.settings().origins[key]
    if invocation.as_json:
        from ascertain.app.wire.holdings import ChangedSettingJson

        invocation.emit(ChangedSettingJson(key=key, value=_toml_value(checked), path=str(file), in_force=origin))
        return
    typer.echo(f"{key} = {_format_value(checked)} in {file}")
    if Path(origin).resolve() != file.resolve():
        typer.echo(f"({origin} has it too, and wins)", err=True)


def _toml_value(value: object) -> TomlValue:
    if isinstance(value, tuple):
        return [str(part) for part in cast("tuple[object, ...]", value)]
    return value if isinstance(value, (bool, int, float)) else str(value)


def _format_value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in cast("tuple[object, ...]", value)) or "none"
    return "none" if value is None else str(value)
