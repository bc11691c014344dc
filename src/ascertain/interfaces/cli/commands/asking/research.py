"""``ascertain research`` and ``ascertain check``: reports by several agents, and single claims checked."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ascertain.core.errors import UsageError
from ascertain.core.reports.research import ResearchDone, ResearchMode, StepFinished, StepStarted
from ascertain.core.service.status import format_count
from ascertain.interfaces.cli.options import FilterOptions, Invocation, SharedOptions, build_filter, spread_options
from ascertain.interfaces.cli.printing import format_date, format_duration, print_table, strip_control

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain
    from ascertain.core.asking.answers import Citation
    from ascertain.core.reports.research import ResearchEvent, ResearchRun, ResearchSummary, RunComparison

_SENDING = {
    "website": "reading the page",
    "plan": "planning what to look up",
    "arxiv": "searching arXiv",
    "filter": "choosing and reading papers",
    "retrieve": "searching, and searching again for what is missing",
    "rerank": "choosing passages",
    "synthesise": "bringing it together",
    "validate": "checking the claim",
    "simplify": "putting it plainly",
    "write": "writing",
    "check": "checking every sentence and claim",
}


@spread_options
def research_subject(
    context: typer.Context,
    shared: SharedOptions,
    subject: Annotated[
        str | None, typer.Argument(metavar="[QUESTION|URL]", help="A question, or the address of a page.")
    ] = None,
    question: Annotated[str, typer.Option("--question", metavar="TEXT", help="What to find out about the page.")] = "",
    mode: Annotated[ResearchMode, typer.Option("--mode", help="How much is looked at.")] = ResearchMode.QUICK,
    sources: Annotated[
        str | None,
        typer.Option(
            "--sources",
            metavar="NAMES",
            help="Of documents, web and arxiv, with commas. Without it documents and web, and arxiv where the question is "
            "about papers (research.arxiv).",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write the report as a page.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Also write the report as Markdown.")
    ] = None,
    stream: Annotated[bool, typer.Option("--stream", help="With --json: one event a line, as it happens.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the runs on record.")] = False,
    show: Annotated[str | None, typer.Option("--show", metavar="ID", help="Print the report of a run again.")] = None,
    resume: Annotated[str | None, typer.Option("--resume", metavar="ID", help="Resume an interrupted run.")] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="ID ID", help="What two runs have in common, and what only one found."),
    ] = None,
    delete: Annotated[
        str | None, typer.Option("--delete", metavar="ID", help="Delete a run and what was fetched for it.")
    ] = None,
) -> None:
    """Write a cited report on a question or a page. Several agents look into it.

    A supervisor sends at most ten agents: they read the page, plan sub-questions, search the documents and arXiv,
    search again for what is missing, and combine it. The fact checker comes last: no sentence without support
    stays unmarked. Every step is stored; --resume continues an interrupted run.

    \b
    Examples:
      ascertain research "how do refunds work?"
      ascertain research https://example.org/article --mode deep --sources documents,web,arxiv
      ascertain research "is it true that refunds take ten days?" --html report.html
      ascertain research --list
      ascertain research --resume 5b1f0c8e2d91
      ascertain research --compare 5b1f0c8e2d91 7c3e6f7a8b9c
    """
    invocation = Invocation(context, shared)
    given = [each for each in (subject, show, resume, compare, delete) if each is not None]
    if len(given) + listed != 1:
        raise UsageError(
            "give a question or the address of a page, or one of --list, --show, --resume, --compare, --delete"
        )
    with invocation.open() as knowledge:
        desk = knowledge.research
        if listed:
            _print_runs(invocation, desk.list_runs())
        elif compare is not None:
            _print_comparison(invocation, desk.compare(*compare))
        elif delete is not None:
            _report_deletion(invocation, delete, desk.delete(delete))
        elif show is not None:
            _present_run(invocation, knowledge, desk.show(show), html, markdown=markdown)
        else:
            names = None if sources is None else [name.strip() for name in sources.split(",") if name.strip()]
            begun = (
                desk.resume(resume)
                if resume is not None
                else desk.start(subject or "", question=question, mode=mode, sources=names)
            )
            run = _follow_run(invocation, begun, stream)
            if not (stream and invocation.as_json):
                _present_run(invocation, knowledge, run, html, markdown=markdown)
            else:
                _write_files(knowledge, run, html, markdown)


def _follow_run(invocation: Invocation, events: Generator[ResearchEvent], stream: bool) -> ResearchRun:
    """Print the steps on standard error, or as JSON; the run at the end."""
    from ascertain.app.wire.research import describe_research_event

    err, done = invocation.err, None
    with err.status("", spinner="dots") as status:
        for event in events:
            if stream and invocation.as_json:
                kind, data = describe_research_event(event)
                invocation.emit({"event": kind, **data.to_json()})
            elif isinstance(event, StepStarted):
                if event.number == 1:
                    err.print(f"run {event.run_id}", style="dim", markup=False)
                status.update(_SENDING.get(event.agent.value, event.agent.value))
            elif isinstance(event, StepFinished):
                line = f"· {event.number} {event.step.agent.value}: {event.step.outcome}"
                err.print(strip_control(line), style="dim", markup=False)
            if isinstance(event, ResearchDone):
                done = event.run
    if done is None:
        raise UsageError("the run has not finished; continue it with --resume")
    return done


def _present_run(
    invocation: Invocation, knowledge: Ascertain, run: ResearchRun, html: Path | None, *, markdown: Path | None
) -> None:
    from ascertain.app.wire.research import ResearchRunJson

    if invocation.as_json:
        invocation.emit(ResearchRunJson.from_noun(run))
    else:
        text = knowledge.research.write_markdown(run)
        for line in text.rstrip("\n").split("\n"):
            invocation.out.print(strip_control(line) if line.strip() else "", markup=False, soft_wrap=True)
    _write_files(knowledge, run, html, markdown)
    if not invocation.as_json:
        spent = f"{format_count(len(run.steps), 'step')} in {format_duration(run.seconds)}"
        ask = f"ask on about it with: ascertain ask --conversation {run.request.id}"
        invocation.err.print(f"run {run.request.id}: {spent}; {ask}", style="dim", markup=False)


def _write_files(knowledge: Ascertain, run: ResearchRun, html: Path | None, markdown: Path | None) -> None:
    desk = knowledge.research
    writers: list[tuple[Path | None, Callable[[ResearchRun], str]]] = [
        (html, desk.write_html),
        (markdown, desk.write_markdown),
    ]
    for path, write in writers:
        if path is not None:
            path.write_text(write(run), encoding="utf-8")


def _print_runs(invocation: Invocation, runs: Sequence[ResearchSummary]) -> None:
    if invocation.as_json:
        invocation.emit(list(runs))
    elif runs:
        rows = [
            (
                run.id,
                run.state.value,
                run.mode.value,
                str(run.steps),
                f"{run.supported} of {run.claims}" if run.claims else "",
                format_date(run.started_at),
                run.subject,
            )
            for run in runs
        ]
        columns = ("id", "state", "mode", "steps", "claims supported", "begun", "subject")
        print_table(invocation.out, columns, rows, elastic=6)
    else:
        invocation.err.print('no research yet; start: ascertain research "..."', markup=False)


def _print_comparison(invocation: Invocation, found: RunComparison) -> None:
    if invocation.as_json:
        invocation.emit(found)
        return
    parts = (
        ("Claims judged otherwise", [f"{c.claim} {c.one.words} → {c.other.words}" for c in found.changed]),
        (f"Found by {found.one} only", found.findings_of_one),
        (f"Found by {found.other} only", found.findings_of_other),
        ("Found by both", found.findings_of_both),
        (f"Sources of {found.one} only", found.sources_of_one),
        (f"Sources of {found.other} only", found.sources_of_other),
    )
    for title, lines in parts:
        invocation.out.print(strip_control(f"{title}: {len(lines)}"), markup=False)
        for line in lines:
            invocation.out.print(strip_control(f"- {line}"), markup=False, soft_wrap=True)


def _report_deletion(invocation: Invocation, run_id: str, documents: int) -> None:
    if invocation.as_json:
        from ascertain.app.wire.research import DeletedRunJson

        invocation.emit(DeletedRunJson(id=run_id, documents=documents))
    else:
        fetched = format_count(documents, "document")
        invocation.out.print(f"Deleted run {strip_control(run_id)} and {fetched} fetched for it.", markup=False)


@spread_options
def check_claim(
    context: typer.Context,
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="A statement.")],
    shared: SharedOptions,
    filters: FilterOptions,
) -> None:
    """Check a claim against the documents. Shows whether they support it, contradict it or neither, with quotations for and against.

    \b
    Examples:
      ascertain check "refunds take ten days"
      ascertain check "the bridge was opened in 1932" --kind article --json
    """
    from ascertain.app.wire.research import CheckedClaimJson

    invocation = Invocation(context, shared)
    with invocation.open() as knowledge:
        found = knowledge.research.check_claim(claim, build_filter(filters))
    if invocation.as_json:
        invocation.emit(CheckedClaimJson.of(found.check, found.citations, found.usage))
        return
    check = found.check
    invocation.out.print(f"{check.verdict.words.capitalize()}: {strip_control(check.reason)}.", markup=False)
    cited = {citation.number: citation for citation in found.citations}
    for side, numbers in (("For", check.evidence_for), ("Against", check.evidence_against)):
        for number in numbers:
            invocation.out.print(f"{side}: {_show_citation(cited[number])}", markup=False, soft_wrap=True)


def _show_citation(citation: Citation) -> str:
    place = f", {citation.place.label}" if citation.place.label else ""
    warning = f" ({citation.warning})" if citation.warning else ""
    return strip_control(f"“{citation.quote}” {citation.title}{place}{warning}")
