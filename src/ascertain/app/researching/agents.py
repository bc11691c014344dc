"""The agents of research over the parts of one knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ascertain.answering.checking.model_verification import ChatEntailment, ModelChecker
from ascertain.answering.checking.verification import EntailmentChecker
from ascertain.app.container.tenant_view import TenantView
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.reports.research import ResearchRequest
from ascertain.models.prompts import Prompts
from ascertain.reports.research.claims import ClaimChecker, build_claim_search
from ascertain.reports.research.framing import ModelFramer
from ascertain.reports.research.plain_language import ModelSimplifier, RuleSimplifier
from ascertain.reports.research.retrieving import DiverseReranker, ReflectingRetriever
from ascertain.reports.research.sentences import SentenceChecker
from ascertain.reports.research.synthesis import Synthesiser
from ascertain.reports.tables.answers import TableAnswerer
from ascertain.workflow.research.agents import Agents, Outside, visible_to


def build_agents(view: TenantView, outside: Outside, seen: Callable[[ResearchRequest], Filter] = visible_to) -> Agents:
    """The agents over what a tenant sees; ``seen`` says what a run may see."""
    settings, store, models, steps = view.settings, view.store, view.models, view.steps
    support = settings.verification.support
    rules, chat = models.rule_entailment, models.chat
    entailment, simplifier, framer = models.entailment, RuleSimplifier(), None
    if chat is not None:
        prompts = Prompts(settings.home / "prompts", view.clock)
        framer = ModelFramer(chat, prompts)
        simplifier = ModelSimplifier(chat, prompts, RuleSimplifier(), models.sure_entailment, support)
        if settings.models.entailment in {"auto", "chat"}:
            entailment = ChatEntailment(
                ModelChecker(chat, prompts, EntailmentChecker(rules, support), settings.models.chat.at_once)
            )

    find = build_claim_search(view.searcher, view.clock)
    nearness: Callable[[str, Sequence[Passage]], list[Passage]] = view.searcher.measure_nearness
    return Agents(
        outside=outside,
        store=store,
        planner=steps.reading.planner,
        embedder=models.fitted_embedder,
        retriever=ReflectingRetriever(
            steps.searching.retriever.retrieve,
            steps.searching.sufficiency,
            steps.searching.retrieval_judge,
            steps.searching.refiner,
        ),
        reranker=DiverseReranker(store, models.reranker, settings.retrieval),
        nearness=nearness,
        synthesiser=Synthesiser(
            composer=steps.writing.composer,
            judge=steps.searching.retrieval_judge,
            sufficiency=steps.searching.sufficiency,
            evaluator=steps.checking.evaluator,
            verify=steps.checking.verifier.verify,
            assess=steps.checking.assess,
            entailment=models.sure_entailment,
            threshold=settings.answers.rejection_threshold,
            support=support,
            is_quoting=chat is None,
        ),
        simplifier=simplifier,
        claim_checker=ClaimChecker(
            entailment,
            rules,
            find,
            store.document,
            support,
            reader=models.reader,
            judge_by_tables=steps.side.table_answerer.judge
            if isinstance(steps.side.table_answerer, TableAnswerer)
            else None,
        ),
        sentence_checker=SentenceChecker(steps.checking.verifier.verify, store.document),
        clock=view.clock,
        seen=seen,
        framer=framer,
    )
