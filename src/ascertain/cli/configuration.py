"""``ascertain config``."""

from __future__ import annotations

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    config = typer.Typer(name="config", help="Look at the settings.", rich_markup_mode=None)
    config.command("show")(show)
    config.command("path")(path)
    app.add_typer(config)


@grouped
def show(context: typer.Context, shared: SharedOptions) -> None:
    """List every setting with its value and where it came from.

    Later layers win: default, profile, ascertain.toml, environment (ASCERTAIN_RETRIEVAL__TOP_K=5), command line.

    \b
    Examples:
      ascertain config show
      ascertain config show --profile news --json
    """
    from ascertain.app.json_shapes import settings_shape, shown_settings

    invocation = Invocation(context, shared)
    loaded = invocation.settings()
    if invocation.as_json:
        invocation.emit(settings_shape(loaded))
        return
    from ascertain.cli.tables import print_table

    rows = [
        (key, "none" if value is None else str(value), loaded.origins[key])
        for key, value in shown_settings(loaded.settings).items()
    ]
    print_table(invocation.out, ("setting", "value", "from"), rows, elastic=2)


@grouped
def path(context: typer.Context, shared: SharedOptions) -> None:
    """Print the settings file in use, or where one would be read from.

    \b
    Example:
      $EDITOR "$(ascertain config path)"
    """
    invocation = Invocation(context, shared)
    file, exists = invocation.settings_file()
    if invocation.as_json:
        invocation.emit({"path": str(file), "exists": exists})
        return
    typer.echo(file)
    if not exists:
        typer.echo("(does not exist yet; all settings are defaults or from the environment)", err=True)
