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
from ascertain.app.chosen_models import ChosenModels
from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import DigestQuestion, DocumentQuestion
from ascertain.core.asking.requests import AskRequest
from ascertain.core.asking.runs import Clock, Run
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.core.errors import ModelError, StoreError
from ascertain.core.reports.analysis import AnalysisQuestion
from ascertain.core.settings import Settings
from ascertain.core.settings.profiles import Profile
from ascertain.graph.linking import How
from ascertain.graph.theme_finding import ThemeFinder
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import split_sentences
from ascertain.models.embed.cards import reads_english_only
from ascertain.models.ports import Chat, EntailmentModel
from ascertain.models.prompts import Prompts
from ascertain.questions.conversation.acts import choose_act_reader
from ascertain.questions.conversation.rewriting import Probe, RuleRewriter
from ascertain.questions.planning import RulePlanner
from ascertain.questions.question import prepare_question, read_as_asked
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
from ascertain.retrieval.query.refinement import ModelRefiner, RuleRefiner
from ascertain.retrieval.query.strategy import RuleStrategist
from ascertain.retrieval.reranking import rerank_passages
from ascertain.retrieval.search.catalogue import CatalogueReader
from ascertain.retrieval.search.digests import DigestFinder
from ascertain.retrieval.search.documents import DocumentFinder
from ascertain.retrieval.search.evidence import find_quoted_passages, gather_evidence
from ascertain.retrieval.search.graph_retrieval import GraphRetrieval
from ascertain.retrieval.search.retriever import Retriever
from ascertain.retrieval.search.searcher import Searcher
from ascertain.retrieval.search.subjects import OtherNames
from ascertain.stores.ports.chunks import CompleteStore, Vectors
from ascertain.workflow.ask.steps import Steps
from ascertain.workflow.question_text import format_period

if TYPE_CHECKING:
    from ascertain.app.asking.analysing import Analysing
    from ascertain.app.chosen_models import Once
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.workflow.ask.steps import ReportWriter
    from ascertain.workflow.ask.steps import Verifier as StepVerifier


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
    analysing: Once[Analysing] | None = None
    """None where no question is answered by an analysis; created with the first one."""
    report_writer: ReportWriter | None = None
    """None where no question is answered by research."""


def build_steps(around: Surroundings) -> Steps:
    """Everything that turns one question into an answer."""
    rules = _rule_steps(around)
    chat = around.models.chat
    if chat is None:
        return rules

    return ModelSteps(chat, around).over(rules)


def _graph_retrieval(around: Surroundings) -> GraphRetrieval | None:
    if around.graph is None:
        return None

    def embed(names: Sequence[str]) -> Vectors:
        return around.models.fitted_embedder.embed_documents(names)

    return GraphRetrieval(around.searcher, around.store, around.graph, around.settings.graph.use, embed)


def _build_entailment_checker(around: Surroundings) -> EntailmentChecker:
    models = around.models
    return EntailmentChecker(models.entailment, around.settings.verification.support, models.rule_entailment)


PROBED = 3
"""Passages that are read to see how well a wording is answered."""


def leave_out(answered: str, text: str) -> str:
    """``text`` without the sentences that ``answered`` repeats."""
    for sentence in split_sentences(answered):
        text = text.replace(answered[sentence.start : sentence.end].strip(), " ")
    return text


def _build_probe(around: Surroundings) -> Probe:
    """How well the first passages answer a wording with something new, since no one asks again for what was said: by the small reader, or by the search where there is no reader."""

    def probe(question: str, language: str, filter: Filter, told: str) -> float:
        found = around.searcher.search(question, language, k=PROBED, filter=filter)
        reader = around.models.reader
        by_search = log_odds(found.confidence.score / 100)
        if reader is None or not found.passages:
            return by_search
        try:
            readings = reader.read(question, [leave_out(told, passage.chunk.text) for passage in found.passages])
        except ModelError:
            return by_search
        return max(reading.answerable for reading in readings)

    return probe


