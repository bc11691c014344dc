"""The ``ascertain`` command: its subcommands and the options before them."""

from typing import Annotated

import typer

from ascertain.cli.commands import (
    analyze,
    ask,
    chat,
    comparison,
    configuration,
    conversations,
    database,
    demo,
    documents,
    evaluation,
    golden,
    graph,
    migrate,
    models,
    reading,
    research,
    service,
    status,
    transcribe,
    tuning,
    ui,
    workflow,
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
for name, command in {
    "add": documents.add_sources,
    "read": reading.read_files,
    "transcribe": transcribe.transcribe_recordings,
    "search": ask.search_passages,
    "ask": ask.ask_question,
    "chat": chat.chat_with_documents,
    "analyze": analyze.analyze_documents,
    "research": research.research_subject,
    "check": research.check_claim,
    "conversations": conversations.list_conversations,
    "documents": documents.list_documents,
    "show": reading.show_document,
    "delete": documents.delete_documents,
    "stats": status.show_stats,
    "doctor": status.run_doctor,
    "feedback": conversations.give_feedback,
    "reindex": database.reindex_store,
    "migrate": migrate.migrate_store,
    "demo": demo.run_demo,
    "tune": tuning.tune_settings,
    "workflow": workflow.show_workflow,
    "serve": service.serve_knowledge,
    "ui": ui.open_page,
    "mcp": service.serve_mcp,
}.items():
    app.command(name)(command)

jobs = typer.Typer(name="jobs", rich_markup_mode=None, invoke_without_command=True)
jobs.callback()(service.list_jobs)
jobs.command("retry")(service.retry_failed)
app.add_typer(jobs)

chosen = typer.Typer(name="models", rich_markup_mode=None, invoke_without_command=True)
chosen.callback()(models.list_models)
chosen.command("find")(models.find_models)
chosen.command("try")(models.try_models)
app.add_typer(chosen)

for group, help_text, commands in (
    (
        "graph",
        "Look at who and what the documents name, and how they relate it.",
        {
            "build": graph.build_graph,
            "stats": graph.show_stats,
            "entities": graph.list_entities,
            "entity": graph.show_entity,
            "path": graph.show_path,
            "export": graph.export_graph,
            "merge": graph.merge_names,
            "split": graph.split_names,
            "merges": graph.list_merges,
        },
    ),
    (
        "keys",
        "Manage the API keys of the service.",
        {"add": service.add_key, "list": service.show_keys, "revoke": service.refuse_key},
    ),
    ("db", "Look after the schema of the store.", {"upgrade": database.upgrade_schema, "status": database.show_schema}),
    (
        "config",
        "Look at the settings and change them.",
        {"show": configuration.show_settings, "path": configuration.print_path, "set": configuration.set_value},
    ),
    (
        "eval",
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
):
    below = typer.Typer(name=group, help=help_text, rich_markup_mode=None)
    for name, command in commands.items():
        below.command(name)(command)
    app.add_typer(below)
