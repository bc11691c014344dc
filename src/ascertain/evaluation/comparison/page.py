"""A comparison, a sweep or a report of tiers as one self-contained HTML page: no script, no font, no external picture."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import NamedTuple, cast

from ascertain.evaluation.comparison.differences import Comparison, MetricChange, QuestionChange, describe_verdict
from ascertain.evaluation.experiments.sweeps import Tried
from ascertain.evaluation.experiments.tiers import TierResult
from ascertain.evaluation.runs import Result

WIDTH = 720
_WIDEST_BAR = 24
ROW = 26
"""Pixels of a line of a plot."""
_LEFT = 190
"""Where a plot begins, right of its labels."""
_RIGHT = 120
_ANSWER = 900
"""Characters of an answer that are shown."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --line: #d8dde6; --ground: #fff; --one: #8a94a6; --two: #1f6feb;
  --good: #1a7f4b; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #344054; --ground: #14181f; --one: #98a2b3;
  --two: #6ea8fe; --good: #4cc38a; --bad: #ff8a80 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums } th, td { text-align: left; padding: .25rem .6rem;
  border-bottom: 1px solid var(--line); vertical-align: top } .wide { overflow-x: auto }
svg { max-width: 100%; height: auto } svg text { font: 13px system-ui, sans-serif; fill: var(--ink) } .soft { color: var(--soft) }
svg .soft { fill: var(--soft) } .better { color: var(--good); fill: var(--good); stroke: var(--good) } .worse { color: var(--bad);
  fill: var(--bad); stroke: var(--bad) } .one { fill: var(--one); stroke: var(--one) } .two { fill: var(--two); stroke: var(--two) }
