"""``ascertain search``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ascertain.cli.filters import build_filter, parse_moment
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import MaterialOptions, RetrievalOptions, SharedOptions, grouped

Context = Literal["none", "neighbours", "parents"]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("search")(search)


@grouped
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    shared: SharedOptions,
    filters: MaterialOptions,
    retrieval: RetrievalOptions,
    k: Annotated[
        int | None, typer.Option("--k", "-k", metavar="N", help="Passages to show.  [default: 10]")
    ] = None,
    widen: Annotated[
        Context,
        typer.Option(
            "--context", help="Show each passage with the chunks beside it, or with its parent chunk."
        ),
    ] = "none",
) -> None:
    """Find passages, best first.

    Each with its score, its document and where in it the passage stands.

    \b
    Examples:
      ascertain search "gas fees after the merge"
      ascertain search "ERR_TIMEOUT" --strategy keyword --k 3
      ascertain search "leap second" --context neighbours
      ascertain search "earnings" --kind article --since 2024-11-01
      ascertain search "what changed this week" --as-of 2024-12-05 --json
    """
    from ascertain.wire.search import SearchJson

    invocation = Invocation(context, shared)
    selection = build_filter(filters)
    as_of = parse_moment(retrieval.as_of, "--as-of") if retrieval.as_of is not None else None
    with invocation.open(as_of) as knowledge:
        result = knowledge.search(
            query,
            strategy=retrieval.strategy,
            k=k,
            filter=selection,
            days_back=retrieval.days_back,
            context=widen,
        )
    if invocation.as_json:
        invocation.emit(SearchJson.from_noun(result))
        return
    from ascertain.cli.passages import SNIPPET, print_confidence, print_passage

    for rank, passage in enumerate(result.passages, 1):
        print_passage(invocation.out, rank, passage, SNIPPET if widen == "none" else None)
        invocation.out.print()
    print_confidence(invocation.out, result.confidence)
