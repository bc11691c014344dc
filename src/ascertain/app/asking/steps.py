"""The steps that the ask workflow runs on: by rules, and by the chat models of the settings where there are any."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.answering.checking.evaluation import RuleEvaluator
from ascertain.answering.checking.model_evaluation import ModelEvaluator, ModelExaminer
from ascertain.answering.checking.model_verification import CLAIMS_A_CALL, ChatEntailment, ModelChecker
from ascertain.answering.checking.verification import EntailmentChecker, Verifier
from ascertain.answering.composition import rejection_text, with_warnings
from ascertain.answering.confidence import assess_confidence, log_odds
from ascertain.answering.conversation import present_again
from ascertain.answering.documents.catalogue import list_shown, present_catalogue
from ascertain.answering.documents.composing import Presentation, PresentationRequest, present_documents
from ascertain.answering.documents.moments import present_moments
from ascertain.answering.extractive import ExtractiveComposer
from ascertain.answering.generative import ModelComposer
from ascertain.answering.judging.cascade import Readers
from ascertain.answering.overviews.digest_writing import ModelStoryWriter
from ascertain.answering.overviews.digests import DigestRequest, StoryWriter, compose_digest
from ascertain.answering.overviews.global_answers import GlobalAnswer, GlobalAnswerer, GlobalRequest
from ascertain.app.asking.researching import NewsResearcher, Place
from ascertain.app.researching.answering import ReportWriter
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import DigestQuestion, DocumentQuestion
from ascertain.core.asking.requests import AskRequest
from ascertain.core.asking.runs import Clock, Run
from ascertain.core.errors import ModelError, StoreError
from ascertain.core.reports.analysis import AnalysisQuestion
from ascertain.core.settings.profiles import Profile
from ascertain.graph.linking import How
from ascertain.graph.theme_finding import ThemeFinder
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.models.embed.cards import reads_english_only
from ascertain.models.ports import Chat, EntailmentModel
from ascertain.models.prompts import Prompts
from ascertain.questions.aliases import read_as_asked
from ascertain.questions.conversation.acts import choose_act_reader
from ascertain.questions.conversation.rewriting import Probe, RuleRewriter
from ascertain.questions.planning import RulePlanner
from ascertain.questions.reading.question import read_question
from ascertain.questions.timeframe import Timeframe, find_timeframe
from ascertain.questions.understanding import ModelUnderstander, RuleUnderstander
from ascertain.reports.research.claims import ClaimChecker, build_claim_search
from ascertain.reports.research.validation import ClaimValidator
from ascertain.reports.tables.answers import QuestionReader, TableAnswerer
from ascertain.reports.tables.library import TableLibrary
from ascertain.reports.tables.questions.model_reading import ModelQuestionReader
from ascertain.retrieval.entities.reports import EntityReporter
from ascertain.retrieval.judging import RuleRetrievalJudge, RuleSufficiency
from ascertain.retrieval.model_judging import ModelPassageJudge, RulePassageJudge
from ascertain.retrieval.query.expansion import ModelExpander, RuleExpander
from ascertain.retrieval.query.prepared import prepare_question
from ascertain.retrieval.query.refinement import ModelRefiner, RuleRefiner
from ascertain.retrieval.query.strategy import RuleStrategist
from ascertain.retrieval.reranking import rerank_passages
from ascertain.retrieval.search.catalogue import CatalogueReader
from ascertain.retrieval.search.digests import DigestFinder
from ascertain.retrieval.search.documents import DocumentFinder
from ascertain.retrieval.search.evidence import find_quoted_passages, gather_evidence
from ascertain.retrieval.search.graph_retrieval import GraphRetrieval
from ascertain.retrieval.search.retriever import Retriever
from ascertain.retrieval.search.subjects import OtherNames
from ascertain.stores.ports.chunks import CompleteStore, Vectors
from ascertain.workflow.ask.steps import CheckingSteps, ReadingSteps, SearchingSteps, SideSteps, Steps, WritingSteps
from ascertain.workflow.question_text import format_period

if TYPE_CHECKING:
    from ascertain.app.asking.analysing import Analysing
    from ascertain.app.container.tenant_view import TenantView
    from ascertain.workflow.ask.steps import Verifier as StepVerifier


def build_steps(view: TenantView) -> Steps:
    """Everything that turns one question into an answer."""
    rules = _rule_steps(view)
    chat = view.models.chat
    if chat is None:
        return rules

    return ModelSteps(chat, view).over(rules)


def _graph_retrieval(view: TenantView) -> GraphRetrieval | None:
    if view.graph is None:
        return None

    def embed(names: Sequence[str]) -> Vectors:
        return view.models.fitted_embedder.embed_documents(names)

    return GraphRetrieval(view.searcher, view.store, view.graph, view.settings.graph.use, embed)


def _build_entailment_checker(view: TenantView) -> EntailmentChecker:
    models = view.models
    return EntailmentChecker(models.entailment, view.settings.verification.support, models.rule_entailment)


PROBED = 3
"""Passages that are read to see how well a wording is answered."""


def leave_out(answered: str, text: str) -> str:
    """``text`` without the sentences that ``answered`` repeats."""
    for sentence in split_sentences(answered):
        text = text.replace(answered[sentence.start : sentence.end].strip(), " ")
    return text


def _build_probe(view: TenantView) -> Probe:
    """How well the first passages answer a wording with something new, since no one asks again for what was said: by the small reader, or by the search where there is no reader."""

    def probe(question: str, language: str, filter: Filter, told: str) -> float:
        found = view.searcher.search(question, language, k=PROBED, filter=filter)
        reader = view.models.reader
        by_search = log_odds(found.confidence.score / 100)
        if reader is None or not found.passages:
            return by_search
        try:
            readings = reader.read(question, [leave_out(told, passage.chunk.text) for passage in found.passages])
        except ModelError:
            return by_search
        return max(reading.answerable for reading in readings)

    return probe


def _rule_steps(view: TenantView) -> Steps:
    searching = _rule_searching(view)
    return Steps(
        reading=_rule_reading(view),
        searching=searching,
        writing=_rule_writing(view),
        checking=_rule_checking(view),
        side=_rule_side(view, searching.searched),
    )


def _rule_reading(view: TenantView) -> ReadingSteps:
    def dated(question: str, language: str) -> Timeframe | None:
        frame = find_timeframe(question, language, view.clock.now())
        return frame if frame and frame.is_explicit else None

    planner = RulePlanner(view.profiles, view.clock)
    return ReadingSteps(
        understander=RuleUnderstander(RuleRewriter(_build_probe(view), view.clock), planner),
        planner=planner,
        read=lambda question, language: read_question(read_as_asked(question, view.profiles), language),
        timeframe=dated,
        read_act=choose_act_reader(view.models.embedder),
    )


def _rule_searching(view: TenantView) -> SearchingSteps:
    settings, store, reranker = view.settings, view.store, view.models.reranker

    def searched(filter: Filter) -> str:
        # the selection of a filter is not counted: on a large store that costs more than the search
        if filter.conversation_id is not None:
            return f"the articles of this conversation {format_period(filter)}".rstrip()
        if filter.is_plain:
            return f"{view.stats.documents:,} document{'' if view.stats.documents == 1 else 's'}"
        return f"the documents {format_period(filter) or 'that the filter selects'}"

    def evidence(
        question: str, language: str, passages: Sequence[Passage], limit: int | None, run: Run
    ) -> Sequence[Passage]:
        ranked = rerank_passages(question, language, passages, reranker, settings=settings.retrieval)
        run.note(ranked.decision)
        count = settings.answers.passages if limit is None else limit
        return gather_evidence(store, ranked.passages, count, settings.retrieval)

    retrieval_judge, sufficiency = RuleRetrievalJudge(), RuleSufficiency(settings.workflow)
    return SearchingSteps(
        strategist=RuleStrategist(view.stats.corpus, reads_english_only=reads_english_only(view.models.embedder.name)),
        expander=RuleExpander(view.profiles),
        retriever=Retriever(view.searcher, store, settings.retrieval, _graph_retrieval(view)),
        refiner=RuleRefiner(view.profiles),
        evidence=evidence,
        passage_judge=RulePassageJudge(retrieval_judge, sufficiency),
        retrieval_judge=retrieval_judge,
        sufficiency=sufficiency,
        searched=searched,
    )


def _rule_writing(view: TenantView) -> WritingSteps:
    store = view.store
    return WritingSteps(
        composer=_build_quoting(view),
        reject=rejection_text,
        warn=with_warnings,
        present_again=lambda wanted, answer, language, filter: present_again(
            wanted,
            answer,
            language,
            lambda citations: find_quoted_passages(store, citations, filter.tenant, "around what was quoted"),
            store.document,
        ),
    )


def _build_quoting(view: TenantView) -> ExtractiveComposer:
    models = view.models
    readers = Readers.pair(models.reader, models.second_reader)
    return ExtractiveComposer(models.sentence_models(view.scale), view.store.document, view.settings.answers, readers)


def _rule_checking(view: TenantView) -> CheckingSteps:
    verifier, evaluator = Verifier(_build_entailment_checker(view), view.store.document), RuleEvaluator()
    return CheckingSteps(
        verifier=verifier,
        examiner=verifier,
        evaluator=evaluator,
        rule_verifier=verifier,
        rule_evaluator=evaluator,
        assess=lambda assessment: assess_confidence(assessment, view.settings.answers),
    )


def _rule_side(view: TenantView, searched: Callable[[Filter], str]) -> SideSteps:
    linker = view.graph.linker if view.graph else None
    return SideSteps(
        researcher=NewsResearcher(
            view.settings, lambda: Place(view.store, view.models.embedder), view.clock, os.environ
        ),
        entity_reporter=EntityReporter(view.store, linker, view.profiles, view.clock),
        global_answerer=build_global_answerer(view, searched),
        digest_writer=build_digest_writer(view),
        document_presenter=build_document_presenter(view),
        analyst=Analyst(lambda: view.analysing),
        claim_validator=build_claim_validator(view),
        report_writer=ReportWriter(view),
        table_answerer=build_table_answerer(view),
    )


@dataclass(frozen=True, slots=True)
class Analyst:
    """Answers analytical questions; its parts are created for the first one."""

    open_analysing: Callable[[], Analysing]

    def answer(
        self, question: str, asked: AnalysisQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The analysis that ``question`` asks for; None where nothing is on its subject."""
        return self.open_analysing().answer(question, asked, request, filter, run, language=language)