def _rule_steps(around: Surroundings) -> Steps:
    settings, store = around.settings, around.store
    models = around.models
    reranker = models.reranker

    def searched(filter: Filter) -> str:
        # the selection of a filter is not counted: on a large store that costs more than the search
        if filter.conversation_id is not None:
            return f"the articles of this conversation {format_period(filter)}".rstrip()
        if filter.is_plain:
            return f"{around.documents:,} document{'' if around.documents == 1 else 's'}"
        return f"the documents {format_period(filter) or 'that the filter selects'}"

    def dated(question: str, language: str) -> Timeframe | None:
        frame = find_timeframe(question, language, around.clock.now())
        return frame if frame and frame.is_explicit else None

    def evidence(
        question: str, language: str, passages: Sequence[Passage], limit: int | None, run: Run
    ) -> Sequence[Passage]:
        ranked = rerank_passages(question, language, passages, reranker, settings.retrieval)
        run.note(ranked.decision)
        count = settings.answers.passages if limit is None else limit
        return gather_evidence(store, ranked.passages, count, settings.retrieval)

    verifier = Verifier(_build_entailment_checker(around), store.document)
    evaluator = RuleEvaluator()
    planner = RulePlanner(around.profiles, around.clock)
    retrieval_judge, sufficiency = RuleRetrievalJudge(), RuleSufficiency(settings.workflow)
    return Steps(
        understander=RuleUnderstander(RuleRewriter(_build_probe(around), around.clock), planner),
        planner=planner,
        strategist=RuleStrategist(around.corpus, reads_english_only=reads_english_only(models.embedder.name)),
        expander=RuleExpander(around.profiles),
        retriever=Retriever(around.searcher, store, settings.retrieval, _graph_retrieval(around)),
        passage_judge=RulePassageJudge(retrieval_judge, sufficiency),
        retrieval_judge=retrieval_judge,
        sufficiency=sufficiency,
        refiner=RuleRefiner(around.profiles),
        evidence=evidence,
        composer=ExtractiveComposer(
            models.sentence_models(around.searcher.scale),
            store.document,
            settings.answers,
            Readers.pair(models.reader, models.second_reader),
        ),
        verifier=verifier,
        examiner=verifier,
        evaluator=evaluator,
        rule_verifier=verifier,
        rule_evaluator=evaluator,
        assess=lambda assessment: assess_confidence(assessment, settings.answers),
        reject=rejection_text,
        searched=searched,
        timeframe=dated,
        read=lambda question, language: read_question(read_as_asked(question, around.profiles), language),
        warn=with_warnings,
        present_again=lambda wanted, answer, language, filter: present_again(
            wanted,
            answer,
            language,
            lambda citations: find_quoted_passages(store, citations, filter.tenant, "around what was quoted"),
            store.document,
        ),
        read_act=choose_act_reader(models.embedder),
        entity_reporter=EntityReporter(
            store, around.graph.linker if around.graph else None, around.profiles, around.clock
        ),
        global_answerer=build_global_answerer(around, searched),
        digest_writer=build_digest_writer(around),
        document_presenter=build_document_presenter(around),
        claim_validator=build_claim_validator(around),
        researcher=NewsResearcher(settings, lambda: Place(store, models.embedder), around.clock, os.environ),
        report_writer=around.report_writer,
        analyst=None if around.analysing is None else Analyst(around.analysing),
        table_answerer=build_table_answerer(around),
    )


@dataclass(frozen=True, slots=True)
class Analyst:
    """Answers analytical questions; its parts are created for the first one."""

    analysing: Once[Analysing]

    def answer(
        self, question: str, asked: AnalysisQuestion, request: AskRequest, filter: Filter, run: Run, *, language: str
    ) -> GlobalAnswer | None:
        """The analysis that ``question`` asks for; None where nothing is on its subject."""
        return self.analysing.get().answer(question, asked, request, filter, run, language=language)


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
            found = self.finder.find_stories(question, language, asked, filter, request.days_back)
        except (StoreError, ModelError) as error:
            run.note(Decision("digest", "fell back to a search", f"no stories could be found: {error}"))
            return None
        if found is None:
            return None
        wanted = DigestRequest(question, language, format_period(found.filter), request.max_chunks)
        return compose_digest(found, wanted, self.store.document, run, self.writer)


def build_global_answerer(
    around: Surroundings, searched: Callable[[Filter], str], chat: Chat | None = None, prompts: Prompts | None = None
) -> DatedGlobalAnswerer | None:
    """The step for themes; with a chat model it weighs and words them. None where questions never use the graph."""
    graph = around.graph
    if graph is None:
        return None
    models, searcher = around.models, around.searcher
    theme_finder = ThemeFinder(graph.snapshot, around.store, lambda: models.asking_embedder, lambda: searcher.scale)
    scorer, writer = None, None
    if chat is not None and prompts is not None:
        from ascertain.answering.overviews.global_writing import ModelThemeScorer, ModelThemeWriter

        scorer = ModelThemeScorer(chat, prompts)
        writer = ModelThemeWriter(chat, prompts, lambda: graph.store)
    answerer = GlobalAnswerer(theme_finder, around.store.document, around.settings.answers, scorer, writer)
    return DatedGlobalAnswerer(answerer, around.profiles, around.clock, searched)


def build_digest_writer(around: Surroundings, writer: StoryWriter | None = None) -> DigestWriter:
    """The step for the stories of a period; with a ``writer`` they are summarised."""
    store = around.store
    names = _build_other_names(around)
    return DigestWriter(DigestFinder(around.searcher, store, around.profiles, around.clock, names), store, writer)


def _build_other_names(around: Surroundings) -> OtherNames | None:
    """The step for all names of an entity; None where questions never use it."""
    graph = around.graph
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
        made = present_catalogue(asked, catalogue, [each for each in shown if each is not None], run, language)
        return self._to_answer(made, filter, "on record: ", len(catalogue.records)) if made is not None else None

    def _to_answer(self, made: Presentation, filter: Filter, how: str, documents: int) -> GlobalAnswer:
        passages = find_quoted_passages(self.store, made.composition.citations, filter.tenant, "of the document")
        scores = {"documents": float(documents)}
        return GlobalAnswer(made.composition, passages, filter, made.confidence, f"{how}{made.how}", scores)


