"""What each part of the default pipeline brings: retrieval as ``ask`` searches, with one part left out at a time, into ``results/ablations.json``.

    python -m bench.retrieval.ablations [--cache DIR] [SET ...]

Offline. The scores of every part are kept in ``DIR`` by commit, so that a run that was stopped goes on. Each difference is paired over the questions, with its 95 % interval and the chance of one as large if the part did nothing. Of the larger sets
every so many-th question is asked. A part pays where leaving it out costs something on a set; one that pays on none is named in the page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import ranking_metrics
from ascertain.evaluation.measures.significance import compare_pairs
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import CachedEmbedder, Knowledge, Listener, open_knowledge
from ascertain.questions.planning import RulePlanner
from ascertain.retrieval.query.expansion import RuleExpander
from ascertain.retrieval.search.retriever import Followed, Iteration
from ascertain.retrieval.search.searcher import Searcher
from bench.peers.ascertain_ask_peer import search_as_asked
from bench.setting import RESULTS, circumstances, data_folder, name_moment, save, show_status

SETS = {
    "anthropic_docs": 1,
    "hotpot_train100": 1,
    "musique_train100": 1,
    "morehopqa150": 2,
    "mtrag_un": 2,
    "clapnq_dev": 3,
    "xquad_en": 15,
    "trec_dl19_pool": 1,
}
"""Sets, and of which questions every so many-th is asked."""
K = 50
MEASURES = ("nDCG@10", "R@5")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the pipeline: ``settings`` under retrieval that take it away, or ``patches`` of the product where no setting does."""

    label: str
    settings: Mapping[str, object] | None = None
    patches: Callable[[], Sequence[mock._patch]] = tuple


def _plan_without(**changes: object) -> Callable[[], Sequence[mock._patch]]:
    plan = RulePlanner.plan

    def plan_changed(self: RulePlanner, *args: object) -> object:
        return replace(plan(self, *args), **changes)

    return lambda: [mock.patch.object(RulePlanner, "plan", plan_changed)]


def _follow_nothing(self: Iteration, first: object, passages: Sequence[object], run: object) -> Followed:
    return Followed(passages, ())


PARTS = {
    "whole": Part("the whole"),
    "expansion": Part(
        "other wordings of short questions", patches=lambda: [mock.patch.object(RuleExpander, "expand", lambda *_: ())]
    ),
    "sub_queries": Part("searching the parts of a question", patches=_plan_without(sub_queries=())),
    "graph": Part("the graph", patches=_plan_without(graph_query=None)),
    "names": Part("following names", patches=lambda: [mock.patch.object(Iteration, "follow", _follow_nothing)]),
    "graph_and_names": Part(
        "the graph and following names",
        patches=lambda: [*_plan_without(graph_query=None)(), mock.patch.object(Iteration, "follow", _follow_nothing)],
    ),
    "title": Part("the score of the title", {"fusion": {"title_weight": 0.0}}),
    "feedback": Part("moving the question's vector", {"fusion": {"feedback_weight": 0.0}}),
    "lexical": Part("the lexical leg", {"strategy": "semantic"}),
    "dense": Part("the dense leg", {"strategy": "keyword"}),
    "scores": Part("scores in fusion (ranks instead)", {"fusion": {"method": "rrf"}}),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="*", help="default: all")
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    given = arguments.parse_args()
    path = RESULTS / "ablations.json"
    rows = read_kept(path) if given.sets and path.exists() else {}
    for name in given.sets or SETS:
        rows[name] = measure_set(read_set(data_folder() / name), given.cache) | {
            "measured": name_moment(circumstances())
        }
        print(json.dumps({name: rows[name]}), flush=True)
        ordered = {each: rows[each] for each in SETS if each in rows}
        labels = {part: held.label for part, held in PARTS.items()}
        save("ablations", {"circumstances": circumstances(), "parts": labels, "sets": ordered})


