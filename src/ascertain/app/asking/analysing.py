"""What analyses run on: the mapper with the words of the profiles, the stored maps, and the chat model if there is one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ascertain.answering.checking.verification import Verify
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.answering.writing.sourced_writing import as_checked
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, Level
from ascertain.core.asking.requests import AnalysisEvent, AskRequest
from ascertain.core.asking.runs import Budget, Clock, Run
from ascertain.core.errors import StoreError
from ascertain.core.reports.analysis import Analysis, AnalysisQuestion, Pattern
from ascertain.core.settings import Settings
from ascertain.core.settings.profiles import Profile
from ascertain.language.languages import question_language
from ascertain.models.ports import Chat
from ascertain.models.prompts import Prompts
from ascertain.questions.aliases import expand_aliases
from ascertain.reports.analysis.mapping import DocumentMapper
from ascertain.reports.analysis.model_mapping import ChatMapper
from ascertain.retrieval.search.evidence import find_quoted_passages
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.workflow.analysis.narrative import ModelNarrator
from ascertain.workflow.analysis.run import run_analysis, stream_analysis
from ascertain.workflow.analysis.steps import AnalysisContext, AnalysisRequest, MapCache

if TYPE_CHECKING:
    from ascertain.answering.composition import Composition


@dataclass(frozen=True)
class Analysing:
    """Analyses the documents of one store; made once for what is there, and used by any number of questions."""

    store: CompleteStore
    profiles: Sequence[Profile]
    clock: Clock
    settings: Settings
    cache: MapCache
    chat: Chat | None
    verify: Verify
    """The checker of answers, for what a chat model writes about an analysis."""

    def begin_analysis(self, run: Run | None = None) -> AnalysisContext:
        """The context of one analysis, on ``run`` or on a new run with the budget of a question."""
        limits = self.settings.budget
        return AnalysisContext(
            store=self.store,
            mapper=self._mapper,
            cache=self.cache,
            profiles=self.profiles,
            clock=self.clock,
            run=run or Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd)),
            expand=lambda text: expand_aliases(text, self.profiles).text,
            model=self._model,
            narrator=self._narrator,
        )

    def stream(
        self, question: str, filter: Filter, days_back: int | None, pattern: Pattern | None
    ) -> Generator[AnalysisEvent]:
        """The analysis of what ``filter`` selects as events, with a budget of its own."""
        return stream_analysis(
            AnalysisRequest(question, question_language(question), filter, days_back, pattern), self.begin_analysis()
        )

    @cached_property
    def _mapper(self) -> DocumentMapper:
        return DocumentMapper(self.profiles)

    @cached_property
    def _model(self) -> ChatMapper | None:
        if self.chat is None:
            return None
        return ChatMapper(self.chat, self._prompts)

    @cached_property
    def _narrator(self) -> ModelNarrator | None:
        if self.chat is None:
            return None
        return ModelNarrator(self.chat, self._prompts, self.verify, self.store.document)

    @cached_property
    def _prompts(self) -> Prompts:
        return Prompts(self.settings.home / "prompts", self.clock)

    def answer(
        self, question: str, asked: AnalysisQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The analysis that a question asks for, as an answer of the ask workflow; None where nothing is on its subject."""
        wanted = AnalysisRequest(question, language, filter, request.days_back, asked=asked)
        try:
            analysis = run_analysis(wanted, self.begin_analysis(run))
        except StoreError as error:
            run.note(Decision("analyse", "fell back to a search", f"the documents cannot be read: {error}"))
            return None
        if not analysis.citations:
            return None
        return self._as_answer(analysis)

    def _as_answer(self, analysis: Analysis) -> GlobalAnswer:
        from ascertain.answering.composition import Composition

        answer, coverage, sure = analysis.answer, analysis.coverage, analysis.confidence
        how = f"read {coverage.read:,} of {coverage.found:,} documents, {coverage.on_subject:,} on the subject, by {analysis.pattern.value}"
        composition: Composition = Composition(
            answer.text,
            answer.sentences,
            answer.citations,
            answer.confidence,
            answer.decisions[:-1],
            answer.type,
            caveats=(sure.caveat,) if sure.caveat and sure.level is not Level.HIGH else (),
            # what a chat model wrote was checked already, with the figures that it rests on
            checked=as_checked(answer.sentences) if analysis.narrative else None,
        )
        scores = {
            "read": float(coverage.read),
            "found": float(coverage.found),
            "on_subject": float(coverage.on_subject),
        }
        return GlobalAnswer(
            composition,
            find_quoted_passages(self.store, analysis.citations, analysis.filter.tenant, "of the period"),
            analysis.filter,
            answer.confidence.score,
            how,
            scores,
        )
