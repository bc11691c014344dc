"""The report of a run as Markdown and as HTML: one list of blocks, written in two ways.

What others wrote is shown as text and nothing else: in Markdown no image, link or tag of theirs is live, in HTML every
character is escaped, nothing is loaded and no script runs. The duration of the work is shown beside the report, not in
it, so that a run that was interrupted and resumed comes to the same report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ascertain.core.asking.answers import Citation, VerdictLabel, safe_link
from ascertain.core.markdown import disarm_markdown
from ascertain.core.reports.research import (
    CheckedReport,
    ClaimCheck,
    ClaimVerdict,
    ReportSection,
    ReportSentence,
    ResearchRun,
)
from ascertain.reports.research.citations import list_cited

OF_SUBJECT = 2
"""Findings of each subject shown side by side; the others are below."""
LONGEST_CELL = 300
"""Characters of a quotation in a table; the sources have it whole."""
_MARKS = {
    VerdictLabel.INFERRED: "inferred from what it cites",
    VerdictLabel.NOT_IN_SOURCES: "not in what it cites",
    VerdictLabel.CONTRADICTED: "contradicted by what it cites",
    None: "not checked",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """``level`` from 1."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, or a bullet; with the numbers of its citations, and a mark where it is not simply supported."""

    text: str
    citations: tuple[int, ...] = ()
    mark: str = ""
    is_bullet: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells in rows under their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A citation in the list of sources."""

    citation: Citation


Block = Heading | Text | Table | Source


def build_report(run: ResearchRun) -> list[Block]:
    """The report of ``run`` in order of reading; a run without one has its method only."""
    report = run.report
    blocks: list[Block] = [Heading(1, report.title if report else run.request.subject)]
    if report is None:
        blocks.append(Text("This run has not come to its report yet."))
    else:
        blocks += [
            *_tell_verdict(run, report),
            *_tell_page(run),
            *_tell_framing(report, ReportSection.INTRODUCTION),
            *_tell_summary(report),
            *_tell_findings(run, report),
            *_tell_comparison(run, report),
            *_tell_framing(report, ReportSection.COMPARISON),
            *_tell_claims(run, report),
            *_tell_disagreements(run, report),
            *_tell_gaps(run, report),
            *_tell_framing(report, ReportSection.CONCLUSION),
        ]
    blocks += _tell_method(run)
    cited = sorted(list_cited(run, report)) if report is not None else ()
    return [*blocks, Heading(2, "Sources"), *(Source(run.cite(number)) for number in cited)] if cited else blocks


def _tell_verdict(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    asked = run.synthesis.validated if run.synthesis else None
    if asked is not None:
        yield Text(
            f"{asked.verdict.words.capitalize()}: {asked.claim} ({asked.reason})",
            (*asked.evidence_for, *asked.evidence_against),
        )


def _tell_page(run: ResearchRun) -> Iterator[Block]:
    site = run.site
    if site is not None and site.about is not None:
        yield Heading(2, "The page")
        yield Text(
            f"{site.title} ({run.request.url}). It says first: “{_shorten(site.about.quote)}”", (site.about.number,)
        )
        if site.terms:
            yield Text(f"It speaks of: {', '.join(site.terms)}.")


def _tell_summary(report: CheckedReport) -> Iterator[Block]:
    summary = report.summary
    if not summary.sentences:
        # what is not plain is left out here; the findings have it
        if not report.findings and not report.claims:
            yield Text("Nothing that was found could be established.")
        return
    yield Heading(2, "In plain language")
    for sentence in summary.sentences:
        yield _show_sentence(sentence, is_bullet=False)
    yield Text(f"Reading level: grade {summary.grade:g} by Flesch-Kincaid (aimed at: {summary.wanted}).")


def _tell_framing(report: CheckedReport, section: ReportSection) -> Iterator[Block]:
    """A section of what a chat model wrote around the findings, if there is any."""
    sentences = report.list_framing(section)
    if sentences:
        yield Heading(2, section.value.capitalize())
        yield from (Text(each.text, each.citations) for each in sentences)


def _tell_findings(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    yield Heading(2, "Findings")
    parts = run.plan.sub_questions if run.plan else ()
    if not report.findings:
        yield Text("None.")
    for index, part in enumerate(parts):
        own = [finding for finding in report.findings if finding.sub_question == index]
        if own:
            yield Heading(3, part.text)
            yield from (_show_sentence(finding, is_bullet=True) for finding in own)


def _tell_claims(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    if not report.claims:
        return
    yield Heading(2, "Claims checked")
    rows = tuple(
        (claim.claim, claim.verdict.words, _show_evidence(run, claim), claim.reason) for claim in report.claims
    )
    yield Table(("Claim", "Verdict", "Evidence", "Why"), rows)


def _show_evidence(run: ResearchRun, claim: ClaimCheck) -> str:
    citations = [("for", number) for number in claim.evidence_for] + [("against", n) for n in claim.evidence_against]
    return "; ".join(f"{side} [{n}] “{_shorten(run.cite(n).quote)}”" for side, n in citations) or "none found"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CELL else f"{line[: LONGEST_CELL - 1]}…"


def _tell_disagreements(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    yield Heading(2, "Where sources disagree")
    disagreements = [
        Text(f"“{_shorten(run.cite(each.one).quote)}” against “{_shorten(run.cite(each.other).quote)}” ({each.reason})",
             (each.one, each.other), is_bullet=True)
        for each in report.disagreements
    ]  # fmt: skip
    both = [
        Text(
            f"On “{claim.claim}” the sources say both.", (*claim.evidence_for, *claim.evidence_against), is_bullet=True
        )
        for claim in report.claims
        if claim.evidence_for and claim.evidence_against
    ]
    yield from (*disagreements, *both) or (Text("No disagreement was found in what is quoted."),)


def _tell_comparison(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    """What is compared, a row each, with what was found of it first."""
    plan = run.plan
    if plan is None or not plan.is_comparison:
        return
    rows: list[tuple[str, ...]] = []
    for index, subject in enumerate(plan.subjects):
        own = [each for each in report.findings if each.sub_question == index][:OF_SUBJECT]
        said = " ".join(f"{_shorten(each.text)} {_list_numbers(each.citations)}" for each in own)
        rows.append((subject, said or "nothing was found"))
    yield Heading(2, "Side by side")
    yield Table(("Subject", "What is said of it"), tuple(rows))


def _tell_gaps(run: ResearchRun, report: CheckedReport) -> Iterator[Block]:
    yield Heading(2, "What could not be established")
    parts = run.plan.sub_questions if run.plan else ()
    missing = {each.sub_question: each.missing for each in run.retrieved or ()}
    blocks: list[Block] = []
    answered = len(parts) - len(run.synthesis.open) if run.synthesis else 0
    if len(parts) > 1:
        yield Text(
            f"{answered} of {len(parts)} {'subjects' if run.plan and run.plan.subjects else 'sub-questions'} are answered."
        )
    for index in run.synthesis.open if run.synthesis else ():
        lacking = "; ".join(missing.get(index, ()))
        blocks.append(Text(f"{parts[index].text}{f' (missing: {lacking})' if lacking else ''}", is_bullet=True))
    blocks += [
        Text(f"The claim “{claim.claim}”: {claim.reason}", is_bullet=True)
        for claim in report.claims
        if claim.verdict is ClaimVerdict.NOT_ESTABLISHED
    ]
    blocks += [
        Text(f"Removed, as what it cites says otherwise: “{each.text}”", is_bullet=True) for each in report.removed
    ]
    problems = [run.site.problem if run.site else "", run.papers.problem if run.papers else ""]
    blocks += [Text(problem, is_bullet=True) for problem in problems if problem]
    left_out = run.plan.left_out if run.plan else ()
    blocks += [Text(f"{each} (not looked up)", is_bullet=True) for each in left_out]
    yield from blocks or [Text("Nothing that was looked up stayed open.")]


def _tell_method(run: ResearchRun) -> Iterator[Block]:
    request = run.request
    yield Heading(2, "Method")
    yield Text(
        f"Run {request.id}, begun {run.started_at:%Y-%m-%d}, mode {request.mode}, sources: {', '.join(request.sources)}."
    )
    searched = [loop for each in run.retrieved or () for loop in each.loops]
    if searched:
        yield Text("Searched for: " + "; ".join(dict.fromkeys(f"“{loop.query}”" for loop in searched)) + ".")
    if run.papers is not None and run.papers.words:
        yield Text(f"arXiv was asked for {', '.join(run.papers.words)}: {len(run.papers.papers)} papers.")
    for choice in run.choices or ():
        state = "read" if choice.is_chosen else "not read"
        yield Text(f"arxiv:{choice.id} “{choice.title}”: {state} ({choice.reason})", is_bullet=True)
    for warning in run.site.warnings if run.site else ():
        yield Text(warning, is_bullet=True)
    steps = tuple((str(n), step.agent.value, step.reason, step.outcome) for n, step in enumerate(run.steps, 1))
    if steps:
        yield Table(("Step", "Agent", "Why", "Outcome"), steps)
    for decision in (decision for step in run.steps for decision in step.decisions):
        yield Text(f"{decision.node}: {decision.outcome} ({decision.reason})", is_bullet=True)
    usage = run.usage
    tokens = usage.input_tokens + usage.output_tokens
    cost = f"{usage.calls} calls of a chat model, {tokens:,} tokens, {usage.cost_usd:.4f} US dollars"
    yield Text(f"Cost: {cost}." if usage.calls else "Cost: no chat model was asked.")


def _show_sentence(sentence: ReportSentence, is_bullet: bool) -> Text:
    mark = "" if sentence.is_supported else f"{_MARKS[sentence.verdict]}: {sentence.reason}"
    if sentence.against:
        mark = "; ".join(filter(None, (mark, f"other sources say otherwise: {_list_numbers(sentence.against)}")))
    return Text(sentence.text, sentence.citations, mark, is_bullet)


def _list_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(f"[{number}]" for number in numbers)


def render_markdown(run: ResearchRun) -> str:
    """The report as Markdown."""
    pieces: list[str] = []
    previous: Block | None = None
    for block in build_report(run):
        is_list = _is_item(block) and _is_item(previous)
        pieces.append(("" if not pieces else "\n" if is_list else "\n\n") + _write_markdown(block))
        previous = block
    return "".join(pieces) + "\n"


def _is_item(block: Block | None) -> bool:
    return isinstance(block, Source) or (isinstance(block, Text) and block.is_bullet)


def _write_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_plain(block.text)}"
    if isinstance(block, Text):
        numbers = "".join(f" [{number}]" for number in block.citations)
        mark = f" *({_plain(block.mark)})*" if block.mark else ""
        return f"{'- ' if block.is_bullet else ''}{_plain(block.text)}{numbers}{mark}"
    if isinstance(block, Table):
        lines = [block.columns, tuple("---" for _ in block.columns), *block.rows]
        return "\n".join("| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in row) + " |" for row in lines)
    citation = block.citation
    about = " · ".join(_plain(part) for part in _describe_source(citation))
    warning = f" *({_plain(citation.warning)})*" if citation.warning else ""
    words = _plain(citation.quote)
    shown = f"{_plain(citation.figure.label)}: {words}" if citation.figure else f"“{words}”"
    return f"- **{citation.number}** {shown} {about}{warning}"


def _plain(text: str) -> str:
    """One line in which nothing of Markdown is live; backticks and asterisks are shown as written."""
    line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_"):
        line = line.replace(sign, f"\\{sign}")
    return disarm_markdown(line)


def _describe_source(citation: Citation) -> list[str]:
    date = citation.published_at.date().isoformat() if citation.published_at else ""
    return [part for part in (citation.title, citation.place.label, citation.url or citation.source, date) if part]


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%}td,th{border:1px solid #999;padding:.3em;text-align:left;vertical-align:top}"
    "blockquote{margin:.2em 0;padding-left:.8em;border-left:3px solid #999}.mark{color:#a00}"
)


def render_html(run: ResearchRun) -> str:
    """The report as one page that loads nothing: its policy forbids scripts, pictures and requests."""
    blocks = build_report(run)
    body: list[str] = []
    for position, block in enumerate(blocks):
        before = blocks[position - 1] if position else None
        after = blocks[position + 1] if position + 1 < len(blocks) else None
        opening = "<ul>" if _is_item(block) and not _is_item(before) else ""
        closing = "</ul>" if _is_item(block) and not _is_item(after) else ""
        body.append(f"{opening}{_write_html(block)}{closing}")
    title = escape(run.report.title if run.report else run.request.subject)
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _write_html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        numbers = "".join(f' <a href="#source-{number}">[{number}]</a>' for number in block.citations)
        mark = f' <em class="mark">({escape(block.mark)})</em>' if block.mark else ""
        tag = "li" if block.is_bullet else "p"
        return f"<{tag}>{escape(block.text)}{numbers}{mark}</{tag}>"
    if isinstance(block, Table):
        return f"<table>{_write_row('th', block.columns)}{''.join(_write_row('td', row) for row in block.rows)}</table>"
    citation = block.citation
    link = safe_link(citation.url)
    about = escape(" · ".join(_describe_source(citation)))
    named = f'<a href="{escape(link)}" rel="noreferrer">{about}</a>' if link else about
    warning = f' <em class="mark">({escape(citation.warning)})</em>' if citation.warning else ""
    label = f"<em>{escape(citation.figure.label)}</em>: " if citation.figure else ""
    quote = f"<blockquote>{label}{escape(citation.quote)}</blockquote>"
    return f'<li id="source-{citation.number}">[{citation.number}] {named}{quote}{warning}</li>'


def _write_row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
