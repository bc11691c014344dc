"""Measures the analysis on corpora with known truth (``analysis_corpus.py``) and writes ``results/analysis.json`` with the plot of docs/analysis.md.

    python -m bench.analysis.quality --seeds 10
    python -m bench.analysis.quality --seeds 1 --first 1001 --errors      # a seed that is not reported, with what went wrong
    python -m bench.analysis.quality --large 13 --place postgres-ray      # 5,200 articles: results/analysis_large.json
    python -m bench.analysis.quality --rated nytEditorialSnippets_GroundTruth.txt     # results/analysis_rated.json

The rated sentences are in the source package of vaderSentiment (additional_resources/hutto_ICWSM_2014.tar.gz); they are not copied here.

Offline, by rules. Documents are added with an embedder that knows nothing, since no vector is read; the last seed is also timed with
the built-in one. Seconds are processor seconds of this process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from ascertain import Ascertain
from ascertain.core.asking.runs import FixedClock
from ascertain.core.reports.analysis import Analysis, Pattern
from ascertain.core.settings import load_settings
from ascertain.reports.analysis.moods import MoodReader, name_mood
from bench.analysis.corpus import DAYS, FIRST, Truth, write_corpus
from bench.setting import RESULTS, ROOT
from bench.stores.servers import PLACES, Place

NOW = datetime(2025, 6, 16, 18, tzinfo=UTC)
QUESTION = "What was the sentiment on crypto since 17 April 2025?"
MOODS = ("positive", "neutral", "negative")


class NoEmbedder:
    """Unit vectors by chance, the same for the same text: an analysis reads none."""

    name = "none-16"
    dimension = 16

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        rows = [
            np.frombuffer(hashlib.sha512(text.encode()).digest()[:64], dtype=np.uint32).astype(np.float32)
            for text in texts
        ]
        made = np.asarray(rows, dtype=np.float32) if rows else np.zeros((0, 16), np.float32)
        made -= made.mean(axis=1, keepdims=True) if len(made) else 0
        return made / np.linalg.norm(made, axis=1, keepdims=True) if len(made) else made

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed_documents([text])[0]


def measure_seed(seed: int, folder: Path, errors: bool) -> dict[str, object]:
    """All figures of one corpus."""
    file = folder / f"articles-{seed}.jsonl"
    truth = write_corpus(seed, file)
    settings = load_settings(
        home=folder / f"kb-{seed}", environ={}, arguments={"profile": "news", "graph.build": False}
    ).settings
    with Ascertain(settings, clock=FixedClock(NOW), embedder=NoEmbedder()) as knowledge:
        report = knowledge.add([file])
        started = time.process_time()
        analysis = knowledge.analyze(QUESTION)
        first = time.process_time() - started
        started = time.process_time()
        again = knowledge.analyze("What is your prediction for crypto since 17 April 2025?")
        second = time.process_time() - started
        urls = {record.id: record.url or "" for record in knowledge.documents()}
        patterns = {knowledge.analyze(QUESTION, pattern=pattern).answer.text for pattern in Pattern}
        quotes = check_quotes(knowledge, analysis) + check_quotes(knowledge, again)
    figures = compare_analysis(analysis, truth, urls, errors)
    figures |= {"added": report.added, "seconds_first": round(first, 2), "seconds_second": round(second, 2)}
    figures |= {"reused_at_second": again.coverage.reused, "patterns_differ": len(patterns) - 1, "wrong_quotes": quotes}
    figures["sentences"] = score_sentences(truth, errors)
    return figures


ENGINES = {"embedded": "local", "postgres": "local", "postgres-ray": "ray"}
"""What adds the documents of each place of ``--large``."""


def measure_large(corpora: int, folder: Path, name: str) -> dict[str, object]:
    """Seconds and memory of adding many times 400 articles to the place of this name, and of analysing them all, the first time and
    again.
    """
    files = [folder / f"articles-{seed}.jsonl" for seed in range(2001, 2001 + corpora)]
    planted = [write_corpus(seed, file) for seed, file in enumerate(files, 2001)]
    with PLACES[name.split("-", maxsplit=1)[0]](folder / "place") as place:
        arguments = {"profile": "news", "graph.build": False, "store.kind": place.settings.kind}
        if place.settings.url:
            arguments |= {"store.url": place.settings.url}
        if ENGINES[name] == "ray":
            arguments |= {"ingest.engine": "ray"}
        settings = load_settings(home=place.home, environ={}, arguments=arguments).settings
        with Ascertain(settings, clock=FixedClock(NOW), embedder=NoEmbedder()) as knowledge:
            watch = Watch(place)
            report = knowledge.add(files)
            adding = watch.read()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            analyses: list[dict[str, float]] = []
            for _ in range(2):
                watch = Watch(place)
                analysis = knowledge.analyze(QUESTION)
                analyses.append(watch.read())
    coverage, found = analysis.coverage, analysis.findings
    return {
        "store": place.kind,
        "engine": ENGINES[name],
        "versions": place.versions,
        "added": report.added,
        "duplicates_at_adding": report.duplicates,
        "adding": adding,
        "first": analyses[0],
        "second": analyses[1],
        "pattern": analysis.pattern.value,
        "coverage": {
            "found": coverage.found,
            "read": coverage.read,
            "duplicates": coverage.duplicates,
            "off_subject": coverage.off_subject,
            "duplicates_planted": sum(len(each.duplicates) for each in planted),
            "off_subject_planted": sum(len(each.others) for each in planted),
        },
        "moves": len(found.moves),
        "contradictions": len(found.contradictions),
        "forecasts": len(found.forecasts),
        "memory_mb_before": before,
        "memory_mb_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


class Watch:
    """Seconds by the wall, of the processor in this process and those that it started and that ended, and in the server."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._began = self._now()

    def read(self) -> dict[str, float]:
        names = ("seconds", "processor_seconds", "children_processor_seconds", "server_processor_seconds")
        return {name: round(now - then, 2) for name, now, then in zip(names, self._now(), self._began, strict=True)}

    def _now(self) -> tuple[float, ...]:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        server = self._place.server_processor_seconds()
        return time.perf_counter(), time.process_time(), children.ru_utime + children.ru_stime, server


