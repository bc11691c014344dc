"""Do further wordings of a question find more? Offline, into ``results/variants.json``.

    python -m bench.retrieval.variants [--cache DIR] [SET ...]

A single search beside the same with up to three wordings searched too and fused with it, made in four ways: ``templates``
are those of ``RuleExpander`` without a chat model (technical, simple, another aspect); ``abbreviations`` write out what the
documents abbreviate, and abbreviate what they write out ("Long Form (LF)"); ``neighbours`` adds the words that stand most
often beside those of the question in the first passages; ``all`` has one of each. Of ``xquad_en`` every tenth question is
asked.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.asking.passages import Passage, Strategy
from ascertain.core.asking.plans import Variant
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.evaluation.measures.metrics import average_rows, ranking_metrics
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, open_knowledge
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, word_informativeness
from ascertain.retrieval.query.expansion import RuleExpander
from ascertain.retrieval.search.retriever import RetrievalRequest, Retriever
from bench.answers.answerability import PLAN
from bench.setting import circumstances, data_folder, save, show_remark, show_status

SETS = ("anthropic_docs", "hotpot_train100", "musique_train100", "clapnq_dev", "mtrag_un", "xquad_en")
EVERY = {"xquad_en": 10}
K = 50
"""Passages asked for: ten documents even where several passages are of one."""
MEASURES = ("R@5", "nDCG@10")
READ = 5
"""First passages whose words are counted."""
ADDED = 4
"""Words that are added to a wording."""
_ABBREVIATED = re.compile(r"((?:[A-Z][\w'’-]+ (?:(?:of|and|for|the|in) )?){1,5}[A-Z][\w'’-]+) \(([A-Z][A-Za-z]{1,7})\)")

Way = Callable[[str, Sequence[Passage]], list[Variant]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("sets", nargs="*", default=SETS, help="default: all")
    arguments.add_argument("--cache", type=Path, default=Path("/tmp/evalcache"))
    given = arguments.parse_args()
    rows = []
    for name in given.sets:
        rows.append(measure_set(read_set(data_folder() / name), given.cache))
        print(json.dumps(rows[-1]), flush=True)
    save("variants", {"circumstances": circumstances(), "sets": rows})


def measure_set(data: EvaluationSet, cache: Path) -> dict[str, object]:
    """Metrics of a set by way."""
    judged = [query for query in data.queries if any(data.judgements.get(query.id, {}).values())]
    queries = judged[:: EVERY.get(data.name, 1)]
    with open_knowledge(data, Settings(), cache, Listener(show_status, show_remark)) as knowledge:
        ways = make_ways([" ".join(knowledge.texts.values())])
        rows: dict[str, list[Mapping[str, float]]] = {name: [] for name in ("one search", *ways)}
        for done, query in enumerate(queries):
            show_status(f"{data.name}: {done} of {len(queries)}")
            alone = search(knowledge, query, ())
            rows["one search"].append(rate_ranking(data, knowledge, query, alone))
            for name, make in ways.items():
                variants = make(query.text, alone)[:3]
                found = search(knowledge, query, variants) if variants else alone
                rows[name].append(rate_ranking(data, knowledge, query, found))
    metrics = {name: average_rows(each) for name, each in rows.items()}
    return {
        "set": data.name,
        "queries": len(queries),
        "ways": {name: {measure: round(each[measure], 4) for measure in MEASURES} for name, each in metrics.items()},
    }


def search(knowledge: Knowledge, query: Query, variants: Sequence[Variant]) -> tuple[Passage, ...]:
    view = knowledge.app.view
    retriever = Retriever(view.searcher, view.store, view.settings.retrieval)
    request = RetrievalRequest(
        query.text, ENGLISH, Strategy.HYBRID, K, filter=knowledge.limits(query), variants=tuple(variants)
    )
    return tuple(retriever.retrieve(request, begin_run()).passages)


def begin_run() -> Run:
    return Run(Budget(0, 0, 60, 0))


def rate_ranking(
    data: EvaluationSet, knowledge: Knowledge, query: Query, passages: Sequence[Passage]
) -> Mapping[str, float]:
    ranking = list(dict.fromkeys(knowledge.corpus_ids[passage.chunk.document_id] for passage in passages))
    return ranking_metrics(ranking, data.judgements[query.id])


def make_ways(texts: Sequence[str]) -> dict[str, Way]:
    """Each way of making wordings, of a question and the passages that a search for it found."""
    expander = RuleExpander(())
    pairs = find_abbreviations(texts)
    plan = replace(PLAN, expand=True)

    def by_templates(question: str, _: Sequence[Passage]) -> list[Variant]:
        return list(expander.expand(question, ENGLISH, plan, Strategy.HYBRID, begin_run()))

    def by_abbreviations(question: str, _: Sequence[Passage]) -> list[Variant]:
        swapped = [
            re.sub(rf"\b{re.escape(one)}\b", other, question)
            for pair in pairs
            for one, other in (pair, pair[::-1])
            if re.search(rf"\b{re.escape(one)}\b", question)
        ]
        return [Variant("technical", text) for text in dict.fromkeys(swapped)]

    def by_neighbours(question: str, passages: Sequence[Passage]) -> list[Variant]:
        added = find_neighbours(question, passages)
        return [Variant("aspect", f"{question} {' '.join(added)}")] if added else []

    def by_all(question: str, passages: Sequence[Passage]) -> list[Variant]:
        made = (make(question, passages)[:1] for make in (by_templates, by_abbreviations, by_neighbours))
        return [variant for each in made for variant in each]

    return {"templates": by_templates, "abbreviations": by_abbreviations, "neighbours": by_neighbours, "all": by_all}


def find_abbreviations(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Names and their abbreviations, as the texts explain them."""
    found = (match.groups() for text in texts for match in _ABBREVIATED.finditer(text))
    return sorted({(name.strip(), short) for name, short in found if name[0] == short[0]})


def find_neighbours(question: str, passages: Sequence[Passage]) -> list[str]:
    """The telling words that stand most often in the sentences of the first passages that share a word with the question."""
    asked = set(content_terms(question, ENGLISH))
    counts: Counter[str] = Counter()
    for passage in passages[:READ]:
        for sentence in re.split(r"(?<=[.!?])\s+", passage.chunk.text):
            if not asked & set(content_terms(sentence, ENGLISH)):
                continue
            words = {word.lower() for word in WORD.findall(sentence)} - STOP_WORDS
            counts.update(word for word in words if not asked & set(content_terms(word, ENGLISH)))
    weighed = {word: count * word_informativeness(word, ENGLISH) for word, count in counts.items() if count > 1}
    return sorted(weighed, key=lambda word: (-weighed[word], word))[:ADDED]


if __name__ == "__main__":
    main()
