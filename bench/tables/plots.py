"""Draws ``docs/images/*.svg`` from the results files.

    python -m bench.tables.plots

Colours are those of Okabe & Ito (2008), told apart by people with any common colour vision; every series also has its own
lightness and a label. Nothing is measured here.
"""

from __future__ import annotations

import json

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.setting import RESULTS, ROOT
from bench.tables.graph_plots import draw_graph_quality
from bench.tables.peers import draw_peers
from bench.tables.stores_plots import draw_store_loads, draw_store_searches

IMAGES = ROOT / "docs" / "images"

ORANGE, SKY, GREEN, BLUE, RED, GREY = "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#B8B8B8"
SERIES = {
    "bm25": ("BM25", GREY),
    "minilm": ("MiniLM", SKY),
    "rrf": ("RRF of both", ORANGE),
    "ascertain": ("Ascertain", BLUE),
}


def main() -> None:
    mpl.rcParams.update(
        {
            "font.size": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "figure.constrained_layout.use": True,
            "svg.fonttype": "none",
            "svg.hashsalt": "ascertain",  # the same data gives the same file
        }
    )
    IMAGES.mkdir(parents=True, exist_ok=True)
    retrieval = json.loads((RESULTS / "retrieval.json").read_text("utf-8"))
    answers = json.loads((RESULTS / "answers.json").read_text("utf-8"))
    _write(draw_retrieval(retrieval), "retrieval")
    _write(draw_chunking(retrieval), "chunking")
    _write(draw_answers(answers), "answers")
    speed = json.loads((RESULTS / "search_speed.json").read_text("utf-8"))
    _write(draw_speed(speed), "speed")
    stores = json.loads((RESULTS / "stores_speed.json").read_text("utf-8"))
    _write(draw_store_searches(stores), "store-searches")
    _write(draw_store_loads(stores), "store-loads")
    models = json.loads((RESULTS / "scripted_models.json").read_text("utf-8"))
    _write(draw_scripted_models(models), "scripted-models")
    graph = json.loads((RESULTS / "graph_quality.json").read_text("utf-8"))
    _write(draw_graph_quality(graph), "graph-quality")
    _write(draw_reading(*_read_both("reading_before", "reading")), "reading")
    _write(draw_peers(json.loads((RESULTS / "peers.json").read_text("utf-8"))), "peers")


def draw_speed(results: dict) -> Figure:
    """Median and 95th percentile of one hybrid search over 100,000 chunks, by engine."""
    found = results["in_turn_with_lancedb"]
    engines = [
        ("ascertain", "Ascertain", BLUE),
        ("ivf_hnsw_sq", "LanceDB, IVF_HNSW_SQ", SKY),
        ("as_it_comes", "LanceDB, as it comes", GREY),
    ]
    figure, axes = plt.subplots(figsize=(8, 2.4))
    for place, (key, _, colour) in enumerate(engines):
        median, slow = found[key]["median_ms"], found[key]["p95_ms"]
        axes.barh(place, median, color=colour, height=0.6)
        axes.plot([median, slow], [place, place], color="black", linewidth=1)
        axes.text(slow * 1.05, place, f"{median:.0f} ms, 95 % within {slow:.0f}", va="center")
    axes.set_yticks(range(len(engines)), [label for _, label, _ in engines])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(1, 12 * max(found[key]["p95_ms"] for key, _, _ in engines))
    axes.set_xlabel("milliseconds for one hybrid search over 100,000 chunks (logarithmic)")
    return figure


def draw_retrieval(results: dict) -> Figure:
    """nDCG@10 and R@5 of each set, the reference columns and ours side by side."""
    rows = [row for row in results["sets"] if "references" in row]
    figure, panels = plt.subplots(2, 1, figsize=(10, 7), sharex=True)
    for axes, measure in zip(panels, ("nDCG@10", "R@5"), strict=True):
        for place, (key, (label, colour)) in enumerate(SERIES.items()):
            values = [
                100 * row["metrics"][measure] if key == "ascertain" else row["references"][key][measure] for row in rows
            ]
            at = [index + (place - 1.5) * 0.2 for index in range(len(rows))]
            bars = axes.bar(at, values, width=0.19, color=colour, label=label)
            if key == "ascertain":
                axes.bar_label(bars, fmt="%.1f", fontsize=8, padding=1)
        axes.set_ylabel(f"{measure} (%)")
        axes.set_ylim(0, 108)
        axes.grid(axis="y", color="#E5E5E5")
    panels[0].legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    panels[1].set_xticks(range(len(rows)), [row["set"].replace("_", "\n", 1) for row in rows])
    return figure