.axis { stroke: var(--line) } td.better, td.worse { font-weight: 600 } details { border-bottom: 1px solid var(--line); padding: .4rem 0 }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem } blockquote { margin: 0; white-space: pre-wrap }
"""


def write_page(comparison: Comparison) -> str:
    """The page."""
    title = f"{comparison.before} → {comparison.after}"
    left_out = f"; {comparison.left_out} are in one run only" if comparison.left_out else ""
    shares = [change for change in comparison.metrics if _is_share(change)]
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>',
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(describe_verdict(comparison))}</p>",
        f'<p class="soft">{escape(comparison.kind)}, {comparison.questions} questions in both runs{left_out}.</p>',
        "<h2>Both runs</h2>",
        f"<p>{_legend(comparison)} Lines are 95 % intervals.</p>",
        _draw_means(shares),
        "<h2>Difference</h2>",
        "<p>Right of the line the second run has more. Where the interval does not hold 0, chance hardly explains it.</p>",
        _draw_differences(shares),
        f"<h2>Every question: {escape(comparison.main)}</h2>",
        "<p>One bar a question that changed, the largest gain first.</p>",
        _draw_questions(comparison.changed),
        "<h2>Figures</h2>",
        _write_figures(comparison.metrics),
        "<h2>What is different between the runs</h2>",
        _write_differences(comparison),
        f"<h2>Questions that changed ({len(comparison.changed)})</h2>",
        *(_write_question(change, comparison) for change in comparison.changed),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def write_sweep_page(tried: Sequence[Tried]) -> str:
    """Quality against time of each combination, those worth using in colour and joined; the table below."""
    title = f"Sweep: {tried[0].main} against seconds"
    rows = "".join(
        f"<tr><td>{escape(one.name)}<td>{one.mean:.4f}<td>{one.interval[0]:.4f} to {one.interval[1]:.4f}"
        f"<td>{one.seconds:.4f}<td>{'worth having' if one.is_worth_having else ''}</tr>"
        for one in tried
    )
    head = f"<tr><th>settings<th>{escape(tried[0].main)}<th>95 %<th>median seconds<th></tr>"
    points = [_Point(one.name, one.seconds, one.mean, one.is_worth_having) for one in tried]
    return _wrap_page(title, [_draw_front(points, "s"), f'<div class="wide"><table>{head}{rows}</table></div>'])


def write_tiers_page(tiers: Sequence[TierResult]) -> str:
    """Figures of each tier with their intervals, quality against dollars and against seconds, and the table."""
    main = tiers[0].main
    named = [one for one in tiers[0].figures if all(one in tier.figures for tier in tiers)]
    parts = [f'<p class="soft">{tiers[0].questions} questions. Lines are 95 % intervals.</p>']
    parts += [f"<h2>{escape(name)}</h2>{_draw_tiers(tiers, name)}" for name in named]
    for unit, cost in (("$ a question", "dollars"), ("s a question", "seconds")):
        points = [_Point(tier.tier, getattr(tier, cost), tier.mean, tier.is_worth_having) for tier in tiers]
        parts.append(f"<h2>{escape(main)} against {cost}</h2>{_draw_front(points, unit)}")
    head = "<tr><th>tier<th>" + "<th>".join(map(escape, named))
    head += "<th>$ a question<th>calls<th>tokens<th>median s<th>95 % s<th>p<th><th>models</tr>"
    rows = "".join(
        f"<tr><td>{escape(tier.tier)}"
        + "".join(f"<td>{tier.figures[name][0]:.3f}" for name in named)
        + f"<td>{tier.dollars:.5f}<td>{tier.calls:.1f}<td>{tier.tokens:.0f}<td>{tier.seconds:.3f}<td>{tier.seconds_p95:.3f}"
        + f"<td>{'' if tier.chance is None else f'{tier.chance:.4f}'}<td>{'worth having' if tier.is_worth_having else ''}"
        + f"<td>{escape(', '.join(dict.fromkeys(tier.models.values())))}</tr>"
        for tier in tiers
    )
    return _wrap_page("Tiers", [*parts, f'<h2>Figures</h2><div class="wide"><table>{head}{rows}</table></div>'])


def _draw_tiers(tiers: Sequence[TierResult], name: str) -> str:
    """One line a tier: the mean of a figure and its interval."""

    def place(value: float) -> float:
        return _LEFT + value * (WIDTH - _LEFT - _RIGHT)

    lines = [_draw_axis(place, (0, 0.25, 0.5, 0.75, 1), len(tiers))]
    for row, tier in enumerate(tiers):
        middle = row * ROW + ROW / 2 + 4
        mean, (low, high) = tier.figures[name]
        lines.append(_draw_label(tier.tier, middle))
        lines += _draw_interval(
            "two" if tier.is_worth_having else "one", place(low), place(high), place(mean), middle=middle
        )
        lines.append(f'<text x="{WIDTH - _RIGHT + 6}" y="{middle + 4}">{mean:.3f}</text>')
    return _wrap_plot(lines, len(tiers), f"{name} of each tier with 95 % intervals")


def _wrap_page(title: str, parts: Iterable[str]) -> str:
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )


class _Point(NamedTuple):
    """A combination or a tier in a plot: what it costs, how good it is, and whether it is worth using."""

    name: str
    cost: float
    mean: float
    is_worth_having: bool


def _draw_front(tried: Sequence[_Point], unit: str) -> str:
    """A point for each: the cost to the right, the figure upwards."""
    height, edge = 320, 50
    most = max(one.cost for one in tried) or 1
    lowest, highest = min(one.mean for one in tried), max(one.mean for one in tried)
    spread = (highest - lowest) or 1

    def locate(one: _Point) -> tuple[float, float]:
        across = edge + one.cost / most * (WIDTH - 2 * edge)
        return across, height - edge - (one.mean - lowest) / spread * (height - 2 * edge)

    front = sorted(locate(one) for one in tried if one.is_worth_having)
    path = " ".join(f"{across:.1f},{up:.1f}" for across, up in front)
    points = "".join(
        f'<circle class="{"two" if one.is_worth_having else "one"}" cx="{locate(one)[0]:.1f}" cy="{locate(one)[1]:.1f}" r="5">'
        f"<title>{escape(one.name)}: {one.mean:.4f}, {one.cost:.4g} {unit}</title></circle>"
        for one in tried
    )
    marks = (
        f'<text x="{WIDTH - edge}" y="{height - 12}" text-anchor="end" class="soft">{most:.4g} {unit}</text>'
        f'<text x="4" y="{edge + 4}" class="soft">{highest:.3f}</text><text x="4" y="{height - edge + 4}" class="soft">{lowest:.3f}</text>'
    )
    line = f'<polyline class="two" fill="none" style="fill:none" points="{path}"/>'
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Quality against {unit}">{line}{points}{marks}</svg>'


def _is_share(change: MetricChange) -> bool:
    """Whether the figure lies in 0..1, so that it can be drawn beside others."""
    ends = (*change.before_interval, *change.after_interval)
    return change.name not in {"seconds", "dollars"} and min(ends) >= 0 and max(ends) <= 1


def _legend(comparison: Comparison) -> str:
    dot = '<svg width="12" height="12"><circle class="{}" cx="6" cy="6" r="4"/></svg> {}'
    return f"{dot.format('one', escape(comparison.before))}, {dot.format('two', escape(comparison.after))}."


def _draw_means(changes: Sequence[MetricChange]) -> str:
    def place(value: float) -> float:
        return _LEFT + value * (WIDTH - _LEFT - _RIGHT)

    lines = [_draw_axis(place, (0, 0.25, 0.5, 0.75, 1), len(changes))]
    for row, change in enumerate(changes):
        middle = row * ROW + ROW / 2 + 4
        lines.append(_draw_label(change.name, middle))
        for shift, style, interval, mean in (
            (-4, "one", change.before_interval, change.test.before),
            (4, "two", change.after_interval, change.test.after),
        ):
            lines += _draw_interval(style, place(interval[0]), place(interval[1]), place(mean), middle=middle + shift)
        figures = f"{change.test.before:.3f} → {change.test.after:.3f}"
        lines.append(f'<text x="{WIDTH - _RIGHT + 6}" y="{middle + 4}" class="soft" font-size="11">{figures}</text>')
    return _wrap_plot(lines, len(changes), "Means of both runs with 95 % intervals")


def _draw_differences(changes: Sequence[MetricChange]) -> str:
    reach = max((abs(end) for change in changes for end in change.test.interval), default=0) or 1

    def place(value: float) -> float:
        return _LEFT + (value / reach + 1) / 2 * (WIDTH - _LEFT - _RIGHT)

    lines = [_draw_axis(place, (-reach, 0, reach), len(changes))]
    for row, change in enumerate(changes):
        middle = row * ROW + ROW / 2 + 4
        low, high = change.test.interval
        style = change.verdict if change.verdict in {"better", "worse"} else "one"
        lines.append(_draw_label(change.name, middle))
        lines += _draw_interval(style, place(low), place(high), place(change.test.difference), middle=middle)
        lines.append(f'<text x="{WIDTH - _RIGHT + 6}" y="{middle + 4}">{change.test.difference:+.3f}</text>')
    return _wrap_plot(lines, len(changes), "Differences with 95 % intervals")


def _draw_questions(changed: Sequence[QuestionChange]) -> str:
    if not changed:
        return '<p class="soft">None changed.</p>'
    moves = sorted((change.after_score - change.before_score for change in changed), reverse=True)
    height, width = 120, min(WIDTH / len(moves), _WIDEST_BAR)
    reach = max(abs(move) for move in moves)
    bars = [
        f'<rect class="{"better" if move > 0 else "worse"}" stroke-width="0" x="{i * width:.1f}" width="{max(1, width - 1):.1f}" '
        f'y="{height / 2 - max(0, move / reach) * height / 2:.1f}" height="{abs(move) / reach * height / 2:.1f}"/>'
        for i, move in enumerate(moves)
    ]
    line = f'<line class="axis" x1="0" x2="{WIDTH}" y1="{height / 2}" y2="{height / 2}"/>'
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Change of each question">{line}{"".join(bars)}</svg>'


def _draw_axis(place: Callable[[float], float], marks: Iterable[float], rows: int) -> str:
    bottom = rows * ROW + 8
    drawn = (
        f'<line class="axis" x1="{place(mark):.1f}" x2="{place(mark):.1f}" y1="0" y2="{bottom}"/>'
        f'<text class="soft" text-anchor="middle" x="{place(mark):.1f}" y="{bottom + 14}">{mark:.3g}</text>'
        for mark in marks
    )
    return "".join(drawn)


def _draw_label(name: str, middle: float) -> str:
    return f'<text x="{_LEFT - 10}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>'


def _draw_interval(style: str, low: float, high: float, mean: float, *, middle: float) -> list[str]:
    return [
        f'<line class="{style}" stroke-width="2" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>',
        f'<circle class="{style}" cx="{mean:.1f}" cy="{middle}" r="4"/>',
    ]


def _wrap_plot(lines: Iterable[str], rows: int, label: str) -> str:
    height = rows * ROW + 28
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">{"".join(lines)}</svg>'


def _write_figures(changes: Iterable[MetricChange]) -> str:
    head = "<tr><th>figure<th>before<th>after<th>difference<th>95 %<th>p<th>corrected<th>better, worse, equal<th></tr>"
    rows = [
        f"<tr><td>{escape(change.name)}<td>{change.test.before:.4f}<td>{change.test.after:.4f}"
        f"<td>{change.test.difference:+.4f}<td>{change.test.interval[0]:+.4f} to {change.test.interval[1]:+.4f}"
        f"<td>{change.test.p:.4f}<td>{change.chance:.4f}"
        f"<td>{change.test.better}, {change.test.worse}, {change.test.equal}"
        f'<td class="{change.verdict}">{change.verdict if change.verdict != "same" else ""}</tr>'
        for change in changes
    ]
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def _write_differences(comparison: Comparison) -> str:
    held = {**comparison.settings, **comparison.versions}
    if not held:
        return '<p class="soft">Neither a setting nor a version.</p>'
    rows = (
        f"<tr><td><code>{escape(name)}</code><td>{escape(_show_value(one))}<td>{escape(_show_value(other))}</tr>"
        for name, (one, other) in held.items()
    )
    head = f"<tr><th>setting, option or version<th>{escape(comparison.before)}<th>{escape(comparison.after)}</tr>"
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def _show_value(value: object) -> str:
    return "–" if value is None else str(value)


def _write_question(change: QuestionChange, comparison: Comparison) -> str:
    style = "better" if change.after_score > change.before_score else "worse"
    sides = "".join(
        f"<div><p class=soft>{escape(name)}</p>{_write_facts(result)}</div>"
        for name, result in ((comparison.before, change.before), (comparison.after, change.after))
    )
    return (
        f'<details><summary><span class="{style}">{change.before_score:.3g} → {change.after_score:.3g}</span> '
        f"{escape(change.after.question)} <span class=soft>{escape(change.after.set)} {escape(change.after.id)}</span>"
        f'</summary><div class="pair">{sides}</div></details>'
    )


def _write_facts(result: Result) -> str:
    answer = result.facts.get("answer")
    shown = f"<blockquote>{escape(str(answer)[:_ANSWER])}</blockquote>" if answer is not None else ""
    listed = (
        f"<p>{escape(name)}: {escape(', '.join(map(str, cast('list[object]', held))))}</p>"
        for name in ("found", "cited", "relevant", "expected")
        if (held := result.facts.get(name)) and isinstance(held, list)
    )
    return shown + "".join(listed)