def build_document_presenter(around: Surroundings, writer: StoryWriter | None = None) -> DocumentPresenter:
    """What presents whole documents; with a ``writer`` its text is written."""
    catalogue = CatalogueReader(around.store, around.profiles, _build_other_names(around))
    return DocumentPresenter(
        DocumentFinder(around.searcher, around.store), around.store, around.clock, catalogue, writer
    )


def build_table_answerer(around: Surroundings, reader: QuestionReader | None = None) -> TableAnswerer:
    """What computes answers over tables, by rules; with a ``reader`` a chat model reads what the rules cannot."""

    def find(question: str, filter: Filter) -> Sequence[Passage]:
        return around.searcher.search(question, ENGLISH, k=TABLE_PASSAGES, filter=filter).passages

    def relate(words: Sequence[str], names: Sequence[str]) -> Vectors:
        embedder = around.models.fitted_embedder
        return embedder.embed_documents(words) @ embedder.embed_documents(names).T

    return TableAnswerer(around.store, TableLibrary(around.store, find), reader, relate)


TABLE_PASSAGES = 12
"""Passages among which tables of other files than those of tables are looked for (by judgement: a few more than are answered from)."""


def build_claim_validator(around: Surroundings, entailment: EntailmentModel | None = None) -> ClaimValidator:
    """What gives verdicts on claims: the model of the settings, or ``entailment``, with the rules before and behind it."""
    store, models = around.store, around.models
    find = build_claim_search(around.searcher, around.clock)
    support = around.settings.verification.support
    checker = ClaimChecker(
        entailment or models.entailment,
        models.rule_entailment,
        find,
        store.document,
        support,
        reader=models.reader,
        judge_by_tables=build_table_answerer(around).judge,
    )
    return ClaimValidator(checker, find, store.document)


class ModelSteps:
    """Puts a chat model in front of the rules."""

    def __init__(self, chat: Chat, around: Surroundings) -> None:
        self._chat = chat
        self._around = around
        self._prompts = Prompts(around.settings.home / "prompts", around.clock)
        self._at_once = around.settings.models.chat.at_once

    def over(self, rules: Steps) -> Steps:
        """The steps of a question when there is a chat model; the search itself and the confidence stay as they are."""
        chat, prompts, around = self._chat, self._prompts, self._around
        verifier, examiner = self._make_verifiers(rules)
        understander = ModelUnderstander(chat, prompts, rules.understander, rules.planner, around.clock)
        return replace(
            rules,
            understander=understander,
            planner=understander,
            expander=ModelExpander(chat, prompts, rules.expander, around.settings.retrieval),
            passage_judge=ModelPassageJudge(chat, prompts, rules.passage_judge, self._at_once),
            refiner=ModelRefiner(chat, prompts, rules.refiner),
            composer=self._make_composer(),
            global_answerer=build_global_answerer(around, rules.searched, chat, prompts),
            digest_writer=build_digest_writer(around, ModelStoryWriter(chat, prompts, verifier.verify)),
            document_presenter=build_document_presenter(
                around, ModelStoryWriter(chat, prompts, verifier.verify, "document", "write_document")
            ),
            verifier=verifier,
            examiner=examiner,
            claim_validator=build_claim_validator(around, self._make_entailment()),
            table_answerer=build_table_answerer(around, ModelQuestionReader(chat, prompts)),
            evaluator=ModelEvaluator(chat, prompts, rules.evaluator),
            rewords=True,
        )

    def _make_composer(self) -> ModelComposer:
        around, settings = self._around, self._around.settings.answers
        document = around.store.document
        models = around.models
        readers = Readers.pair(models.reader, models.second_reader)
        quoting = ExtractiveComposer(models.sentence_models(around.searcher.scale), document, settings, readers)
        return ModelComposer(self._chat, self._prompts, quoting, document=document, settings=settings)

    def _make_verifiers(self, rules: Steps) -> tuple[StepVerifier, StepVerifier]:
        """What checks claims, and what has the answer evaluated in the same call."""
        checker = self._make_judge()
        if checker is None:
            return rules.verifier, rules.verifier
        verifier = Verifier(checker, self._around.store.document)
        if self._at_once < CLAIMS_A_CALL:
            return verifier, verifier  # a small model evaluates the answer in a request of its own
        fallback = _build_entailment_checker(self._around)
        return verifier, ModelExaminer(self._chat, self._prompts, verifier, checker, fallback)

    def _make_entailment(self) -> ChatEntailment | None:
        judge = self._make_judge()
        return None if judge is None else ChatEntailment(judge)

    def _make_judge(self) -> ModelChecker | None:
        """The chat model as the checker of claims; None where the settings name another."""
        if self._around.settings.models.entailment not in {"auto", "chat"}:
            return None
        return ModelChecker(self._chat, self._prompts, _build_entailment_checker(self._around), self._at_once)
