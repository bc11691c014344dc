"""``ascertain read`` and ``show``: what adding a file would store, and what is stored of a document, block by block."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.blocks import LAYOUT, Block, BlockKind
from ascertain.core.documents.ingest import Failure
from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.commands.documents.documents import print_failures
from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import format_date, strip_control

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.documents.documents import Document

Outline = Annotated[bool, typer.Option("--outline", help="Only headings.")]
NAME_COLUMNS = 12
"""Width of the kind of a block before its text."""


@spread_options
def read_files(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="FILE", help="Files, or folders of them.")],
    shared: SharedOptions,
    outline: Outline = False,
) -> None:
    """Show what adding files would store and leave out.

    Nothing is stored. For each document: title, date and author as they would be cited, how much of the visible words of the file
    would be stored, and its text as headings, paragraphs, items, tables and so on, with the place that a citation would name.

    \b
    Examples:
      ascertain read contract.docx
      ascertain read handbook/ --outline
      ascertain read prices.xlsx --json | jq .[0].completeness.label
    """
    from ascertain.app.adding.previews import preview_files
    from ascertain.app.wire.documents import DocumentTreeJson

    invocation = Invocation(context, shared)
    failures: list[Failure] = []
    documents: list[Document] = []
    for found in preview_files(paths, invocation.settings().settings):
        if isinstance(found, Failure):
            failures.append(found)
        elif invocation.as_json:
            documents.append(found)
        else:
            print_document(invocation.out, found, outline=outline)
    if invocation.as_json:
        invocation.emit([DocumentTreeJson.from_noun(each) for each in documents])
    print_failures(invocation.err, failures)
    if failures:
        raise typer.Exit(1)


@spread_options
def show_document(
    context: typer.Context,
    document: Annotated[
        str,
        typer.Argument(metavar="DOCUMENT", help="Its id as 'documents' lists it, its file, or the end of its source."),
    ],
    shared: SharedOptions,
    outline: Outline = False,
) -> None:
    """Show what is stored of a document and what was left out.

    \b
    Examples:
      ascertain show 3f2a9c0d1b7e4a55c0de
      ascertain show contract.docx
      ascertain show contract.docx --outline
    """
    from ascertain.app.wire.documents import DocumentTreeJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        stored = _find_document(knowledge, document)
    invocation.present(stored, lambda out, noun: print_document(out, noun, outline=outline), DocumentTreeJson)


@spread_options
def open_document(
    context: typer.Context,
    document: Annotated[
        str,
        typer.Argument(metavar="DOCUMENT", help="Its id as 'documents' lists it, its file, or the end of its source."),
    ],
    shared: SharedOptions,
) -> None:
    """Open the original of a document: its file or web page.

    It is shown by the default program of this machine. Its address is printed in any case. Uploads to a service are shown by its page.

    \b
    Examples:
      ascertain open contract.docx
      ascertain open 3f2a9c0d1b7e4a55c0de
    """
    from ascertain.app.wire.documents import OpenedJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        source = _find_document(knowledge, document).source
    place = _find_original(source)
    opened = OpenedJson(place=place, opened=typer.launch(place) == 0)
    if invocation.as_json:
        invocation.emit(opened)
    else:
        invocation.out.print(opened.place, markup=False, soft_wrap=True)


def _find_original(source: str) -> str:
    """The address or the file of a source, for a file in an archive, the archive; raises UsageError if there is none."""
    if source.startswith(("http://", "https://")):
        return source
    path = Path(source if Path(source).is_file() else source.partition("#")[0])
    if not path.is_absolute():
        raise UsageError(
            f"{source}: there is no file or page of it; 'ascertain show' prints what is stored, 'ascertain ui' shows it"
        )
    if not path.is_file():
        raise UsageError(f"{path} no longer exists; 'ascertain show' prints what is stored")
    return str(path)


def _find_document(knowledge: Ascertain, name: str) -> Document:
    """The document with this id, or the only one whose source is or ends with it; raises UsageError for none or several."""
    document = knowledge.document(name)
    if document is not None:
        return document
    path = Path(name).expanduser()
    whole = str(path.resolve()) if path.exists() else name
    records = knowledge.documents(Filter(sources=(whole, f"{whole}#*"))) or [
        record for record in knowledge.documents() if record.source.endswith(f"/{name}") or record.title == name
    ]
    if len(records) > 1:
        listed = ", ".join(f"{record.id} ({record.source})" for record in records[:5])
        raise UsageError(f"{name}: {len(records)} documents have this name; give the id of one: {listed}")
    stored = knowledge.document(records[0].id) if records else None
    if stored is None:
        raise UsageError(f"{name}: no such document; 'ascertain documents' lists ids and sources")
    return stored


def print_document(console: Console, document: Document, *, outline: bool = False) -> None:
    """The facts of a document in lines, then its blocks, each with its kind, indented as they lie in each other."""
    console.print(Text(strip_control(document.title), style="bold"))
    facts = (document.kind.value, format_date(document.published_at), document.author or "", document.language or "")
    console.print(Text(f"{strip_control(document.source)}  {', '.join(filter(None, facts))}", style="dim"))
    found = document.completeness
    if found is not None:
        style = "dim" if found.is_complete else "bold yellow"
        console.print(Text(f"stored: {strip_control(found.label)}", style=style))
    console.print()
    place = ""
    for block in document.tree.content() or document.blocks_of(BlockKind.TURN):
        if outline and block.kind is not BlockKind.HEADING:
            continue
        before, place = place, _name_place(document, block)
        if place != before and place:
            console.print(Text(place, style="cyan"))
        _print_block(console, document, block)
    console.print()


def _name_place(document: Document, block: Block) -> str:
    """Page, part or speaker of a block; its headings are above it anyway."""
    label = document.place_of(block.span)
    return ", ".join(
        filter(None, (f"p. {label.page}" if label.page else "", label.part or "", strip_control(label.speaker or "")))
    )


def _print_block(console: Console, document: Document, block: Block) -> None:
    """A block without those in it, which follow."""
    name = f"{block.kind.value} {block.level}" if block.kind is BlockKind.HEADING else block.kind.value
    hidden = " hidden" if block.is_hidden else ""
    children = () if block.kind in LAYOUT else document.tree.children_of(block)
    end = children[0].span.start if children else block.span.end
    indent = "  " * block.depth
    lines = document.text[block.span.start : end].rstrip().split("\n")
    for number, line in enumerate(lines if lines != [""] else [f"({block.label})" if block.label else ""]):
        head = f"{name}{hidden}" if number == 0 else ""
        shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in line)
        style = "bold" if block.kind is BlockKind.HEADING else ""
        console.print(Text.assemble((f"{head:<{NAME_COLUMNS}} ", "dim"), (f"{indent}{shown}", style)))
