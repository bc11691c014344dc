"""The ``ascertain`` command: its subcommands and the options before them."""

from __future__ import annotations

from typing import Annotated

import typer

from ascertain.cli.commands import (
    ask,
    chat,
    configuration,
    conversations,
    database,
    demo,
    documents,
    evaluation,
    graph,
    migrate,
    service,
    status,
    ui,
)
from ascertain.cli.options import SharedOptions, spread_options

HELP_OPTIONS = ("-h", "--help")

app = typer.Typer(
    name="ascertain",
    # plain help: rich panels are unreadable in pipes and cost start-up time
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": list(HELP_OPTIONS), "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from ascertain import __version__

        typer.echo(f"ascertain {__version__}")
        raise typer.Exit


@app.callback()
@spread_options
def before_command(
    context: typer.Context,
    shared: SharedOptions,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Ask your own documents; get answers made of exact quotations, or an honest "I could not find that".

    Works offline: no key, no server, no network.

    \b
    Examples:
      ascertain demo                            see it work on a small built-in corpus
      ascertain add notes/ papers/*.pdf         read documents into ./.ascertain
      ascertain ask "how do refunds work?"      an answer with numbered citations
      ascertain search "refund" --k 5           the passages behind it
    """
    context.obj = shared
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


# in the order of the help
for register in (
    documents.register_add,
    ask.register_search,
    ask.register_ask,
    chat.register_chat,
    conversations.register_conversations,
    documents.register_documents,
    graph.register_graph,
    status.register_status,
    conversations.register_feedback,
    service.register_keys,
    service.register_jobs,
    database.register_reindex,
    migrate.register_migrate,
    database.register_db,
    configuration.register_config,
    demo.register_demo,
    evaluation.register_eval,
    evaluation.register_tune,
    service.register_serve,
    ui.register_ui,
    service.register_mcp,
):
    register(app)
