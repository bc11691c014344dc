"""``ascertain graph merge``, ``split`` and ``merges``: decisions about which names are of one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.graph_arguments import First, Second
from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped
from ascertain.core.errors import UsageError

if TYPE_CHECKING:
    from ascertain.core.graph_results import Decided

Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Kept with the decision.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take back what was decided about these two.")]


@grouped
def merge(
    context: typer.Context,
    shared: SharedOptions,
    left: First,
    right: Second,
    reason: Reason = "",
    undo: Undo = False,
) -> None:
    """Decide that two names are of one thing.

    It overrules every rule, holds for documents to come, and can be taken back.

    \b
    Examples:
      ascertain graph merge "Satoshi" "Satoshi Nakamoto"
      ascertain graph merge "Satoshi" "Satoshi Nakamoto" --undo
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if undo:
            _tell_undone(invocation, knowledge.graph.undo(left, right), left, right)
        else:
            _tell_decided(invocation, knowledge.graph.merge(left, right, reason))


@grouped
def split(
    context: typer.Context,
    shared: SharedOptions,
    left: First,
    right: Second,
    reason: Reason = "",
    undo: Undo = False,
) -> None:
    """Decide that two names are not of one thing.

    `ascertain graph merges` lists which names are taken for one. It overrules every rule, holds for documents to come, and
    can be taken back.

    \b
    Examples:
      ascertain graph split "Mercury (planet)" "Mercury (element)"
      ascertain graph split ECB "European Central Bank" --undo
    """
    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        if undo:
            _tell_undone(invocation, knowledge.graph.undo(left, right), left, right)
        else:
            _tell_decided(invocation, knowledge.graph.split(left, right, reason))


@grouped
def merges(context: typer.Context, shared: SharedOptions) -> None:
    """List which names are taken for one thing and why, and what was decided by hand.

    In a pipe the columns are: what (decided or rule), name, name, state, reason, separated by tabs.

    \b
    Examples:
      ascertain graph merges
      ascertain graph merges --json
    """
    from ascertain.cli.graph_printing import print_merges
    from ascertain.wire.graph import MergesJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.graph.merges()
    if invocation.as_json:
        invocation.emit(MergesJson.from_noun(found))
    elif found.decided or found.merged:
        print_merges(invocation.out, found)
    else:
        invocation.err.print("no two names are taken for one thing")


def _tell_decided(invocation: Invocation, decided: Decided) -> None:
    from ascertain.wire.graph import DecidedJson

    if invocation.as_json:
        invocation.emit(DecidedJson.from_noun(decided))
        return
    what = "are one thing" if decided.same else "are two things"
    invocation.out.print(f"{decided.left} and {decided.right} {what} from now on", markup=False)
    if not decided.holds:
        other = "other names keep them apart" if decided.same else "other names join them"
        invocation.out.print(f"but {other}: see 'ascertain graph merges'", markup=False)


def _tell_undone(invocation: Invocation, was_decided: bool, left: str, right: str) -> None:
    if not was_decided:
        raise UsageError(f"nothing was decided about {left!r} and {right!r}; see 'ascertain graph merges'")
    if invocation.as_json:
        from ascertain.wire.graph import UndoneJson

        invocation.emit(UndoneJson(undone=True))
    else:
        invocation.out.print(f"{left} and {right}: left to the rules again", markup=False)
