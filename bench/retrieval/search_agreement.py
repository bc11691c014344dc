"""Do ``search`` and ``ask`` say the same of how far what was found can be trusted?

For each question of ``wild``, dev, the confidence of both. Fits the two numbers by which the score of a search is brought to the scale of an
answer (``searcher.TO_ANSWERS``), on all collections but one in turn, and says how often the levels agree. Writes ``results/search_agreement.json``.

    python -m bench.retrieval.search_agreement --wild HOMES

``HOMES`` holds a knowledge base for each corpus of ``wild``, by its name, as ``wild.py`` makes them.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ascertain import Ascertain
from ascertain.core.asking.passages import Level
from ascertain.core.asking.requests import AskRequest
from ascertain.retrieval.search.searcher import ANSWER_LEVELS, TO_ANSWERS, level_of
from bench.setting import circumstances, data_folder, save, show_status

ORDER = [Level.NONE, Level.LOW, Level.MEDIUM, Level.HIGH]
STEPS, RATE = 4_000, 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """What both say of one question; ``raw`` is the score of the search as its own model gives it."""

    corpus: str
    raw: int
    search: Level
    ask: Level
    ask_score: int


def read_pairs(homes: Path) -> list[Pair]:
    rows = [
        json.loads(line)
        for line in (data_folder() / "wild" / "dev" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    pairs: list[Pair] = []
    for home in sorted(homes.iterdir()):
        with Ascertain.open(home) as knowledge:
            for row in rows:
                if row["corpus"] != home.name or row["type"] == "follow-up":
                    continue
                show_status(f"{home.name}: {len(pairs)}")
                found = knowledge.search(row["question"]).confidence
                answer = knowledge.ask(AskRequest(row["question"], use_cache=False)).confidence
                pairs.append(Pair(home.name, to_raw(found.score), found.level, answer.level, answer.score))
    return pairs


def log_odds(score: float) -> float:
    held = min(max(score / 100, 0.01), 0.99)
    return math.log(held / (1 - held))


def to_raw(score: int) -> int:
    slope, intercept = TO_ANSWERS
    return round(100 / (1 + math.exp(-(log_odds(score) - intercept) / slope)))


def fit_scale(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Slope and intercept over log-odds that bring the score of a search nearest to that of the answer, by cross-entropy."""
    x = np.array([log_odds(pair.raw) for pair in pairs])
    y = np.array([pair.ask_score / 100 for pair in pairs])
    slope, intercept = 1.0, 0.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-(slope * x + intercept)))
        slope -= RATE * float(np.mean((p - y) * x))
        intercept -= RATE * float(np.mean(p - y))
    return slope, intercept


def count_agreement(pairs: Sequence[Pair], scale: tuple[float, float]) -> dict[str, float]:
    """Percent of questions whose levels are the same, next to each other, and two or more apart."""
    apart: Counter[int] = Counter()
    for pair in pairs:
        score = round(100 / (1 + math.exp(-(scale[0] * log_odds(pair.raw) + scale[1]))))
        apart[min(2, abs(ORDER.index(level_of(score)) - ORDER.index(pair.ask)))] += 1
    return {name: round(100 * apart[n] / len(pairs), 1) for n, name in enumerate(("same", "next", "further"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wild", type=Path, required=True)
    pairs = read_pairs(parser.parse_args().wild)
    held_out = [
        (pair, fit_scale([each for each in pairs if each.corpus != pair.corpus]))
        for pair in {p.corpus: p for p in pairs}.values()
    ]
    left_out: Counter[str] = Counter()
    for pair, scale in held_out:
        own = [each for each in pairs if each.corpus == pair.corpus]
        for name, share in count_agreement(own, scale).items():
            left_out[name] += round(share * len(own) / 100)
    results: dict[str, object] = {
        "about": "levels of search and ask on the same questions (wild, dev), percent; left out: fitted on the other collections",
        **circumstances(),
        "questions": len(pairs),
        "bounds": {level.value: bound for level, bound in ANSWER_LEVELS},
        "as_fitted_alone": count_agreement(pairs, (1.0, 0.0)),
        "in_use": count_agreement(pairs, TO_ANSWERS),
        "left_out": {name: round(100 * count / len(pairs), 1) for name, count in left_out.items()},
        "fit": [round(number, 2) for number in fit_scale(pairs)],
    }
    print(json.dumps({key: results[key] for key in ("as_fitted_alone", "in_use", "left_out", "fit")}, indent=1))
    save("search_agreement", results)


if __name__ == "__main__":
    main()
