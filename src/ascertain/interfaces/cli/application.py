"""The ``ascertain`` command: its subcommands and the options before them."""

from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from ascertain.interfaces.cli.commands import configuration, demo, models, start, status, workflow
from ascertain.interfaces.cli.commands.asking import analyze, ask, chat, conversations, research
from ascertain.interfaces.cli.commands.documents import documents, graph, reading, sources, transcribe
from ascertain.interfaces.cli.commands.evaluation import comparison, golden, tuning
from ascertain.interfaces.cli.commands.evaluation import measuring as evaluation
from ascertain.interfaces.cli.commands.operating import database, keys, migrate, service, users
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.panels import GroupedCommands

Command = Callable[..., None]
HELP_OPTIONS = ("-h", "--help")

app = typer.Typer(
    name="ascertain",
    cls=GroupedCommands,
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
        start.show_next_steps(Invocation(context, shared))


jobs = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
jobs.callback()(service.list_jobs)
jobs.command("retry")(service.retry_failed)

held = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
held.callback()(keys.show_keys)
for name, command in {
    "add": keys.add_key,
    "list": keys.show_keys,
    "rotate": keys.rotate_text,
    "revoke": keys.refuse_key,
}.items():
    held.command(name)(command)

people = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
people.callback()(users.show_users)
for name, command in {
    "add": users.add_person,
    "list": users.show_users,
    "password": users.set_password,
    "remove": users.remove_person,
}.items():
    people.command(name)(command)

chosen = typer.Typer(rich_markup_mode=None, invoke_without_command=True)
chosen.callback()(models.list_models)
chosen.command("find")(models.find_models)
chosen.command("try")(models.try_models)


def _group_commands(help_text: str, commands: Mapping[str, Command]) -> typer.Typer:
    group = typer.Typer(help=help_text, rich_markup_mode=None)
    for name, command in commands.items():
        group.command(name)(command)
    return group


PANELS: Mapping[str, Mapping[str, Command | typer.Typer]] = {
    "Ask": {
        "ask": ask.ask_question,
        "chat": chat.chat_with_documents,
        "search": ask.search_passages,
        "check": research.check_claim,
        "analyze": analyze.analyze_documents,
        "research": research.research_subject,
        "conversations": conversations.list_conversations,
        "feedback": conversations.give_feedback,
    },
    "Add": {
        "demo": demo.run_demo,
        "add": documents.add_sources,
        "read": reading.read_files,
        "transcribe": transcribe.transcribe_recordings,
        "delete": documents.delete_documents,
        "watch": sources.watch_sources,
        "source": _group_commands(
            "Read folders, sites, mailboxes and others again and again.",
            {
                "add": sources.add_source,
                "list": sources.list_sources,
                "sync": sources.sync_sources,
                "remove": sources.remove_source,
            },
        ),
    },
    "Look": {
        "documents": documents.list_documents,
        "show": reading.show_document,
        "open": reading.open_document,
        "stats": status.show_stats,
        "workflow": workflow.show_workflow,
        "graph": _group_commands(
            "Look at names in the documents and how they relate.",
            {
                "build": graph.build_graph,
                "stats": graph.show_stats,
                "entities": graph.list_entities,
                "entity": graph.show_entity,
                "path": graph.show_path,
                "communities": graph.list_communities,
                "export": graph.export_graph,
                "merge": graph.merge_names,
                "split": graph.split_names,
                "merges": graph.list_merges,
            },
        ),
    },
    "Serve": {
        "ui": service.open_page,
        "serve": service.serve_knowledge,
        "mcp": service.serve_mcp,
        "audit": keys.show_audit,
        "prune-audit": keys.prune_audit,
        "jobs": jobs,
        "keys": held,
        "users": people,
    },
    "Measure": {
        "tune": tuning.tune_settings,
        "eval": _group_commands(
            "Measure retrieval and answers on labelled sets.",
            {
                "retrieval": evaluation.measure_retrieval,
                "answers": evaluation.measure_answers,
                "asked": evaluation.measure_asked,
                "claims": evaluation.measure_claims,
                "abstention": evaluation.measure_abstention,
                "conversation": evaluation.measure_conversation,
                "run": evaluation.run_suite,
                "generate": golden.generate_questions,
                "validate": golden.validate_questions,
                "compare": comparison.compare_runs,
                "sweep": comparison.sweep_settings,
                "tiers": comparison.compare_tiers,
                "ragas": comparison.judge_with_ragas,
                "export": comparison.export_run,
            },
        ),
    },
    "Manage": {
        "doctor": status.run_doctor,
        "reindex": database.reindex_store,
        "migrate": migrate.migrate_store,
        "models": chosen,
        "kb": _group_commands("Knowledge bases by name, for use from any folder.", {"list": status.list_named}),
        "config": _group_commands(
            "Look at the settings and change them.",
            {
                "show": configuration.show_settings,
                "get": configuration.get_value,
                "set": configuration.set_value,
                "path": configuration.print_path,
            },
        ),
        "db": _group_commands(
            "Look after the schema of the store.", {"create": database.create_schema, "status": database.show_schema}
        ),
    },
}
"""The commands in the order of the help, grouped by purpose."""

for panel, commands in PANELS.items():
    for name, command in commands.items():
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(command)