def check_quotes(knowledge: Ascertain, analysis: Analysis) -> int:
    """Quotes that are not what their document holds; of findings as well as of citations."""
    found = analysis.findings
    quotes = [each.quote for each in (*found.moves, *found.forecasts, *found.events)]
    quotes += [quote for each in found.contradictions for quote in (each.one, each.other)]
    texts: dict[str, str] = {}
    wrong = 0
    for each in (*quotes, *analysis.citations):
        if each.document_id not in texts:
            document = knowledge.document(each.document_id)
            texts[each.document_id] = document.text if document else ""
        text = each.text if hasattr(each, "text") else each.quote
        wrong += each.span.of(texts[each.document_id]) != text
    return wrong


def compare_analysis(analysis: Analysis, truth: Truth, urls: dict[str, str], errors: bool) -> dict[str, object]:
    """What was found of what was planted, and what was found that was not."""
    found = analysis.findings
    counted = Counter(truth.moods.values())
    total = sum(counted.values())
    neutral_extra = len(found.documents) - total
    shares = {each.mood.value: len(each.documents) for each in found.shares}
    planted = {mood: counted[mood] / total for mood in MOODS}
    # the articles that hold a contradiction have no planted mood; they are left out of both
    own = [(each.mood.value, [urls[one] for one in each.documents]) for each in found.shares]
    told = {mood: sum(url in truth.moods for url in held) / total for mood, held in own}
    off = {mood: round(100 * (told[mood] - planted[mood]), 1) for mood in MOODS}
    copies = dict(truth.duplicates)
    moves = {(m["asset"], m["day"], m["direction"], m["percent"], m["level"]) for m in truth.moves}
    seen = {(m.subject, m.day.isoformat() if m.day else "", m.direction.value, m.percent, m.level) for m in found.moves}
    pairs = {frozenset(each) for each in truth.contradictions}
    disputes = {
        frozenset(copies.get(urls[q.document_id], urls[q.document_id]) for q in (c.one, c.other))
        for c in found.contradictions
    }
    forecasts = {(f["text"], f["speaker"], f["asset"], f["direction"]) for f in truth.forecasts}
    names = {str(f["speaker"]) for f in truth.forecasts}
    heard = {
        (
            f.quote.text,
            next((name for name in names if f.speaker.startswith(name)), f.speaker),
            f.subject,
            f.direction.value if f.direction else "",
        )
        for f in found.forecasts
    }
    peaks = [turn.first for turn in found.turning_points if turn.what == "Litecoin" and turn.before.value == "up"]
    peak = datetime.fromisoformat(truth.peak).date()
    coverage = analysis.coverage
    right = (coverage.read, coverage.found, coverage.duplicates, coverage.off_subject) == (
        400,
        400,
        len(truth.duplicates),
        len(truth.others),
    )
    if errors:
        at = {m["url"]: (m["asset"], m["day"], m["direction"], m["percent"], m["level"]) for m in truth.moves}
        print("missed moves", *sorted(f"{at[url]} {url}" for url in at if at[url] not in seen), sep="\n  ")
        print("invented moves", *sorted(map(str, seen - moves)), sep="\n  ")
        print(
            "missed contradictions",
            pairs - disputes,
            "\ninvented",
            *[
                (c.why, c.one.text, c.other.text)
                for c in found.contradictions
                if frozenset(copies.get(urls[q.document_id], urls[q.document_id]) for q in (c.one, c.other))
                not in pairs
            ],
            sep="\n  ",
        )
        print(
            "missed forecasts",
            *sorted(map(str, forecasts - heard)),
            "invented",
            *sorted(map(str, heard - forecasts)),
            sep="\n  ",
        )
        print(coverage, neutral_extra, shares, peaks, peak)
    return {
        "share_points_off": off,
        "largest_share_error": max(map(abs, off.values())),
        "moves": len(moves),
        "moves_found": len(moves & seen),
        "moves_invented": len(seen - moves),
        "contradictions": len(pairs),
        "contradictions_found": len(pairs & disputes),
        "contradictions_invented": len(disputes - pairs),
        "forecasts": len(forecasts),
        "forecasts_found": len(forecasts & heard),
        "forecasts_invented": len(heard - forecasts),
        "peak_days_off": min((abs((day - peak).days) for day in peaks), default=None),
        "coverage_right": right,
        "confidence": analysis.confidence.score,
    }


