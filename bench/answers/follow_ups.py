"""Does the standalone rewrite of a follow-up find more than the last turn alone? (QU-1)

On ``mtrag_un``: recall and nDCG of the last turn as asked and of ``RuleRewriter``'s standalone question, by kind of question; the
same with every question put after a stranger's conversation, which shows what the rewrite costs where nothing is to be gained;
and a fit of the three numbers of the rule on one half, read off on the other. Writes ``results/follow_ups.json``.

    python -m bench.answers.follow_ups [--cache FOLDER]
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.asking.requests import Turn
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import average_rows, ranking_metrics
from ascertain.evaluation.retrieval import rank_documents
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.questions.conversation import rewriting, topics
from bench.setting import circumstances, data_folder, save, show_remark, show_status

SET = "mtrag_un"
METRICS = ("R@5", "nDCG@10")
GRID = {"words_added": (2, 3, 4), "decay": (0.4, 0.6, 0.8), "assistant": (0.5, 0.8, 1.0)}
Row = Mapping[str, float]


class Measure:
    """Searches for texts in place of a query's own, each once."""

    def __init__(self, data: EvaluationSet, knowledge: Knowledge) -> None:
        self._judgements = data.judgements
        self._knowledge = knowledge
        self._known: dict[tuple[str, str], Row] = {}

    def __call__(self, query: Query, text: str) -> Row:
        key = (query.id, text)
        if key not in self._known:
            show_status(f"{SET}: {len(self._known):,} searches")
            found = rank_documents(replace(query, text=text), self._knowledge, None)
            self._known[key] = ranking_metrics(found.corpus_ids, self._judgements[query.id])
        return self._known[key]


def rewritten(query: Query, history: Sequence[Turn]) -> str:
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    return rewriting.RuleRewriter().standalone(query.text, history, run).text


def percent(rows: Iterable[Row]) -> dict[str, float]:
    averaged = average_rows(list(rows))
    return {name: round(100 * averaged[name], 1) for name in METRICS}


def compared(measure: Measure, queries: Sequence[Query], text: Callable[[Query], str]) -> dict[str, object]:
    """The last turn and its rewrite over ``queries``, and how many got better, worse, and were left alone."""
    before = [measure(query, query.text) for query in queries]
    after = [measure(query, text(query)) for query in queries]
    gains = [new["R@5"] - old["R@5"] for old, new in zip(before, after, strict=True)]
    return {
        "questions": len(queries),
        "last turn": percent(before),
        "rewrite": percent(after),
        "R@5 better": sum(gain > 0 for gain in gains),
        "R@5 worse": sum(gain < 0 for gain in gains),
        "left as asked": sum(text(query) == query.text for query in queries),
    }


def strangers(queries: Sequence[Query]) -> dict[str, Sequence[Turn]]:
    """For each query the history of the one half the list away."""
    told = [query for query in queries if query.history]
    half = len(told) // 2
    return {query.id: told[(at + half) % len(told)].history for at, query in enumerate(queries)}


def cross_validated(measure: Measure, queries: Sequence[Query]) -> list[dict[str, object]]:
    """The best setting of one half, and what it gives on the other."""
    shipped = (rewriting.WORDS_ADDED, topics.DECAY, topics.ASSISTANT)
    tables: dict[tuple[float, ...], list[Row]] = {}
    for setting in itertools.product(*GRID.values()):
        rewriting.WORDS_ADDED, topics.DECAY, topics.ASSISTANT = setting
        tables[setting] = [measure(query, rewritten(query, query.history)) for query in queries]
    rewriting.WORDS_ADDED, topics.DECAY, topics.ASSISTANT = shipped
    last_turn = [measure(query, query.text) for query in queries]
    folds: list[dict[str, object]] = []
    for fitted, name in ((0, "even"), (1, "odd")):
        best = max(tables, key=lambda setting: sum(row["R@5"] for row in tables[setting][fitted::2]))
        held = 1 - fitted
        folds.append(
            {
                "fitted on": name,
                "setting": dict(zip(GRID, best, strict=True)),
                "last turn, other half": percent(last_turn[held::2]),
                "rewrite, other half": percent(tables[best][held::2]),
                "shipped setting, other half": percent(tables[shipped][held::2]),
            }
        )
    return folds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="folder of document vectors that are kept")
    cache = parser.parse_args().cache
    data = read_set(data_folder() / SET)
    judged = [q for q in data.queries if any(gain > 0 for gain in data.judgements.get(q.id, {}).values())]
    follow_ups = [query for query in judged if query.history]
    first_turns = [query for query in judged if not query.history]
    with open_knowledge(data, Settings(), cache, Listener(show_status, show_remark)) as knowledge:
        measure = Measure(data, knowledge)
        strange = strangers(judged)

        def own(query: Query) -> str:
            return rewritten(query, query.history)

        changed = [query for query in follow_ups if own(query) != query.text]
        results: dict[str, object] = {
            "about": "percent; R@5 and nDCG@10 of search with the last turn as asked and with its standalone rewrite",
            **circumstances(),
            "set": SET,
            "kinds": {
                "follow-up": compared(measure, follow_ups, own),
                "follow-up, rewritten": compared(measure, changed, own),
                "follow-up, left as asked": compared(
                    measure, [query for query in follow_ups if query not in changed], own
                ),
                "first turn": compared(measure, first_turns, own),
                "after a stranger's conversation": compared(
                    measure, judged, lambda query: rewritten(query, strange[query.id])
                ),
            },
            "cross-validated": cross_validated(measure, follow_ups),
        }
    print(save("follow_ups", results))


if __name__ == "__main__":
    main()
