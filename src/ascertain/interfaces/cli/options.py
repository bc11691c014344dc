"""Shared by commands: groups of options, written once as dataclasses, and ``Invocation``, one run of a command.

A command names a group as the type of a parameter; ``spread_options`` makes options of its fields and passes the command
the finished group.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar, get_type_hints

import typer
from rich.console import Console

from ascertain.core.asking.passages import Strategy
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import AscertainError, MissingExtra, UsageError
from ascertain.core.settings.sources import TIME_RANGES

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.app.wire.shape import NounShape
    from ascertain.core.asking.passages import Filter
    from ascertain.core.asking.requests import AskOptions
    from ascertain.core.settings.layers import LoadedSettings

Noun = TypeVar("Noun")

PIPE_WIDTH = 10_000
"""Columns assumed when no terminal reads the output, so that a line of text stays a line."""
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, an alias or an id.")]
First = Annotated[str, typer.Argument(metavar="A", help="A name, an alias or an id.")]
Second = Annotated[str, typer.Argument(metavar="B", help="Another.")]


def open_console(stream: TextIO) -> Console:
    """A console on ``stream``; NO_COLOR and TERM are honoured by rich itself."""
    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=stream, highlight=False, width=PIPE_WIDTH, no_color=True, emoji=False)


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """What every command takes, before or after its name."""

    home: Annotated[
        Path | None, typer.Option("--home", metavar="DIR", help="Folder of the knowledge base.  [default: .ascertain]")
    ] = None
    kb: Annotated[
        str | None,
        typer.Option(
            "--kb",
            metavar="NAME",
            help="Knowledge base of this name, from any folder; `kb list` shows where. For ask, search, chat and mcp several: papers,notes.",
        ),
    ] = None
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings file instead of ascertain.toml.")
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="NAME", help="Domain: docs, news, papers, podcasts or your own.  [default: docs]"
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False

    def over(self, earlier: SharedOptions) -> SharedOptions:
        """These options, and where one was not given, the one given before the command's name."""
        return SharedOptions(
            home=self.home or earlier.home,
            kb=earlier.kb if self.kb is None else self.kb,
            config=self.config or earlier.config,
            profile=self.profile or earlier.profile,
            as_json=self.as_json or earlier.as_json,
            debug=self.debug or earlier.debug,
        )

    def name_place(self) -> tuple[str, ...]:
        """The options that name this knowledge base in another command; none for the one of the folder."""
        return ("--kb", self.kb) if self.kb else ("--home", str(self.home)) if self.home else ()


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Which documents a command uses."""

    kind: Annotated[
        list[DocumentKind] | None, typer.Option("--kind", help="Only documents of this kind; repeatable.")
    ] = None
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="PATH", help="Only this file, folder or 'prefix*'; repeatable."),
    ] = None
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only documents with this tag; repeatable.")
    ] = None
    topic: Annotated[
        list[str] | None,
        typer.Option("--topic", metavar="TOPIC", help="Only passages about this, as a trace names it; repeatable."),
    ] = None
    language: Annotated[
        list[str] | None,
        typer.Option("--language", metavar="CODE", help="Only documents in this language, as de or zh; repeatable."),
    ] = None
    document: Annotated[
        list[str] | None, typer.Option("--document", metavar="ID", help="Only this document; repeatable.")
    ] = None
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only published on this day or later.")
    ] = None
    before: Annotated[str | None, typer.Option("--before", metavar="DATE", help="Only published before this day.")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class MaterialOptions(FilterOptions):
    """The same for commands without a conversation."""

    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="ID", help="Only material added for this conversation.")
    ] = None


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """How a question is searched."""

    strategy: Annotated[
        Strategy | None, typer.Option("--strategy", help="Search by meaning, by words or both.  [default: hybrid]")
    ] = None
    days_back: Annotated[
        int | None,
        typer.Option("--days-back", metavar="N", help="Only the last N days (1 to 365), whatever the question says."),
    ] = None
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Pretend that today is this day.")] = None

    @property
    def moment(self) -> datetime | None:
        """The moment that ``as_of`` names; UsageError for an invalid date."""
        return None if self.as_of is None else parse_moment(self.as_of, "--as-of")


@dataclass(frozen=True, slots=True)
class NewsOptions:
    """What is fetched for a question."""

    news: Annotated[
        bool, typer.Option("--news", help="Answer from news fetched for this question, not from the documents.")
    ] = False
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range",
            metavar="RANGE",
            help=f"How far back fetched articles go: {TIME_RANGES}.  [default: news.time_range]",
        ),
    ] = None
    max_articles: Annotated[
        int | None, typer.Option("--max-articles", metavar="N", help="Articles fetched.  [default: news.max_articles]")
    ] = None


def spread_options(command: Callable[..., None]) -> Callable[..., None]:
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
        built = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        try:
            command(**given, **built)
        except MissingExtra as error:
            raise _name_all_missing(error, given["context"], built["shared"]) from error

    # typer reads the signature and the annotations; following __wrapped__ would show it the groups instead
    del spread.__wrapped__
    spread.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return spread


def _name_all_missing(error: MissingExtra, context: typer.Context, shared: SharedOptions) -> MissingExtra:
    """The same error with the other extras that the settings need, so that users need not install them one by one."""
    from ascertain.app.choosing.extras import list_missing_extras

    with suppress(AscertainError):
        settings = Invocation(context, shared).settings().settings
        return MissingExtra(error.feature, error.extra, list_missing_extras(settings))
    return error


def _parameters_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [inspect.Parameter(f.name, keyword, default=f.default, annotation=hints[f.name]) for f in fields(group)]


def ask_options(filters: FilterOptions, retrieval: RetrievalOptions, news: NewsOptions) -> AskOptions:
    """The options as ``Ascertain.ask`` takes them; UsageError as ``build_filter``."""
    return {
        "strategy": retrieval.strategy,
        "filter": build_filter(filters),
        "days_back": retrieval.days_back,
        "mode": "news" if news.news else "documents",
        "time_range": news.time_range,
        "max_articles": news.max_articles,
    }


def build_filter(options: FilterOptions) -> Filter:
    """The filter that the options describe; raises UsageError for an invalid date or language code."""
    from ascertain.core.asking.passages import Filter, read_language_code
    from ascertain.core.documents.documents import fold_topic

    start = parse_moment(options.since, "--since") if options.since is not None else None
    end = parse_moment(options.before, "--before") if options.before is not None else None
    if start and end and start >= end:
        raise UsageError(f"--since {options.since} is not before --before {options.before}: nothing can match")
    return Filter(
        document_ids=tuple(options.document or ()),
        kinds=tuple(options.kind or ()),
        sources=tuple(name for source in options.source or () for name in _expand_source(source)),
        tags=tuple(options.tag or ()),
        topics=tuple(map(fold_topic, options.topic or ())),
        languages=tuple(map(read_language_code, options.language or ())),
        published_from=start,
        published_before=end,
        conversation_id=options.conversation if isinstance(options, MaterialOptions) else None,
    )


def parse_moment(text: str, option: str) -> datetime:
    """An ISO 8601 date or time, time-zone aware (UTC when it names no zone); UsageError otherwise."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{option} {text!r} is not a date; write it as 2024-12-05 or 2024-12-05T14:30") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _expand_source(source: str) -> tuple[str, ...]:
    """A path that exists is made absolute, as ingest stores it, and a file brings its rows."""
    path = Path(source).expanduser()
    if path.is_file():
        return str(path.resolve()), f"{path.resolve()}#*"
    return (str(path.resolve()) if path.exists() else source,)


