"""``ascertain eval``: commands on saved runs, and those that measure several to compare them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer
from rich.console import Console
from rich.text import Text

from ascertain.interfaces.cli.options import Invocation, SharedOptions, spread_options
from ascertain.interfaces.cli.printing import print_table, strip_control

if TYPE_CHECKING:
    from ascertain.app.choosing.settings_file import TomlValue
    from ascertain.app.wire.evaluation import SweepJson, TierJson
    from ascertain.evaluation.comparison.differences import Comparison, MetricChange
    from ascertain.evaluation.experiments.sweeps import Gain, Tried
    from ascertain.evaluation.experiments.tiers import TierResult

STYLES = {"better": "green", "worse": "red"}


@spread_options
def compare_runs(
    context: typer.Context,
    shared: SharedOptions,
    before: Annotated[Path, typer.Argument(metavar="A", help="A run saved with `--save`.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Another over the same questions.")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a self-contained page with plots.")
    ] = None,
    changed: Annotated[
        int, typer.Option("--changed", metavar="N", min=0, help="Questions shown that changed, the largest first.")
    ] = 10,
) -> None:
    """Compare two runs question by question: what got better or worse, and whether it could be chance.

    p is the chance of such a difference if the runs were alike (paired permutation test), corrected for the number of
    figures (Holm); the interval holds the difference with 95 % certainty (bootstrap).

    \b
    Examples:
      ascertain eval compare before.json after.json
      ascertain eval compare before.json after.json --html comparison.html
    """
    from ascertain.evaluation.comparison.differences import compare_runs as compare
    from ascertain.evaluation.comparison.differences import shape_comparison
    from ascertain.evaluation.runs import read_run

    invocation = Invocation(context, shared)
    comparison = compare(read_run(before), read_run(after))
    if html is not None:
        from ascertain.evaluation.comparison.page import write_page

        html.write_text(write_page(comparison), "utf-8")
    if invocation.as_json:
        invocation.emit(shape_comparison(comparison))
    else:
        _print_comparison(invocation.out, comparison, changed)
    if html is not None:
        invocation.err.print(f"Written to {html}.", markup=False)


def _print_comparison(console: Console, comparison: Comparison, changed: int) -> None:
    from ascertain.evaluation.comparison.differences import describe_verdict

    console.print(Text(describe_verdict(comparison), style=STYLES.get(comparison.main_change.verdict, "bold")))
    console.print()
    columns = (
        "figure",
        comparison.before,
        comparison.after,
        "difference",
        "95 %",
        "p corrected",
        "better",
        "worse",
        "",
    )
    print_table(console, columns, (_row_of(change) for change in comparison.metrics))
    for name, (one, other) in {**comparison.settings, **comparison.versions}.items():
        console.print(f"{name}: {one} → {other}", style="dim", markup=False)
    if comparison.left_out:
        console.print(f"{comparison.left_out} questions are in one run only and not compared.", style="dim")
    shown = comparison.changed[:changed]
    if shown:
        console.print(f"\n{comparison.main} changed in {len(comparison.changed)} questions:")
    for change in shown:
        style = "green" if change.after_score > change.before_score else "red"
        figures = Text(f"  {change.before_score:.2f} → {change.after_score:.2f}  ", style=style)
        console.print(figures + Text(strip_control(f"{change.after.question}  ({change.after.id})"), style="default"))
    if len(comparison.changed) > len(shown):
        console.print(f"  and {len(comparison.changed) - len(shown)} more: --changed N, or --html FILE", style="dim")


def _row_of(change: MetricChange) -> tuple[str, ...]:
    low, high = change.test.interval
    return (
        change.name,
        f"{change.test.before:.3f}",
        f"{change.test.after:.3f}",
        f"{change.test.difference:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        f"{change.chance:.4f}",
        str(change.test.better),
        str(change.test.worse),
        "" if change.verdict == "same" else change.verdict,
    )


@spread_options
def sweep_settings(
    context: typer.Context,
    shared: SharedOptions,
    golden: Annotated[Path, typer.Option("--golden", metavar="FILE", help="The golden set that is asked.")],
    runs: Annotated[
        Path, typer.Option("--runs", metavar="DIR", help="Save the runs here, and resume those already there.")
    ],
    vary: Annotated[list[str], typer.Option("--vary", metavar="KEY=V,V", help="A setting and its values; repeatable.")],
    kind: Annotated[
        Literal["retrieval", "answers", "abstention", "conversation"], typer.Option("--kind", help="What is measured.")
    ] = "retrieval",
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            metavar="DIR",
            help="Read this folder again for settings that affect ingest; by default --home is asked.",
        ),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="N", min=1, help="Ask every N-th question only.")] = 1,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Measure this many combinations at once, as far as memory allows; seconds are then those of a busy machine.",
        ),
    ] = 1,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with quality against time.")
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Put the best into ascertain.toml, if it gains on questions that it was not chosen on."
        ),
    ] = False,
) -> None:
    """Measure every combination of some settings, and show which are worth using.

    That is: no other is at least as good and as quick. The best of many is partly the luckiest, so --write measures the
    present settings too and tells what choosing is worth on questions left out of the choice (five parts in turn).

    \b
    Examples:
      ascertain eval sweep --golden golden.jsonl --runs sweep/ --vary retrieval.fusion.dense_weight=0.3,0.5,0.7 --write
      ascertain eval sweep --golden golden.jsonl --runs sizes/ --documents handbook/ --vary ingest.chunker.size=600,1200
    """
    from ascertain.evaluation.commands import Order
    from ascertain.evaluation.experiments.sweeps import Measuring, count_workers, list_variations, measure_gain
    from ascertain.evaluation.experiments.sweeps import sweep_settings as sweep
    from ascertain.interfaces.cli.commands.evaluation.measuring import listen_in

    invocation = Invocation(context, shared)
    variations = list_variations(vary)
    with listen_in(invocation) as listener:
        measuring = Measuring(
            Order(kind, golden=golden, every=every), runs, listener, documents, count_workers(workers)
        )
        if measuring.workers < workers:
            listener.remark(f"memory allows {measuring.workers} at once, not {workers}")
        tried = sweep(measuring, variations, lambda values: invocation.settings(values).settings)
        gain = measure_gain(measuring, tried, invocation.settings().settings) if write else None
    if html is not None:
        from ascertain.evaluation.comparison.page import write_sweep_page

        html.write_text(write_sweep_page(tried), "utf-8")
        invocation.err.print(f"Written to {html}.", markup=False)
    if invocation.as_json:
        invocation.emit([_shape_tried(one) for one in tried])
    else:
        columns = ("settings", tried[0].main, "95 %", "s", "")
        print_table(invocation.out, columns, (_row_of_tried(one) for one in tried))
    _offer_best(invocation, tried[0], gain)


def _offer_best(invocation: Invocation, best: Tried, gain: Gain | None) -> None:
    """How to keep the best; where ``gain`` says what that is worth, it is kept or not."""
    if gain is None:
        if not invocation.as_json:
            invocation.out.print("\nTo use the first, once it has been tested on other questions:", style="dim")
            for key, value in best.values.items():
                invocation.out.print(f"  ascertain config set {key} {value}", markup=False)
        return
    from ascertain.evaluation.experiments.tuning import FEWEST, WORTH_IT
    from ascertain.evaluation.sets.knowledge import READING

    summary = f"{best.main} {gain.before:.3f} before, {gain.after:.3f} after on questions that the settings were not chosen on"
    if not gain.is_worth_it:
        why = (
            f"{gain.questions} questions, {FEWEST} are needed"
            if gain.questions < FEWEST
            else f"less than {WORTH_IT} more"
        )
        invocation.err.print(f"Nothing written: {why}; {summary}.", markup=False)
        return
    from ascertain.interfaces.cli.commands.evaluation.tuning import write_values

    file = write_values(invocation, cast("dict[str, TomlValue]", dict(best.values)))
    invocation.err.print(f"{summary}. Written to {file}.", markup=False)
    if any(key.startswith(READING) for key in best.values):
        invocation.err.print("They decide how documents are read: add the documents again.", markup=False)


def _row_of_tried(tried: Tried) -> tuple[str, ...]:
    low, high = tried.interval
    worth = "worth having" if tried.is_worth_having else ""
    return tried.name, f"{tried.mean:.3f}", f"{low:.3f} to {high:.3f}", f"{tried.seconds:.3f}", worth


def _shape_tried(tried: Tried) -> SweepJson:
    from ascertain.app.wire.evaluation import SweepJson

    return SweepJson.model_validate(SweepJson.read_attributes(tried, values=dict(tried.values), run=str(tried.run)))


@spread_options
def compare_tiers(
    context: typer.Context,
    shared: SharedOptions,
    golden: Annotated[Path, typer.Option("--golden", metavar="FILE", help="The golden set that is asked.")],
    runs: Annotated[
        Path, typer.Option("--runs", metavar="DIR", help="Save the runs here, and resume those already there.")
    ],
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tier",
            metavar="TIER",
            help="Only this one; repeatable, the others are compared with the first.  [default: all]",
        ),
    ] = None,
    prices: Annotated[
        list[str] | None,
        typer.Option(
            "--price",
            metavar="MODEL=IN,OUT",
            help="Dollars for a million tokens in and out; repeatable.  [default: models.chat.*_usd_per_million]",
        ),
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="N", min=1, help="Ask every N-th question only.")] = 1,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a self-contained page with plots.")
    ] = None,
) -> None:
    """Compare the tiers of chat models on your questions: quality, cost and time.

    Each tier answers the same questions: offline (no chat model), then budget, balanced and premium as models.chat names
    their models. p is the chance of such a difference to the first, corrected for their number.

    \b
    Examples:
      ascertain eval tiers --golden golden.jsonl --runs tiers/ --html tiers.html
      ascertain eval tiers --golden golden.jsonl --runs tiers/ --tier offline --tier premium --price openai:gpt-5=1.25,10
    """
    from ascertain.evaluation.commands import Order
    from ascertain.evaluation.experiments.sweeps import Measuring
    from ascertain.evaluation.experiments.tiers import TIERS, measure_tiers, read_prices
    from ascertain.interfaces.cli.commands.evaluation.measuring import listen_in

    invocation = Invocation(context, shared)
    with listen_in(invocation) as listener:
        measuring = Measuring(Order("answers", golden=golden, every=every), runs, listener)
        results = measure_tiers(
            measuring, tiers or TIERS, lambda values: invocation.settings(values).settings, read_prices(prices or [])
        )
    if html is not None:
        from ascertain.evaluation.comparison.page import write_tiers_page

        html.write_text(write_tiers_page(results), "utf-8")
        invocation.err.print(f"Written to {html}.", markup=False)
    if invocation.as_json:
        invocation.emit([_shape_tier(one) for one in results])
        return
    columns = ("tier", results[0].main, "95 %", "p", "$ a question", "calls", "tokens", "s", "")
    print_table(invocation.out, columns, (_row_of_tier(one) for one in results))


def _shape_tier(tier: TierResult) -> TierJson:
    from ascertain.app.wire.evaluation import FigureJson, TierJson

    figures = {name: FigureJson(mean=mean, interval=interval) for name, (mean, interval) in tier.figures.items()}
    return TierJson.model_validate(
        TierJson.read_attributes(tier, figures=figures, models=dict(tier.models), run=str(tier.run))
    )


def _row_of_tier(tier: TierResult) -> tuple[str, ...]:
    mean, (low, high) = tier.figures[tier.main]
    return (
        tier.tier,
        f"{mean:.3f}",
        f"{low:.3f} to {high:.3f}",
        "" if tier.chance is None else f"{tier.chance:.4f}",
        f"{tier.dollars:.5f}",
        f"{tier.calls:.1f}",
        f"{tier.tokens:.0f}",
        f"{tier.seconds:.3f}",
        "worth having" if tier.is_worth_having else "",
    )


@spread_options
def judge_with_ragas(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="RUN", help="A run of answers saved with `--save`.")],
    every: Annotated[int, typer.Option("--every", metavar="N", min=1, help="Judge every N-th question only.")] = 1,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Save the judged run, for `eval compare`.")
    ] = None,
) -> None:
    """Judge a saved run by RAGAS (experimental): faithfulness, answer relevancy, context precision and recall.

    The chat model of the settings judges, six calls a question and one for each passage. It needs the extra ragas. No knowledge base is
    needed: a run holds its answers and the passages they were written from.

    \b
    Examples:
      ascertain eval ragas before.json --every 5
      ascertain eval ragas before.json --save before-ragas.json
    """
    from functools import partial

    from ascertain.evaluation.commands import record_run
    from ascertain.evaluation.ragas import measure_ragas
    from ascertain.evaluation.runs import Journal, read_run
    from ascertain.evaluation.sets.knowledge import digest_files
    from ascertain.interfaces.cli.commands.evaluation.measuring import listen_in, print_row

    invocation = Invocation(context, shared)
    run, settings = read_run(file), invocation.settings().settings
    show = partial(print_row, invocation)
    with listen_in(invocation) as listener:
        if save is None:
            measure_ragas(run, settings, Journal(), show, listener=listener, every=every)
            return
        options = {"of": run.name, "content": digest_files([file]), "every": every}
        record_run(
            "ragas",
            settings,
            options,
            lambda journal, out: measure_ragas(run, settings, journal, out, listener=listener, every=every),
            out=show,
            listener=listener,
            save=save,
        )


@spread_options
def export_run(
    context: typer.Context,
    shared: SharedOptions,
    file: Annotated[Path, typer.Argument(metavar="RUN", help="A run saved with `--save`.")],
    to: Annotated[Literal["langsmith", "otlp"], typer.Option("--to", help="Where to send it.")],
    dataset: Annotated[
        str,
        typer.Option("--dataset", metavar="NAME", help="Name of the dataset at LangSmith.  [default: that of the set]"),
    ] = "",
) -> None:
    """Send a saved run to LangSmith, or as OpenInference spans to an OTLP collector, including texts.

    LangSmith gets the questions as a dataset and the run as an experiment with its scores as feedback; its variables say
    where (LANGSMITH_API_KEY, LANGSMITH_ENDPOINT). A collector gets a trace for each question, with the passages and an
    event for each score (OTEL_EXPORTER_OTLP_ENDPOINT).

    \b
    Examples:
      ascertain eval export before.json --to langsmith --dataset handbook
      ascertain eval export before.json --to otlp
    """
    from ascertain.app.wire.evaluation import ExportedRunJson
    from ascertain.evaluation.exports import export_langsmith, export_spans
    from ascertain.evaluation.runs import read_run

    invocation = Invocation(context, shared)
    run = read_run(file)
    sent = export_langsmith(run, dataset) if to == "langsmith" else export_spans(run)
    if invocation.as_json:
        invocation.emit(ExportedRunJson.model_validate(sent))
    else:
        destination = (
            f" as {sent['experiment']} on the dataset {sent['dataset']}"
            if to == "langsmith"
            else f", {sent['spans']} spans"
        )
        invocation.out.print(f"Sent {sent['questions']} questions{destination}.", markup=False)
