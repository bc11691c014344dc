"""Option groups: several command-line options that travel together as one dataclass.

A command names a group as the type of one parameter; ``grouped`` spreads its fields into options of the command and
hands the command the finished group. So every command that filters documents filters by the same options, written once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, get_type_hints

import typer

from ascertain.core.documents import DocumentKind
from ascertain.core.passages import Strategy


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """What every command takes, before or after its name."""

    home: Annotated[
        Path | None,
        typer.Option("--home", metavar="DIR", help="Folder of the knowledge base.  [default: .ascertain]"),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Settings file instead of ascertain.toml."),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="Domain: docs, news, papers, podcasts or your own.  [default: docs]",
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False

    def over(self, earlier: SharedOptions) -> SharedOptions:
        """These options, and where one was not given, the one given before the command's name."""
        return SharedOptions(
            home=self.home or earlier.home,
            config=self.config or earlier.config,
            profile=self.profile or earlier.profile,
            as_json=self.as_json or earlier.as_json,
            debug=self.debug or earlier.debug,
        )


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Which documents a command looks at; turned into a filter by ``cli.filters``."""

    kind: Annotated[
        list[DocumentKind] | None, typer.Option("--kind", help="Only documents of this kind; repeatable.")
    ] = None
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="PATH", help="Only this file, folder or 'prefix*'; repeatable."),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only documents with this tag; repeatable."),
    ] = None
    document: Annotated[
        list[str] | None, typer.Option("--document", metavar="ID", help="Only this document; repeatable.")
    ] = None
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only published on this day or later.")
    ] = None
    before: Annotated[
        str | None, typer.Option("--before", metavar="DATE", help="Only published before this day.")
    ] = None


@dataclass(frozen=True, slots=True)
class MaterialOptions(FilterOptions):
    """The same for commands that hold no conversation themselves."""

    conversation: Annotated[
        str | None,
        typer.Option("--conversation", metavar="ID", help="Only material added for this conversation."),
    ] = None


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """How a question is looked up."""

    strategy: Annotated[
        Strategy | None,
        typer.Option("--strategy", help="Search by meaning, by words or both.  [default: hybrid]"),
    ] = None
    days_back: Annotated[
        int | None,
        typer.Option(
            "--days-back", metavar="N", help="Only the last N days (1 to 365), whatever the question says."
        ),
    ] = None
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Pretend that today is this day.")
    ] = None


class TimeRange(StrEnum):
    """How far back articles go."""

    ANY = "any"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class NewsOptions:
    """What is fetched for a question."""

    news: Annotated[
        bool,
        typer.Option("--news", help="Answer from news fetched for this question, not from the documents."),
    ] = False
    time_range: Annotated[
        TimeRange | None,
        typer.Option("--time-range", help="How far back fetched articles go.  [default: news.time_range]"),
    ] = None
    max_articles: Annotated[
        int | None,
        typer.Option("--max-articles", metavar="N", help="Articles fetched.  [default: news.max_articles]"),
    ] = None

    @property
    def asked(self) -> Asked:
        """As ``Ascertain.ask`` takes them."""
        return {
            "mode": "news" if self.news else "documents",
            "time_range": self.time_range.value if self.time_range else None,
            "max_articles": self.max_articles,
        }


class Asked(TypedDict):
    """Arguments of ``Ascertain.ask`` about news."""

    mode: Literal["documents", "news"]
    time_range: str | None
    max_articles: int | None


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each parameter whose type is a dataclass spread into the options of that dataclass."""
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type[Any]] = {
        name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)
    }
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name in groups:
            parameters += _parameters_of(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def spread(**given: Any) -> None:
        built = {name: group(**_taken(given, group)) for name, group in groups.items()}
        command(**given, **built)

    # typer reads the signature and the annotations; following __wrapped__ would show it the groups instead
    del spread.__wrapped__
    spread.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spread


def _parameters_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(group)
    ]


def _taken(given: dict[str, Any], group: type[Any]) -> Mapping[str, Any]:
    return {field.name: given.pop(field.name) for field in fields(group)}