def _name_home(options: SharedOptions) -> SharedOptions:
    """The options with the home that ``--kb`` selects."""
    if options.kb is None:
        return options
    if options.home is not None:
        raise UsageError(f"--home {options.home} and --kb {options.kb} are two knowledge bases; give one of them")
    names = _split_names(options.kb)
    for name in names:
        if not name.strip(".") or name != Path(name).name:
            raise UsageError(f"--kb {name}: give a name, not a path; --home takes the path of a folder")
    if len(names) > 1:
        return options
    from ascertain.app.container.store_addresses import named_homes

    return replace(options, home=named_homes() / names[0])


def _split_names(kb: str) -> list[str]:
    """The names that ``--kb`` gives, each once."""
    return list(dict.fromkeys(name.strip() for name in kb.split(",")))


class Invocation:
    """Built at the start of every command from the options before and after its name."""

    def __init__(self, context: typer.Context, options: SharedOptions) -> None:
        earlier = context.obj if isinstance(context.obj, SharedOptions) else SharedOptions()
        self._context = context
        self.options = _name_home(options.over(earlier))
        self.as_json = self.options.as_json
        """Whether the output is for programs."""

    @cached_property
    def out(self) -> Console:
        """Standard output."""
        return open_console(sys.stdout)

    @cached_property
    def err(self) -> Console:
        """Standard error, for progress and remarks."""
        return open_console(sys.stderr)

    def list_bases(self) -> list[tuple[str, Invocation]]:
        """Each knowledge base by its name, where ``--kb`` gives several; empty where it gives one or none."""
        names = _split_names(self.options.kb or "")
        if len(names) == 1:
            return []
        return [(name, Invocation(self._context, replace(self.options, kb=name))) for name in names]

    def settings(self, arguments: Mapping[str, object] | None = None) -> LoadedSettings:
        """Settings from every layer, ``arguments`` (dotted keys) on top. Raises UsageError for several knowledge bases."""
        from ascertain.core.settings import load_settings

        if self.list_bases():
            raise UsageError(
                f"--kb {self.options.kb}: this works on one knowledge base; ask, search, chat and mcp take several"
            )
        given: dict[str, object] = dict(arguments or {})
        if self.options.profile is not None:
            given["profile"] = self.options.profile
        return load_settings(
            home=self.options.home, config_file=self.options.config, environ=os.environ, arguments=given
        )

    def settings_file(self) -> tuple[Path, bool]:
        """The settings file in use, or the one that would be, and whether it exists."""
        from ascertain.core.settings.layers import CONFIG_NAME

        home = self.settings().settings.home
        if self.options.config is not None:
            return self.options.config.resolve(), True
        candidates = (Path(CONFIG_NAME).resolve(), home.resolve() / CONFIG_NAME)
        found = next((file for file in candidates if file.is_file()), None)
        return found or candidates[0], found is not None

    def open(self, as_of: datetime | None = None, arguments: Mapping[str, object] | None = None) -> Ascertain:
        """The knowledge base, pretending that it is ``as_of`` when given; use it as a context manager.

        ``arguments`` are settings by dotted key that options of the command set; None is not given.
        """
        from ascertain.app.ascertain import Ascertain

        return Ascertain(self.settings({"now": as_of, **(arguments or {})}).settings)

    @contextmanager
    def open_all(
        self, as_of: datetime | None = None, arguments: Mapping[str, object] | None = None
    ) -> Generator[dict[str, Ascertain]]:
        """Every knowledge base that ``--kb`` gives, by its name, each as ``open`` opens one."""
        with ExitStack() as stack:
            yield {name: stack.enter_context(base.open(as_of, arguments)) for name, base in self.list_bases()}

    def present(
        self, noun: Noun, show: Callable[[Console, Noun], object], shape: type[NounShape[Noun]] | None = None
    ) -> None:
        """Print ``noun`` as JSON, in its shape where it has one, or for people by ``show``."""
        if self.as_json:
            self.emit(shape.from_noun(noun) if shape else noun)
        else:
            show(self.out, noun)

    def emit(self, value: object) -> None:
        """Print one JSON value, which shapes may be part of, on a line of standard output, at once."""
        from ascertain.app.wire.shape import encode_shape

        is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode, default=encode_shape) + "\n")
        sys.stdout.flush()