@dataclass(frozen=True, slots=True)
class DatedGlobalAnswerer:
    """Reads dates out of a question as a search does, then answers from what they leave."""

    answerer: GlobalAnswerer
    profiles: Sequence[Profile]
    clock: Clock
    searched: Callable[[Filter], str]

    def answer(self, request: GlobalRequest, run: Run) -> GlobalAnswer | None:
        """The main themes; None, with a note on ``run``, where the graph cannot be read."""
        prepared = prepare_question(
            request.question,
            request.language,
            profiles=self.profiles,
            clock=self.clock,
            filter=request.filter,
            days_back=request.days_back,
        )
        where = "" if prepared.filter.is_plain else self.searched(prepared.filter)
        try:
            return self.answerer.answer(replace(request, filter=prepared.filter, where=where), run)
        except (StoreError, ModelError) as error:
            run.note(Decision("overview", "fell back to a search", f"the graph cannot be surveyed: {error}"))
            return None


@dataclass(frozen=True, slots=True)
class DigestWriter:
    """Finds the stories of a period and quotes a sentence of each, or has them summarised."""

    finder: DigestFinder
    store: CompleteStore
    writer: StoryWriter | None = None

    def write(
        self, question: str, asked: DigestQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The digest; None, with a note on ``run``, also where the store cannot be searched."""
        try:
            found = self.finder.find_stories(question, language, asked, filter, days_back=request.days_back)
        except (StoreError, ModelError) as error:
            run.note(Decision("digest", "fell back to a search", f"no stories could be found: {error}"))
            return None
        if found is None:
            return None
        wanted = DigestRequest(question, language, format_period(found.filter), request.max_chunks)
        return compose_digest(found, wanted, self.store.document, run, writer=self.writer)


def build_global_answerer(
    view: TenantView, searched: Callable[[Filter], str], chat: Chat | None = None, prompts: Prompts | None = None
) -> DatedGlobalAnswerer | None:
    """The step for themes; with a chat model it weighs and words them. None where questions never use the graph."""
    graph = view.graph
    if graph is None:
        return None
    models, searcher = view.models, view.searcher
    theme_finder = ThemeFinder(graph.snapshot, view.store, lambda: models.asking_embedder, lambda: searcher.scale)
    scorer, writer = None, None
    if chat is not None and prompts is not None:
        from ascertain.answering.overviews.global_writing import ModelThemeScorer, ModelThemeWriter

        scorer = ModelThemeScorer(chat, prompts)
        writer = ModelThemeWriter(chat, prompts, lambda: graph.store)
    answerer = GlobalAnswerer(theme_finder, view.store.document, view.settings.answers, scorer, writer)
    return DatedGlobalAnswerer(answerer, view.profiles, view.clock, searched)


def build_digest_writer(view: TenantView, writer: StoryWriter | None = None) -> DigestWriter:
    """The step for the stories of a period; with a ``writer`` they are summarised."""
    store = view.store
    names = _build_other_names(view)
    return DigestWriter(DigestFinder(view.searcher, store, view.profiles, view.clock, names), store, writer)


def _build_other_names(view: TenantView) -> OtherNames | None:
    """The step for all names of an entity; None where questions never use it."""
    graph = view.graph
    if graph is None:
        return None

    def list_names(text: str, tenant: str) -> Sequence[str]:
        try:
            linker = graph.linker(tenant)
        except (StoreError, ModelError):
            return ()
        found = [entity for entity, match in linker.find(text, 1) if match.how in {How.EXACT, How.ALIAS}]
        return found[0].names if found and found[0].kind else ()

    return list_names


@dataclass(frozen=True, slots=True)
class DocumentPresenter:
    """Finds the documents that a question means as wholes, and presents them along their headings."""

    finder: DocumentFinder
    store: CompleteStore
    clock: Clock
    catalogue: CatalogueReader
    writer: StoryWriter | None = None

    def present(
        self, question: str, language: str, asked: DocumentQuestion, filter: Filter, run: Run
    ) -> GlobalAnswer | None:
        """The answer; None, with a note on ``run``, also where the store cannot be searched."""
        if asked.is_of_records:
            return self._present_catalogue(asked, language, filter, run)
        try:
            found = self.finder.find_documents(question, language, asked, filter)
        except (StoreError, ModelError) as error:
            run.note(Decision("document", "fell back to a search", f"no documents could be found: {error}"))
            return None
        documents = [each for key in found.ids if (each := self.store.document(key)) is not None] if found else []
        if found is None or (not documents and asked.stretch is None):
            return None
        request = PresentationRequest(question, language, asked, found, documents, self.clock.now().date())
        present = present_documents if asked.stretch is None else present_moments
        made = present(request, run, self.writer)
        return self._to_answer(made, filter, f"{found.fit.value}: ", len(documents)) if made is not None else None

    def _present_catalogue(
        self, asked: DocumentQuestion, language: str, filter: Filter, run: Run
    ) -> GlobalAnswer | None:
        try:
            catalogue = self.catalogue.read_catalogue(asked, filter, language)
        except (StoreError, ModelError) as error:
            run.note(Decision("document", "fell back to a search", f"no documents could be listed: {error}"))
            return None
        if catalogue is None:
            return None
        shown = (self.store.document(each.id) for each in list_shown(asked, catalogue))
        made = present_catalogue(asked, catalogue, [each for each in shown if each is not None], run, language=language)
        return self._to_answer(made, filter, "on record: ", len(catalogue.records)) if made is not None else None

    def _to_answer(self, made: Presentation, filter: Filter, how: str, documents: int) -> GlobalAnswer:
        passages = find_quoted_passages(self.store, made.composition.citations, filter.tenant, "of the document")
        scores = {"documents": float(documents)}
        return GlobalAnswer(made.composition, passages, filter, made.confidence, f"{how}{made.how}", scores)


def build_document_presenter(view: TenantView, writer: StoryWriter | None = None) -> DocumentPresenter:
    """What presents whole documents; with a ``writer`` its text is written."""
    catalogue = CatalogueReader(view.store, view.profiles, _build_other_names(view))
    return DocumentPresenter(DocumentFinder(view.searcher, view.store), view.store, view.clock, catalogue, writer)


def build_table_answerer(view: TenantView, reader: QuestionReader | None = None) -> TableAnswerer:
    """What computes answers over tables, by rules; with a ``reader`` a chat model reads what the rules cannot."""

    def find(question: str, filter: Filter) -> Sequence[Passage]:
        return view.searcher.search(question, ENGLISH, k=TABLE_PASSAGES, filter=filter).passages

    def relate(words: Sequence[str], names: Sequence[str]) -> Vectors:
        embedder = view.models.fitted_embedder
        return embedder.embed_documents(words) @ embedder.embed_documents(names).T

    return TableAnswerer(view.store, TableLibrary(view.store, find), reader, relate)


TABLE_PASSAGES = 12
"""Passages among which tables of other files than those of tables are looked for (by judgement: a few more than are answered from)."""


def build_claim_validator(view: TenantView, entailment: EntailmentModel | None = None) -> ClaimValidator:
    """What gives verdicts on claims: the model of the settings, or ``entailment``, with the rules before and behind it."""
    store, models = view.store, view.models
    find = build_claim_search(view.searcher, view.clock)
    support = view.settings.verification.support
    checker = ClaimChecker(
        entailment or models.entailment,
        models.rule_entailment,
        find,
        store.document,
        support,
        reader=models.reader,
        judge_by_tables=build_table_answerer(view).judge,
    )
    return ClaimValidator(checker, find, store.document)


class ModelSteps:
    """Puts a chat model in front of the rules."""

    def __init__(self, chat: Chat, view: TenantView) -> None:
        self._chat = chat
        self._view = view
        self._prompts = Prompts(view.settings.home / "prompts", view.clock)
        self._at_once = view.settings.models.chat.at_once

    def over(self, rules: Steps) -> Steps:
        """The steps of a question when there is a chat model; the search itself and the confidence stay as they are."""
        chat, prompts, view = self._chat, self._prompts, self._view
        reading, searching, checking = rules.reading, rules.searching, rules.checking
        verifier, examiner = self._make_verifiers(checking.verifier)
        understander = ModelUnderstander(chat, prompts, reading.understander, reading.planner, view.clock)
        answers, document = view.settings.answers, view.store.document
        return Steps(
            reading=replace(reading, understander=understander, planner=understander),
            searching=replace(
                searching,
                expander=ModelExpander(chat, prompts, searching.expander, view.settings.retrieval),
                passage_judge=ModelPassageJudge(chat, prompts, searching.passage_judge, self._at_once),
                refiner=ModelRefiner(chat, prompts, searching.refiner),
            ),
            writing=replace(
                rules.writing,
                composer=ModelComposer(chat, prompts, _build_quoting(view), document=document, settings=answers),
                rewords=True,
            ),
            checking=replace(
                checking,
                verifier=verifier,
                examiner=examiner,
                evaluator=ModelEvaluator(chat, prompts, checking.evaluator),
            ),
            side=replace(
                rules.side,
                global_answerer=build_global_answerer(view, searching.searched, chat, prompts),
                digest_writer=build_digest_writer(view, ModelStoryWriter(chat, prompts, verifier.verify)),
                document_presenter=build_document_presenter(
                    view, ModelStoryWriter(chat, prompts, verifier.verify, "document", "write_document")
                ),
                claim_validator=build_claim_validator(view, self._make_entailment()),
                table_answerer=build_table_answerer(view, ModelQuestionReader(chat, prompts)),
            ),
        )

    def _make_verifiers(self, by_rules: StepVerifier) -> tuple[StepVerifier, StepVerifier]:
        """What checks claims, and what has the answer evaluated in the same call."""
        checker = self._make_judge()
        if checker is None:
            return by_rules, by_rules
        verifier = Verifier(checker, self._view.store.document)
        if self._at_once < CLAIMS_A_CALL:
            return verifier, verifier  # a small model evaluates the answer in a request of its own
        fallback = _build_entailment_checker(self._view)
        return verifier, ModelExaminer(self._chat, self._prompts, verifier, checker, fallback)

    def _make_entailment(self) -> ChatEntailment | None:
        judge = self._make_judge()
        return None if judge is None else ChatEntailment(judge)

    def _make_judge(self) -> ModelChecker | None:
        """The chat model as the checker of claims; None where the settings name another."""
        if self._view.settings.models.entailment not in {"auto", "chat"}:
            return None
        return ModelChecker(self._chat, self._prompts, _build_entailment_checker(self._view), self._at_once)
