"""``ascertain db`` and ``ascertain reindex``: the schema of the store, and its vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import counted_progress

if TYPE_CHECKING:
    from ascertain.core.service.status import SchemaChange

_NOTE = re.compile(r'\[models\]\nembedder = "[^\n]*"\n')
"""What ``_remember_model`` writes."""


@spread_options
def create_schema(context: typer.Context, shared: SharedOptions) -> None:
    """Set up an empty database for documents.

    The first `add` does it too; this is for a user of the database who may create schemas, before a service runs as one who
    may not. Running it again, or on several machines at once, is safe.

    \b
    Example:
      ascertain db create
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        change = knowledge.create_schema()
        place = knowledge.place
    if not _emit_json(invocation, change):
        what = "exists already" if change.before else "was created"
        invocation.out.print(f"{place}: schema {change.after} {what}", markup=False)


@spread_options
def show_schema(context: typer.Context, shared: SharedOptions) -> None:
    """Show the version of the store's schema, and whether this version of Ascertain can use it.

    \b
    Example:
      ascertain db status --json
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        change = knowledge.read_schema()
        place = knowledge.place
    if not _emit_json(invocation, change):
        what = f"schema {change.before}" if change.before else "no schema yet: run ascertain db create"
        invocation.out.print(f"{place}: {what}", markup=False)


def _emit_json(invocation: Invocation, change: SchemaChange) -> bool:

    if invocation.as_json:
        invocation.emit(change)
    return invocation.as_json


@spread_options
def reindex_store(
    context: typer.Context,
    shared: SharedOptions,
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="A value of models.embedder: a built-in name, a folder, openai:NAME ...; by default the configured one.",
        ),
    ] = None,
    topics: Annotated[
        bool, typer.Option("--topics", help="Name all topics again, by the chat model if there is one.")
    ] = False,
) -> None:
    """Move to another embedding model. Adds topics where there are none.

    Without downtime: searches use the old vectors until all new ones are ready. Interrupted, the same command
    continues.

    \b
    Examples:
      ascertain reindex all-MiniLM-L6-v2
      ascertain reindex models/my-encoder/
      ascertain reindex openai:text-embedding-3-small
    """
    invocation = Invocation(context, shared)
    if model is not None and Path(model).is_dir():
        model = str(Path(model).resolve())
    with invocation.open() as knowledge, counted_progress(invocation.err, "embedding") as bar:
        done = knowledge.reindex(model, bar)
        if topics:
            knowledge.tag_topics(again=True)
        embedder = knowledge.settings.models.embedder
        is_shared = knowledge.settings.store.is_shared
    is_configured = invocation.settings().settings.models.embedder == embedder
    # other machines that share the knowledge base do not read this file
    file, written = (None, False) if is_configured or is_shared else _remember_model(invocation, embedder)
    if invocation.as_json:
        from ascertain.app.wire.holdings import ReindexedJson

        noted = str(file) if written else None
        invocation.emit(ReindexedJson(chunks=done, embedder=embedder, settings_file=noted))
        return
    invocation.out.print(f"{format_count(done, 'chunk')} embedded with {embedder}", markup=False)
    if is_shared and not is_configured:
        instruction = f"now set models.embedder = {json.dumps(embedder)} on every machine that uses {knowledge.place}"
        invocation.out.print(instruction, markup=False)
    elif file is not None:
        what = "noted in" if written else f"now set models.embedder = {json.dumps(embedder)} in"
        invocation.out.print(f"{what} {file}", markup=False)


def _remember_model(invocation: Invocation, embedder: str) -> tuple[Path, bool]:
    """Note the model in the home's settings file unless the user wrote one, which is never edited."""
    from ascertain.core.settings.layers import CONFIG_NAME

    file, exists = invocation.settings_file()
    if exists and not _NOTE.fullmatch(file.read_text(encoding="utf-8")):
        return file, False
    file = file if exists else invocation.settings().settings.home / CONFIG_NAME
    # a JSON string is a TOML basic string
    file.write_text(f"[models]\nembedder = {json.dumps(embedder)}\n", encoding="utf-8")
    return file, True
