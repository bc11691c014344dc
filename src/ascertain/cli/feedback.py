"""``ascertain feedback``: what somebody thinks of an answer, and what all have thought."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from ascertain.app.feedback import FeedbackSummary


class Opinion(StrEnum):
    """Thumbs."""

    UP = "up"
    DOWN = "down"


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("feedback")(feedback)


@grouped
def feedback(
    context: typer.Context,
    shared: SharedOptions,
    answer_id: Annotated[
        str, typer.Argument(metavar="ANSWER_ID", help="The `id` of `ask --json` and `ask --trace`.")
    ],
    opinion: Annotated[Opinion, typer.Argument(metavar="up|down", help="Good or bad.")],
    comment: Annotated[str, typer.Option("--comment", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Say what you think of an answer; a later opinion takes the place of an earlier one.

    `ascertain stats --feedback` shows which way of searching satisfies which kind of question.

    \b
    Examples:
      ascertain feedback 5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e up
      ascertain feedback 5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e down --comment "it is about another bridge"
    """
    from ascertain.wire.conversations import FeedbackJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        given = knowledge.feedback(answer_id, opinion.value, comment)
    if invocation.as_json:
        invocation.emit(FeedbackJson.from_noun(given))
    else:
        from ascertain.cli.text import printable

        invocation.out.print(f"Noted: {opinion.value}, for “{printable(given.question)}”.", markup=False)


def print_summary(invocation: Invocation, summary: FeedbackSummary) -> None:
    """One line for each kind of question and way of searching."""
    from ascertain.cli.tables import print_table
    from ascertain.wire.conversations import FeedbackSummaryJson

    if invocation.as_json:
        invocation.emit(FeedbackSummaryJson.from_noun(summary))
        return
    if not summary.rows:
        invocation.err.print(
            "nobody has judged an answer yet; do it with: ascertain feedback ANSWER_ID up", markup=False
        )
        return
    rows = [
        (
            row.question_kind or "(not known)",
            row.strategy,
            f"{row.judged:,}",
            f"{row.share:.0%}",
            f"{row.low:.0%} to {row.high:.0%}",
        )
        for row in summary.rows
    ]
    columns = ("question", "strategy", "judged", "up", "95 % interval")
    print_table(invocation.out, columns, rows)
