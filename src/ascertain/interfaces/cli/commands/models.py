"""``ascertain models``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import print_table, strip_control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ascertain.core.service.model_choice import (
        ConfiguredModel,
        ConfiguredModels,
        FoundServer,
        ModelTrial,
        ServedModel,
    )
    from ascertain.core.settings import ModelSettings


@spread_options
def list_models(context: typer.Context, shared: SharedOptions) -> None:
    """Show the models in use. Says what each does, where it runs, and whether its package and its key are present.

    Nothing is loaded and no server is called. Of a key, only whether it is set is shown. `models find` looks for servers on this
    machine, `models try` tries a chat model.

    \b
    Examples:
      ascertain models
      ascertain models find
      ascertain models try ollama:qwen3:4b
    """
    if context.invoked_subcommand is not None:
        context.obj = Invocation(context, shared).options
        return
    from ascertain.app.choosing.configured import describe_models

    invocation = Invocation(context, shared)
    invocation.present(describe_models(invocation.settings().settings.models), _show_configured)


def _show_configured(out: Console, held: ConfiguredModels) -> None:
    columns = ("role", "model", "where", "for", "package", "key", "missing")
    print_table(out, columns, map(_row_of_model, held.models), elastic=6)
    if held.preset:
        out.print(f"tier {held.tier}: models of {held.preset}", markup=False)
    if not held.has_chat:
        out.print(
            "No chat model: answers are made by rules. Look for one on this machine: ascertain models find",
            markup=False,
        )


def _row_of_model(model: ConfiguredModel) -> tuple[str, ...]:
    key = f"{model.key_variable} {'set' if model.is_key_set else 'not set'}" if model.key_variable else ""
    package = f"{model.package}{'' if model.is_installed else ' not installed'}"
    return (model.role, model.name, model.where, ", ".join(model.tasks), package, key, model.problem)


@spread_options
def find_models(context: typer.Context, shared: SharedOptions) -> None:
    """Look for servers of models on this machine, and print the settings that use them.

    Calls 127.0.0.1 at the default ports: Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000. No other address is called.

    \b
    Examples:
      ascertain models find
      ascertain models find --json
    """
    from ascertain.app.choosing.servers import USUAL_PLACES, find_servers

    invocation = Invocation(context, shared)
    servers = find_servers(USUAL_PLACES)
    if invocation.as_json:
        invocation.emit(list(servers))
        return
    for server in servers:
        _show_server(invocation.out, server)
    if not any(server.models for server in servers):
        asked = ", ".join(f"{place.kind} at {place.address}" for place in USUAL_PLACES)
        invocation.out.print(f"No server with a model on this machine. Asked: {asked}", markup=False)


def _show_server(out: Console, server: FoundServer) -> None:
    out.print(f"{server.kind} at {server.address}", style="bold", markup=False)
    if server.problem:
        out.print(strip_control(server.problem), markup=False)
    for model in server.models:
        about = f" ({strip_control(model.about)})" if model.about else ""
        out.print(f"{model.name}{about}: {_describe_use(model)}", markup=False)
        _print_lines(out, model.configuration)


def _describe_use(model: ServedModel) -> str:
    return "embedding model, in ascertain.toml" if model.is_embedder else "chat model, in ascertain.toml"


def _print_lines(out: Console, lines: str) -> None:
    for line in lines.splitlines():
        out.print(f"    {line}".rstrip(), markup=False, soft_wrap=True)


@spread_options
def try_models(
    context: typer.Context,
    shared: SharedOptions,
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]",
            help="As in models.chat.model, or a provider.  [default: each of the settings]",
            show_default=False,
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", metavar="ADDRESS", help="Its OpenAI-compatible server.  [default: models.chat.base_url]"
        ),
    ] = None,
) -> None:
    """Try a chat model with three small tasks: a structured reply, quoting from a passage, judging claims with controls.

    Shows what it is good for, how long it took, how many tokens it used, and which settings to use. Sends three short prompts of
    about 400 tokens with none of your data; a provider bills them. Exits with 1 when a model is unusable.

    \b
    Examples:
      ascertain models try
      ascertain models try ollama:qwen3:4b
      ascertain models try qwen3-8b --base-url http://127.0.0.1:8080/v1
    """
    from ascertain.app.choosing.trial import try_model

    invocation = Invocation(context, shared)
    named = {} if model is None else {"models.chat.model": model, "models.chat.tier": "none"}
    models = invocation.settings({**named, "models.chat.base_url": base_url}).settings.models
    chat = models.chat
    trials: list[ModelTrial] = []
    for name in _list_chat_models(models):
        with invocation.err.status(f"trying {name}"):
            trials.append(try_model(name, chat))
        if not invocation.as_json:
            _show_trial(invocation.out, trials[-1])
    if invocation.as_json:
        invocation.emit(list(trials))
    if not all(trial.good_for for trial in trials):
        raise typer.Exit(1)


def _list_chat_models(models: ModelSettings) -> Sequence[str]:
    from ascertain.app.choosing.configured import describe_models

    held = describe_models(models)
    names = [each.name for each in held.models if each.role == "chat" and each.tasks]
    if not names:
        problem = next((each.problem for each in held.models if each.role == "chat"), "no chat model is set")
        raise UsageError(
            f"{problem}; give one: ascertain models try ollama:qwen3:4b, or look for one: ascertain models find"
        )
    return names


def _show_trial(out: Console, trial: ModelTrial) -> None:
    out.print(f"{trial.model} ({trial.where})", style="bold", markup=False)
    rows = [
        (
            result.name.value,
            "passed" if result.is_passed else "failed",
            result.finding,
            f"{result.seconds:.1f} s",
            f"{result.input_tokens:,} in, {result.output_tokens:,} out",
        )
        for result in trial.results
    ]
    print_table(out, ("task", "", "finding", "time", "tokens"), rows, elastic=2)
    out.print(f"good for: {', '.join(trial.good_for) or 'nothing'}", markup=False)
    for line in trial.advice:
        out.print(line, markup=False)
    if trial.configuration:
        out.print("in ascertain.toml:", markup=False)
        _print_lines(out, trial.configuration)