def read_kept(path: Path) -> dict[str, dict[str, object]]:
    """The sets that were measured before, each with its moment."""
    held = json.loads(path.read_text("utf-8"))
    return {name: {"measured": name_moment(held["circumstances"])} | found for name, found in held["sets"].items()}


def measure_set(data: EvaluationSet, cache: Path) -> dict[str, object]:
    judged = [query for query in data.queries if any(gain > 0 for gain in data.judgements.get(query.id, {}).values())]
    queries = judged[:: SETS.get(data.name, 1)]
    scores: dict[str, dict[str, list[float]]] = {}
    with remember_questions():
        for name, part in PARTS.items():
            show_status(f"{data.name}: {name}")
            kept = cache / "ablations" / f"{circumstances()['commit']}-{data.name}-{name}.json"
            if kept.exists() and "+" not in kept.name:
                scores[name] = json.loads(kept.read_text("utf-8"))
                continue
            rows = rate_without(part, data, queries, cache)
            scores[name] = {measure: [row[measure] for row in rows] for measure in MEASURES}
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(scores[name]), "utf-8")
    whole = scores["whole"]
    without = {
        name: {m: _compare(whole[m], held[m]) for m in MEASURES} for name, held in scores.items() if name != "whole"
    }
    means = {measure: round(sum(values) / len(values), 4) for measure, values in whole.items()}
    return {"queries": len(queries), "whole": means, "without": without}


def rate_without(part: Part, data: EvaluationSet, queries: Sequence[Query], cache: Path) -> list[Mapping[str, float]]:
    changes = Settings().retrieval.model_dump() | _merge(part.settings)
    settings = Settings.model_validate({"retrieval": changes})
    with ExitStack() as stack:
        for patch in part.patches():
            stack.enter_context(patch)
        if "strategy" in (part.settings or {}):
            stack.enter_context(_keep_strategy(settings))
        knowledge = stack.enter_context(open_knowledge(data, settings, cache, Listener(show_status, _ignore)))
        return [rate_question(data, knowledge, query) for query in queries]


def _merge(changes: Mapping[str, object] | None) -> dict[str, object]:
    held = Settings().retrieval.model_dump()
    return {key: held[key] | value if isinstance(value, dict) else value for key, value in (changes or {}).items()}


@contextmanager
def _keep_strategy(settings: Settings) -> Iterator[None]:
    """One leg, whatever the question looks like."""
    explore = Searcher.explore

    def explore_by_setting(self: Searcher, query: str, **named: object) -> object:
        return explore(self, query, **{**named, "strategy": None})

    with mock.patch.object(Searcher, "explore", explore_by_setting):
        yield


@contextmanager
def remember_questions() -> Iterator[None]:
    """Every wording is embedded once, however many ways it is searched in."""
    embed = CachedEmbedder.embed_query
    held: dict[str, object] = {}

    def embed_once(self: CachedEmbedder, text: str) -> object:
        if text not in held:
            held[text] = embed(self, text)
        return held[text]

    with mock.patch.object(CachedEmbedder, "embed_query", embed_once):
        yield


def rate_question(data: EvaluationSet, knowledge: Knowledge, query: Query) -> Mapping[str, float]:
    found = search_as_asked(knowledge.app.view.steps, query.text, K, knowledge.limits(query))
    ranking = list(dict.fromkeys(knowledge.corpus_ids[passage.chunk.document_id] for passage in found))
    return ranking_metrics(ranking, data.judgements[query.id])


def _compare(whole: Sequence[float], without: Sequence[float]) -> dict[str, object]:
    """What the part brings: the whole less what is left without it."""
    test = compare_pairs(without, whole)
    return {
        "gain": round(test.difference, 4),
        "interval": [round(end, 4) for end in test.interval],
        "p": round(test.p, 4),
        "better": test.better,
        "worse": test.worse,
    }


def _ignore(_line: str) -> None:
    pass


if __name__ == "__main__":
    main()
