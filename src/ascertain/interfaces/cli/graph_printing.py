"""How the knowledge graph is printed for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ascertain.core.graph import results
from ascertain.core.service.status import format_count, tell_named
from ascertain.interfaces.cli.answers import format_reference, print_indented
from ascertain.interfaces.cli.printing import format_duration, format_named, print_table, strip_control

SHOWN_TOP = 10
"""Most frequent entities; ``--json`` has more."""


def print_build(console: Console, report: results.BuildReport) -> None:
    """What was read, in a line, and what was not and why."""
    parts = [f"{format_count(report.read, 'document')} read"]
    if report.removed:
        parts.append(f"{report.removed:,} that are gone removed")
    if report.left:
        parts.append(f"{report.left:,} left unread")
    done = ", ".join(parts) if report.read or report.removed or report.left else "nothing to do"
    console.print(f"{done}, by {report.extractor}, in {format_duration(report.seconds)}", markup=False)
    held = format_named(report.names, report.mentions, report.relations)
    console.print(f"the graph of {format_count(report.holds, 'document')} has {held}", markup=False)
    for note in report.notes:
        console.print(note, style="yellow", markup=False)


def print_estimate(console: Console, work: results.BuildEstimate) -> None:
    """What a build would do."""
    rows = [
        ("to read", f"{format_count(work.documents, 'document')}, {format_count(work.chunks, 'chunk')}"),
        ("to remove", format_count(work.gone, "document")),
        ("by", work.extractor),
    ]
    if work.calls is None:
        rows.append(("cost", "none: no model is called"))
    else:
        money = "unknown: set models.chat.prices" if work.usd is None else f"{work.usd:.2f} USD"
        rows.append(("model calls", f"{work.calls:,}, about {work.tokens or 0:,} tokens"))
        rows.append(("cost", money))
        rows.append(("stops", work.stops))
    print_table(console, ("what", "value"), rows, elastic=1)


def print_stats(console: Console, numbers: results.GraphStats) -> None:
    """The counts, then what is named most."""
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in numbers.by_kind.items())
    behind = f"{format_count(numbers.behind, 'document')}; bring it into step: ascertain graph build"
    rows = [
        ("documents", f"{numbers.documents:,}"),
        ("chunks that name something", f"{numbers.chunks:,}"),
        ("entities", f"{numbers.entities:,}"),
        ("kinds", kinds),
        ("mentions", f"{numbers.mentions:,}"),
        ("relations", f"{numbers.relations:,}"),
        ("links", f"{numbers.links:,}"),
        ("read by", numbers.extractor or "nothing: graph.build is false"),
        *([("behind", behind)] if numbers.behind else []),
    ]
    print_table(console, ("what", "value"), rows, elastic=1)
    if numbers.top:
        console.print()
        _print_entities(console, numbers.top[:SHOWN_TOP])


def print_entities(console: Console, found: results.FoundEntities) -> None:
    """A line each; how many more there are."""
    _print_entities(console, [one.entity for one in found.entities])
    more = found.total - len(found.entities)
    if more > 0 and console.is_terminal:
        console.print(f"and {more:,} more; see --limit", style="dim")


def print_neighbourhood(console: Console, found: results.Neighbourhood) -> None:
    """The entity, its names, its links with their sentences, its passages and documents."""
    entity = found.entity
    console.print(_entity_heading(entity))
    console.print(tell_named(entity.mentions, entity.documents), markup=False)
    reasons = {merge.name: merge.reason for merge in found.merges}
    for alias in entity.aliases:
        reason = f" ({strip_control(reasons[alias])})" if alias in reasons else ""
        console.print(Text(f"also {strip_control(alias)}{reason}"))
    if found.neighbours:
        console.print(Text("\nnamed with", style="bold"))
    for link in found.neighbours:
        _print_link(console, link)
    more = found.total_neighbours - len(found.neighbours)
    if more > 0:
        console.print(f"and {more:,} more; see --neighbours", style="dim")
    if found.passages:
        console.print(Text("\nsaid of it", style="bold"))
    for passage in found.passages:
        _print_evidence(console, passage)
    if found.documents:
        console.print(Text("\nin documents", style="bold"))
        rows = [(str(one.mentions), one.title, one.source) for one in found.documents]
        print_table(console, ("times", "title", "source"), rows, elastic=2)


def print_path(console: Console, found: results.PathView) -> None:
    """Each way: the entities on it in a line, then each step with its sentences."""
    if not found.ways:
        ends = f"{strip_control(found.start.name)} and {strip_control(found.end.name)}"
        console.print(f"no sentences connect {ends}", markup=False)
    for number, way in enumerate(found.ways, 1):
        if number > 1:
            console.print()
        console.print(Text(" → ".join(strip_control(entity.name) for entity in way.entities), style="bold"))
        for before, step, after in zip(way.entities[:-1], way.steps, way.entities[1:], strict=True):
            line = Text(f"{strip_control(before.name)} → {strip_control(after.name)}", style="cyan")
            line.append(f"  {_describe_strength(step)}", style="not bold default")
            console.print(line)
            for evidence in step.evidence:
                _print_evidence(console, evidence)


def print_communities(console: Console, levels: Sequence[results.CommunitiesView]) -> None:
    """The groups of the first level, the largest first, and under each what it divides into."""
    under: dict[str | None, dict[str, results.CommunityView]] = {}
    for one in (one for view in levels for one in view.communities):
        under.setdefault(one.parent, {})[one.id] = one

    def print_under(parent: str | None, depth: int) -> None:
        for one in under.get(parent, {}).values():
            line = Text("  " * depth + strip_control(one.label), style="bold cyan" if not depth else "cyan")
            counts = f"{format_count(one.size, 'name')}, {format_count(one.documents, 'document')}"
            console.print(line.append(f"  {counts}", style="not bold default"))
            for evidence in one.evidence if not depth else ():
                _print_evidence(console, evidence)
            print_under(one.id, depth + 1)

    print_under(None, 0)
    more = levels[0].total - len(levels[0].communities)
    if more > 0:
        console.print(f"and {more:,} more; see --limit", style="dim")


def print_merges(console: Console, found: results.Merges) -> None:
    """The decisions, then the merges by rules."""
    rows = [
        (
            "decided",
            one.left,
            one.right,
            ("same" if one.same else "not the same") + ("" if one.holds else ", but not so"),
            one.reason,
        )
        for one in found.decided
    ]
    rows += [
        (
            "rule",
            one.left,
            one.right,
            "refused" if one.is_refused else "same",
            f"{one.reason} (in {one.title})" if one.title else one.reason,
        )
        for one in found.merged
    ]
    print_table(console, ("by", "name", "name", "are", "reason"), rows, elastic=4)


def _print_entities(console: Console, entities: Sequence[results.EntityView]) -> None:
    rows = [
        (
            entity.name,
            entity.kind,
            f"{entity.mentions:,}",
            f"{entity.documents:,}",
            ", ".join(entity.aliases),
            *(() if console.is_terminal else (entity.id,)),
        )
        for entity in entities
    ]
    print_table(console, ("name", "kind", "mentions", "documents", "also"), rows, elastic=4)


def _entity_heading(entity: results.EntityView) -> Text:
    line = Text(strip_control(entity.name), style="bold cyan")
    if entity.kind:
        line.append(f"  {strip_control(entity.kind)}", style="not bold default")
    return line


def _print_link(console: Console, link: results.LinkView) -> None:
    line = _entity_heading(link.entity)
    line.append(f"  {_describe_strength(link)}", style="not bold default")
    console.print(line)
    for evidence in link.evidence:
        _print_evidence(console, evidence)


def _describe_strength(link: results.LinkView) -> str:
    said = f", {', '.join(map(strip_control, link.predicates))}" if link.predicates else ""
    return f"{link.weight:.2f}, {format_count(link.sentences, 'sentence')}{said}"


def _print_evidence(console: Console, evidence: results.Evidence) -> None:
    words = strip_control(evidence.quote)
    line = Text(f"{strip_control(evidence.figure.label)}: {words} " if evidence.figure else f"“{words}” ")
    line.append_text(format_reference(evidence.title, evidence.published_at, evidence.place))
    print_indented(console, line)
