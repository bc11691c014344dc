"""The steps that a chat model does, each with the rules behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ascertain.answering.generative import ModelComposer
from ascertain.answering.model_entailment import ChatEntailment
from ascertain.answering.model_evaluation import ModelEvaluator
from ascertain.answering.verification import Verifier
from ascertain.app.overviews import overviewer
from ascertain.core.passages import Passage
from ascertain.core.runs import Run
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts
from ascertain.retrieval.evidence_notes import EvidenceNotes
from ascertain.retrieval.model_expansion import ModelExpander
from ascertain.retrieval.model_judging import ModelRetrievalJudge, ModelSufficiency
from ascertain.retrieval.model_planning import ModelPlanner
from ascertain.retrieval.model_refinement import ModelRefiner
from ascertain.retrieval.model_rewriting import ModelRewriter
from ascertain.retrieval.passage_judging import PassageJudge

if TYPE_CHECKING:
    from ascertain.app.steps import Surroundings
    from ascertain.workflow.ask.steps import Steps
    from ascertain.workflow.ask.steps import Verifier as StepVerifier


class ModelSteps:
    """Puts a chat model in front of the rules."""

    def __init__(self, chat: Chat, around: Surroundings) -> None:
        self._chat = chat
        self._around = around
        self._prompts = Prompts(around.settings.home / "prompts")

    def over(self, rules: Steps) -> Steps:
        """The steps of a question when there is a chat model; the search itself and the confidence stay as they are."""
        chat, prompts, settings = self._chat, self._prompts, self._around.settings
        notes = EvidenceNotes(chat, prompts)
        judge = PassageJudge(chat, prompts)

        def evidence(
            question: str, passages: Sequence[Passage], limit: int | None, run: Run
        ) -> Sequence[Passage]:
            kept = judge.select(question, rules.evidence(question, passages, limit, run), run)
            return notes.select(question, kept, run)

        sufficiency = rules.sufficiency
        if settings.workflow.llm_sufficiency:
            sufficiency = ModelSufficiency(chat, prompts, rules.sufficiency)
        return replace(
            rules,
            rewriter=ModelRewriter(chat, prompts, rules.rewriter),
            planner=ModelPlanner(chat, prompts, rules.planner),
            expander=ModelExpander(chat, prompts, rules.expander, settings.retrieval),
            retrieval_judge=ModelRetrievalJudge(chat, prompts, rules.retrieval_judge),
            sufficiency=sufficiency,
            refiner=ModelRefiner(chat, prompts, rules.refiner),
            evidence=evidence,
            composer=ModelComposer(
                chat, prompts, rules.composer, document=self._around.store.document, settings=settings.answers
            ),
            overviewer=overviewer(self._around, rules.searched, chat, prompts),
            verifier=self._verifier(rules),
            evaluator=ModelEvaluator(chat, prompts, rules.evaluator),
        )

    def _verifier(self, rules: Steps) -> StepVerifier:
        settings, store, by_rules = self._around.settings, self._around.store, self._around.models.entailment
        if settings.models.entailment not in {"auto", "chat"}:
            return rules.verifier
        judge = ChatEntailment(self._chat, self._prompts, by_rules)
        return Verifier(judge, store.document, settings.verification, by_rules)
