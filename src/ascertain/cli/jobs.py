"""``ascertain jobs``: what the service is adding in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.cli.invocation import Invocation
from ascertain.cli.options import SharedOptions, grouped

if TYPE_CHECKING:
    from ascertain.app.results import Job


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("jobs")(jobs)


@grouped
def jobs(
    context: typer.Context,
    shared: SharedOptions,
    cancel: Annotated[
        str | None,
        typer.Option("--cancel", metavar="ID", help="Cancel this job; what it has added stays."),
    ] = None,
    tenant: Annotated[str, typer.Option("--tenant", metavar="T", help="Whose jobs.")] = "default",
) -> None:
    """List the background jobs of the service, the latest first, or cancel one.

    In a pipe the columns are: id, state, done in percent, made, what, reason, separated by tabs.

    \b
    Examples:
      ascertain jobs
      ascertain jobs --cancel 4f0c1d2e9a8b4c6d8e7f001122334455
    """
    from ascertain.app.jobs import cancel_job
    from ascertain.core.errors import UsageError
    from ascertain.wire.service import JobJson

    invocation = Invocation(context, shared)
    with invocation.open() as everybody:
        knowledge = everybody.as_tenant(tenant)
        if cancel is not None:
            if not (knowledge.exists and cancel_job(knowledge, cancel)):
                raise UsageError(
                    f"there is no job {cancel!r} that could be cancelled; `ascertain jobs` lists them"
                )
            _say_cancelled(invocation, cancel)
            return
        found = knowledge.service.jobs.jobs(tenant) if knowledge.exists else []
    if invocation.as_json:
        invocation.emit([JobJson.from_noun(job) for job in found])
    elif found:
        _print_jobs(invocation, found)
    else:
        invocation.err.print("no background jobs; the service makes one for each upload", markup=False)


def _say_cancelled(invocation: Invocation, job_id: str) -> None:
    if invocation.as_json:
        from ascertain.wire.service import CancelledJson

        invocation.emit(CancelledJson(cancelled=job_id))
    else:
        invocation.out.print(f"cancelled {job_id}", markup=False)


def _print_jobs(invocation: Invocation, found: list[Job]) -> None:
    from ascertain.cli.tables import print_table
    from ascertain.cli.text import date

    rows = [
        (
            job.id,
            job.state.value,
            f"{100 * job.done // job.total if job.total else 0} %",
            date(job.created_at),
            job.what,
            job.reason,
        )
        for job in found
    ]
    print_table(invocation.out, ("id", "state", "done", "made", "what", "reason"), rows, elastic=4)