def score_sentences(truth: Truth, errors: bool) -> dict[str, float]:
    """Precision, recall and F1 of the mood of each labelled sentence, and their macro mean."""
    from ascertain.core.settings.profiles import load_profile

    reader = MoodReader(load_profile("news").moods)
    labelled = sorted(set(truth.sentences))
    told = [name_mood(reader.score_sentence(text)).value for text, _ in labelled]
    if errors:
        for (text, mood), got in zip(labelled, told, strict=True):
            if got != mood:
                print(f"  {mood:8} as {got:8} {reader.score_sentence(text):+.2f} {text}")
    return macro_f1([mood for _, mood in labelled], told)


PLAIN = 1.0
"""Mean rating from which people are plain about a sentence."""
RATED_NEUTRAL = 0.5
"""Mean rating, -4..4, up to which a sentence is neutral."""


def measure_rated(file: Path) -> dict[str, object]:
    """How the moods of sentences agree with the mean of twenty people's ratings; VADER alone beside it.

    ``file`` has an id, a rating -4..4 and a sentence a line, between tabs, as VADER's authors published theirs.
    """
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    from ascertain.core.settings.profiles import load_profile

    rows = [
        line.split("\t") for line in file.read_text("utf-8", errors="replace").splitlines() if line.count("\t") >= 2
    ]
    ratings, texts = np.array([float(row[1]) for row in rows]), [row[2] for row in rows]
    wanted = [name_rating(each) for each in ratings]
    reader, alone = MoodReader(load_profile("news").moods), SentimentIntensityAnalyzer()
    scores = {
        "ascertain": np.array([reader.score_sentence(text) for text in texts]),
        "VADER alone": np.array([alone.polarity_scores(text)["compound"] for text in texts]),
    }
    plain = np.abs(ratings) >= PLAIN
    made: dict[str, object] = {"file": file.name, "sentences": len(rows), "plain": int(plain.sum())}
    for name, own in scores.items():
        told = [name_mood(float(each)).value for each in own]
        sided = np.array([each != "neutral" for each in told]) & plain
        right = np.sign(own[sided]) == np.sign(ratings[sided])
        made[name] = {
            **macro_f1(wanted, told),
            "correlation": round(float(np.corrcoef(own, ratings)[0, 1]), 3),
            "plain_with_a_side": round(float(sided.sum() / plain.sum()), 3),
            "of_these_right": round(float(right.mean()), 3),
        }
    return made


