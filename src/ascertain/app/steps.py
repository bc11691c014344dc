"""The steps that the ask workflow runs on: by rules, and by the chat models of the settings where there are any."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ascertain.answering.confidence import assess
from ascertain.answering.evaluation import RuleEvaluator
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.instructions import with_warnings
from ascertain.answering.question import analyse
from ascertain.answering.rejection import rejection_text
from ascertain.answering.verification import Verifier
from ascertain.app.chosen_models import ChosenModels
from ascertain.app.overviews import overviewer
from ascertain.app.researching import NewsResearcher, Place
from ascertain.core.clock import Clock
from ascertain.core.filters import Filter
from ascertain.core.passages import Passage
from ascertain.core.profiling import CorpusProfile
from ascertain.core.runs import Run
from ascertain.core.settings import Settings
from ascertain.core.settings.profiles import Profile
from ascertain.retrieval.entity_accounts import AccountKeeper
from ascertain.retrieval.evidence import gather_evidence
from ascertain.retrieval.expansion import RuleExpander
from ascertain.retrieval.graph_retrieval import GraphRetrieval
from ascertain.retrieval.normalise import normalise
from ascertain.retrieval.planning import RulePlanner
from ascertain.retrieval.quality import RuleRetrievalJudge
from ascertain.retrieval.refinement import RuleRefiner
from ascertain.retrieval.reranking import rerank
from ascertain.retrieval.retriever import Retriever
from ascertain.retrieval.rewriting import RuleRewriter
from ascertain.retrieval.search import Searcher
from ascertain.retrieval.strategy import RuleStrategist
from ascertain.retrieval.sufficiency import RuleSufficiency
from ascertain.retrieval.timeframe import Timeframe, timeframe
from ascertain.stores.ports import CompleteStore, Vectors
from ascertain.workflow.ask.steps import Steps
from ascertain.workflow.dates import period

if TYPE_CHECKING:
    from ascertain.graph.knowledge_graph import KnowledgeGraph


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the steps are built over."""

    store: CompleteStore
    models: ChosenModels
    searcher: Searcher
    profiles: Sequence[Profile]
    documents: int
    corpus: CorpusProfile
    clock: Clock
    settings: Settings
    graph: KnowledgeGraph | None = None
    """None where questions never use it."""


def build_steps(around: Surroundings) -> Steps:
    """Everything that turns one question into an answer."""
    rules = _rule_steps(around)
    chat = around.models.chat
    if chat is None:
        return rules
    from ascertain.app.model_steps import ModelSteps

    return ModelSteps(chat, around).over(rules)


def _graph_retrieval(around: Surroundings) -> GraphRetrieval | None:
    if around.graph is None:
        return None

    def embed(names: Sequence[str]) -> Vectors:
        return around.models.asking_embedder.embed_documents(names)

    return GraphRetrieval(around.searcher, around.store, around.graph, around.settings.graph.use, embed)


def _rule_steps(around: Surroundings) -> Steps:
    settings, store = around.settings, around.store
    models = around.models
    reranker = models.reranker

    def searched(filter: Filter) -> str:
        # what a filter selects is not counted: on a large store that costs more than the search
        if filter.conversation_id is not None:
            return f"the articles of this conversation {period(filter)}".rstrip()
        if filter.is_plain:
            return f"{around.documents:,} document{'' if around.documents == 1 else 's'}"
        return f"the documents {period(filter) or 'that the filter selects'}"

    def dated(question: str) -> Timeframe | None:
        frame = timeframe(question, around.clock.now())
        return frame if frame and frame.is_explicit else None

    def evidence(
        question: str, passages: Sequence[Passage], limit: int | None, run: Run
    ) -> Sequence[Passage]:
        ranked = rerank(question, passages, reranker, settings.retrieval)
        run.note(ranked.decision)
        count = settings.answers.passages if limit is None else limit
        return gather_evidence(store, ranked.passages, count, settings.retrieval)

    return Steps(
        rewriter=RuleRewriter(),
        planner=RulePlanner(around.profiles),
        strategist=RuleStrategist(around.corpus),
        expander=RuleExpander(around.profiles),
        retriever=Retriever(around.searcher, store, settings.retrieval, _graph_retrieval(around)),
        retrieval_judge=RuleRetrievalJudge(),
        sufficiency=RuleSufficiency(settings.workflow),
        refiner=RuleRefiner(around.profiles),
        evidence=evidence,
        composer=ExtractiveComposer(models.asking_embedder, store.document, settings.answers),
        verifier=Verifier(models.entailment, store.document, settings.verification, models.rule_entailment),
        evaluator=RuleEvaluator(),
        assess=lambda assessment: assess(assessment, settings.answers),
        reject=lambda question, passages, where: rejection_text(analyse(question), passages, where),
        searched=searched,
        timeframe=dated,
        canonical=lambda question: normalise(question, around.profiles).text,
        warn=with_warnings,
        accounts=AccountKeeper(
            store, around.graph.linker if around.graph else None, around.profiles, around.clock
        ),
        overviewer=overviewer(around, searched),
        researcher=NewsResearcher(settings, lambda: Place(store, models.embedder), around.clock, os.environ),
    )