def draw_chunking(results: dict) -> Figure:
    """Gold text inside the top five chunks, ours and the plain chunker's."""
    row = next(row for row in results["sets"] if "plain_chunker" in row)
    measures = {"gold_characters@5": "of all gold characters", "gold_recall@5": "mean over questions"}
    figure, axes = plt.subplots(figsize=(7, 2.6))
    for place, (label, metrics, colour) in enumerate(
        (("plain 1000/150", row["plain_chunker"], GREY), ("Ascertain", row["metrics"], BLUE))
    ):
        at = [index + (place - 0.5) * 0.38 for index in range(len(measures))]
        bars = axes.barh(at, [100 * metrics[name] for name in measures], height=0.36, color=colour, label=label)
        axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(measures)), measures.values())
    axes.set_xlim(0, 105)
    axes.set_xlabel("gold text inside the top 5 chunks (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return figure


def draw_answers(results: dict) -> Figure:
    """Gold answers found in the answers, and how well questions without an answer are recognised."""
    rows = results["sets"]
    expected = [row for row in rows if "answer_in_text" in row["metrics"]]
    marked = [row for row in rows if row["metrics"].get("auroc") is not None]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.8))
    bars = left.barh(
        [row["set"] for row in expected], [100 * row["metrics"]["answer_in_text"] for row in expected], color=BLUE
    )
    left.bar_label(bars, fmt="%.1f", padding=3)
    left.set_xlim(0, 110)
    left.invert_yaxis()
    left.set_xlabel("questions whose answer holds the gold answer (%)")
    _draw_abstention(right, marked)
    return figure


def draw_scripted_models(results: dict) -> Figure:
    """What became of the questions that have an answer, with each chat model; the line is offline's share of right ones."""
    found = results["models"]
    series = (("right", "right", BLUE), ("declined", "declined", GREY), ("wrong", "wrong", RED))
    figure, axes = plt.subplots(figsize=(8, 0.3 * len(found) + 1))
    before = [0.0] * len(found)
    for key, label, colour in series:
        shares = [row[key] for row in found.values()]
        axes.barh(range(len(found)), shares, left=before, height=0.7, color=colour, label=label)
        before = [start + share for start, share in zip(before, shares, strict=True)]
    axes.axvline(found["offline"]["right"], color="black", linewidth=1, linestyle="--")
    axes.set_yticks(range(len(found)), [name.replace("_", " ") for name in found])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("questions that have an answer (%)")
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    return figure


def draw_reading(before: dict, after: dict) -> Figure:
    """Median and least recall of the words of a file, format by format, before the tree of blocks and with it."""
    names = [name for name, row in after["formats"].items() if row["files"]]
    figure, axes = plt.subplots(figsize=(8, 0.32 * len(names) + 1))
    for shift, results, label, colour in ((-0.15, before, "before", GREY), (0.15, after, "now", BLUE)):
        rows = [results["formats"][name] for name in names]
        at = [place + shift for place in range(len(names))]
        medians, least = [100 * row["recall_median"] for row in rows], [100 * row["recall_min"] for row in rows]
        axes.hlines(at, least, medians, color=colour, linewidth=1)
        axes.plot(medians, at, "o", color=colour, markersize=5, label=f"{label}: median, line to the least")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 101)
    axes.set_xlabel("words of a file that are stored (%)")
    axes.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    return figure


def _read_both(before: str, after: str) -> tuple[dict, dict]:
    """Two results files; the first stands for both as long as the second is not measured."""
    found = json.loads((RESULTS / f"{before}.json").read_text("utf-8"))
    path = RESULTS / f"{after}.json"
    return found, json.loads(path.read_text("utf-8")) if path.is_file() else found


def _draw_abstention(axes: Axes, rows: list[dict]) -> None:
    series = (
        ("auroc", "AUROC of the confidence", GREEN),
        ("abstention_recall", "unanswerable, declined", SKY),
        ("false_abstention_rate", "answerable, declined (less is better)", RED),
    )
    for place, (key, label, colour) in enumerate(series):
        at = [index + (place - 1) * 0.26 for index in range(len(rows))]
        bars = axes.bar(at, [100 * row["metrics"][key] for row in rows], width=0.24, color=colour, label=label)
        axes.bar_label(bars, fmt="%.0f", fontsize=8, padding=1)
    axes.set_xticks(range(len(rows)), [row["set"] for row in rows])
    axes.set_ylim(0, 108)
    axes.set_ylabel("%")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False, fontsize=9)


def _write(figure: Figure, name: str) -> None:
    path = IMAGES / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    print(path)


if __name__ == "__main__":
    main()