def name_rating(rating: float) -> str:
    """The mood that people mean by a mean rating."""
    return "neutral" if abs(rating) <= RATED_NEUTRAL else ("positive" if rating > 0 else "negative")


def macro_f1(wanted: Sequence[str], told: Sequence[str]) -> dict[str, float]:
    """F1 of each mood and the mean of the three."""
    scores: dict[str, float] = {}
    for mood in MOODS:
        right = sum(a == b == mood for a, b in zip(wanted, told, strict=True))
        scores[mood] = 2 * right / max(1, sum(a == mood for a in wanted) + sum(b == mood for b in told))
    return {**{mood: round(f1, 3) for mood, f1 in scores.items()}, "macro_f1": round(sum(scores.values()) / 3, 3)}


def summarise_seeds(seeds: dict[int, dict[str, object]]) -> dict[str, object]:
    """The worst over all seeds, which is what the limits are of."""
    rows = list(seeds.values())
    return {
        "largest_share_error": max(row["largest_share_error"] for row in rows),
        "least_macro_f1": min(row["sentences"]["macro_f1"] for row in rows),
        "moves_missed": sum(row["moves"] - row["moves_found"] for row in rows),
        "contradictions_missed": sum(row["contradictions"] - row["contradictions_found"] for row in rows),
        "forecasts_missed": sum(row["forecasts"] - row["forecasts_found"] for row in rows),
        "invented": sum(row[f"{what}_invented"] for row in rows for what in ("moves", "contradictions", "forecasts")),
        "coverage_right": all(row["coverage_right"] for row in rows),
        "wrong_quotes": sum(row["wrong_quotes"] for row in rows),
        "most_seconds_first": max(row["seconds_first"] for row in rows),
        "most_seconds_second": max(row["seconds_second"] for row in rows),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def draw_plot(seeds: dict[int, dict[str, object]], file: Path) -> None:
    """How far the shares are off, and the F1 of sentences, by seed."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    names = list(seeds)
    for mood, colour in zip(MOODS, ("#2a9d8f", "#8d99ae", "#d1495b"), strict=True):
        left.plot(names, [seeds[each]["share_points_off"][mood] for each in names], "o-", color=colour, label=mood)
        right.plot(names, [seeds[each]["sentences"][mood] for each in names], "o-", color=colour, label=mood)
    left.axhspan(-5, 5, color="#eee", zorder=0)
    left.set(title="Shares: points off what was planted", xlabel="seed", ylabel="percentage points")
    right.axhline(0.75, color="#444", linewidth=0.8, linestyle=":")
    right.set(title="Sentences: F1 of each mood", xlabel="seed", ylim=(0.5, 1))
    left.legend(frameon=False)
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--large", type=int, default=0, help="time so many corpora in one knowledge base instead")
    parser.add_argument(
        "--place", default="embedded", choices=list(ENGINES), help="with --large: where, and what adds them"
    )
    parser.add_argument("--rated", type=Path, help="rated sentences to measure the moods on instead")
    given = parser.parse_args()
    if given.rated:
        made = measure_rated(given.rated)
        (RESULTS / "analysis_rated.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
        print(json.dumps(made, indent=2))
        return
    seeds: dict[int, dict[str, object]] = {}
    if given.large:
        with tempfile.TemporaryDirectory() as name:
            made = measure_large(given.large, Path(name), given.place)
        file = RESULTS / "analysis_large.json"
        known = json.loads(file.read_text("utf-8")).get("places", {}) if file.exists() else {}
        both = {"articles": 400 * given.large, "places": {**known, given.place: made}}
        file.write_text(json.dumps(both, indent=1) + "\n", "utf-8")
        print(json.dumps(made, indent=2))
        return
    with tempfile.TemporaryDirectory() as name:
        for seed in range(given.first, given.first + given.seeds):
            seeds[seed] = measure_seed(seed, Path(name), given.errors)
            print(seed, json.dumps(seeds[seed]))
    summary = summarise_seeds(seeds)
    print(json.dumps(summary, indent=2))
    if given.first == 1 and given.seeds == 10:
        made = {"articles": 400, "days": DAYS, "from": FIRST.date().isoformat(), "summary": summary, "seeds": seeds}
        (RESULTS / "analysis.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
        draw_plot(seeds, ROOT / "docs" / "images" / "analysis.svg")


if __name__ == "__main__":
    main()
