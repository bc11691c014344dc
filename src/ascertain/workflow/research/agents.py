"""What each agent does: it reads the run, calls one part, and returns the run with its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ascertain.answering.units.candidates import count_noun
from ascertain.core.asking.answers import Citation, VerdictLabel
from ascertain.core.asking.passages import OWN, Filter, Passage
from ascertain.core.asking.runs import Clock, Run
from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.core.reports.research import (
    Agent,
    CheckedReport,
    ClaimOrigin,
    Draft,
    FramingSentence,
    PaperChoice,
    PaperRecord,
    PaperSearch,
    PlainSummary,
    Ranked,
    ReportSentence,
    ResearchMode,
    ResearchRequest,
    ResearchRun,
    ResearchSource,
    Retrieved,
    SiteAnalysis,
    Synthesis,
)
from ascertain.language.languages import question_language
from ascertain.language.tokens import content_terms, word_informativeness
from ascertain.models.ports import Embedder
from ascertain.questions.planning import Planner
from ascertain.reports.research.citations import RunCitations, renumber_citations
from ascertain.reports.research.claims import ClaimChecker, ClaimToCheck
from ascertain.reports.research.framing import check_framing
from ascertain.reports.research.papers import FOUND, READ, filter_papers
from ascertain.reports.research.plain_language import WANTED_GRADE, keep_plain, measure_grade
from ascertain.reports.research.planning import plan_research
from ascertain.reports.research.retrieving import DiverseReranker, ReflectingRetriever, read_passages
from ascertain.reports.research.sentences import SentenceChecker
from ascertain.reports.research.synthesis import PartAnswer, Synthesiser, order_findings
from ascertain.reports.research.websites import TELLING, analyse_site
from ascertain.stores.ports.chunks import CompleteStore

OUT_OF_TIME = "time to look it up"
"""What is missing for a sub-question that was not looked up in time."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The documents that an address became; ``problem`` says why there are none."""

    documents: tuple[Document, ...]
    problem: str = ""


class Outside(Protocol):
    """All network access; what it fetches is stored for the run, and cited from there."""

    def fetch(self, address: str, run_id: str) -> Fetched:
        """A page or a paper as documents of the run. Outside failures are reported in the result."""
        ...

    def search_papers(self, words: Sequence[str], limit: int) -> tuple[PaperRecord, ...]:
        """What arXiv finds for ``words``, best first; SourceError when it cannot be asked."""
        ...


class Simplifier(Protocol):
    """Rewrites findings in plain language."""

    def simplify(
        self, findings: Sequence[ReportSentence], citations: Sequence[Citation], mode: ResearchMode, run: Run
    ) -> PlainSummary:
        """The plain-language summary, its reading level measured."""
        ...


class Framer(Protocol):
    """Writes the text around the findings."""

    def frame(self, run: ResearchRun, order: Sequence[int], ledger: Run) -> tuple[FramingSentence, ...]:
        """An introduction, a comparison and a conclusion for the findings in ``order``, still to be checked."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """The run with what an agent brought, and that in a line."""

    run: ResearchRun
    line: str


def visible_to(request: ResearchRequest) -> Filter:
    """What a run may see: what was fetched for it, and with ``documents`` among its sources what is stored for all."""
    own = (request.id,)
    within = (OWN, *own) if ResearchSource.DOCUMENTS in request.sources else own
    return Filter(within=within, tenant=request.tenant)


def language_of(request: ResearchRequest) -> str:
    """The language that a run is asked in."""
    return question_language(request.subject)


@dataclass(frozen=True, slots=True)
class Agents:
    """One of each. ``nearness`` measures how near passages are to a question; ``seen`` says what a run may see. Without a ``framer``
    a report has its findings alone.
    """

    outside: Outside
    store: CompleteStore
    planner: Planner
    embedder: Embedder
    retriever: ReflectingRetriever
    reranker: DiverseReranker
    nearness: Callable[[str, Sequence[Passage]], list[Passage]]
    synthesiser: Synthesiser
    simplifier: Simplifier
    claim_checker: ClaimChecker
    sentence_checker: SentenceChecker
    clock: Clock
    seen: Callable[[ResearchRequest], Filter] = visible_to
    framer: Framer | None = None

    @property
    def bodies(self) -> Mapping[Agent, Callable[[ResearchRun, Run], Outcome]]:
        """What each does."""
        return {
            Agent.WEBSITE: self.analyse_website,
            Agent.PLAN: self.plan_questions,
            Agent.ARXIV: self.search_arxiv,
            Agent.FILTER: self.filter_found,
            Agent.RETRIEVE: self.retrieve_passages,
            Agent.RERANK: self.rerank_found,
            Agent.SYNTHESISE: self.synthesise_findings,
            Agent.VALIDATE: self.validate_claim,
            Agent.SIMPLIFY: self.simplify_findings,
            Agent.WRITE: self.write_draft,
            Agent.CHECK: self.check_report,
        }

    def analyse_website(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Store the page, then say what it is about, what it claims and by which terms to look it up."""
        fetched = self.outside.fetch(run.request.url or "", run.request.id)
        if not fetched.documents:
            site = SiteAnalysis("", (), None, (), (), problem=fetched.problem)
            return Outcome(replace(run, site=site), f"not read: {fetched.problem}")
        citations = self._citations(run)
        site = analyse_site(fetched.documents, run.request.mode, citations, language_of(run.request))
        line = f"“{site.title}”: {count_noun(len(site.claims), 'claim')}, terms: {', '.join(site.terms) or 'none'}"
        return Outcome(replace(run, site=site, citations=citations.all), line)

    def plan_questions(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Split the question, or the subject of the page, into what can be looked up."""
        plan = plan_research(run.request, run.site, self.planner, ledger, language=language_of(run.request))
        line = "; ".join(part.text for part in plan.sub_questions)
        return Outcome(replace(run, plan=plan), f"claim: {plan.claim}" if plan.claim else line)

    def search_arxiv(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Ask arXiv for the terms of the plan."""
        words = run.plan.terms if run.plan else ()
        if not words:
            return Outcome(replace(run, papers=PaperSearch((), (), "there is no word to search by")), "nothing to ask")
        try:
            papers = self.outside.search_papers(words, FOUND[run.request.mode])
        except SourceError as error:
            return Outcome(replace(run, papers=PaperSearch(words, (), str(error))), f"not searched: {error}")
        return Outcome(
            replace(run, papers=PaperSearch(words, papers)),
            f"{count_noun(len(papers), 'paper')} for {', '.join(words)}",
        )

    def filter_found(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Choose the papers worth reading, and store those."""
        papers = {paper.id: paper for paper in run.papers.papers} if run.papers else {}
        claims = tuple(claim.quote for claim in run.site.claims) if run.site else ()
        question = run.plan.question if run.plan else run.request.subject
        # what was asked comes first; the claims of a page are what it is looked into for where nothing was
        subjects = (question,) if run.request.question else (question, *claims)
        rated = filter_papers(
            subjects,
            list(papers.values()),
            self.embedder,
            READ[run.request.mode],
            now=run.started_at,
            language=language_of(run.request),
        )
        choices: list[PaperChoice] = []
        for choice in rated:
            if not choice.is_chosen:
                choices.append(choice)
            elif ledger.is_out_of_time:
                choices.append(replace(choice, is_chosen=False, reason="the time was used up"))
            else:
                fetched = self.outside.fetch(papers[choice.id].address, run.request.id)
                stored = tuple(document.id for document in fetched.documents)
                reason = choice.reason if stored else f"could not be read: {fetched.problem}"
                choices.append(replace(choice, is_chosen=bool(stored), reason=reason, document_ids=stored))
        read = sum(choice.is_chosen for choice in choices)
        return Outcome(replace(run, choices=tuple(choices)), f"{read} of {len(choices)} papers read")

    def retrieve_passages(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Look up each sub-question, most urgent first, and search again for what is missing."""
        parts = run.plan.sub_questions if run.plan else ()
        order = sorted(range(len(parts)), key=lambda index: (parts[index].priority, index))
        visible = self.seen(run.request)
        found: list[Retrieved] = []
        for index in order:
            if found and ledger.is_out_of_time:
                found.append(Retrieved(index, (), (), (OUT_OF_TIME,)))
            else:
                found.append(
                    self.retriever.retrieve(
                        index, parts[index], visible, run.request.mode, ledger, language=language_of(run.request)
                    )
                )
        retrieved = tuple(sorted(found, key=lambda each: each.sub_question))
        searches = sum(len(each.loops) for each in retrieved)
        missing = "; ".join(dict.fromkeys(what for each in retrieved for what in each.missing))
        line = f"{searches:,} search{'' if searches == 1 else 'es'} for {count_noun(len(parts), 'sub-question')}"
        return Outcome(replace(run, retrieved=retrieved), f"{line}; still missing: {missing}" if missing else line)

    def rerank_found(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Choose what is written from, for relevance and diversity."""
        parts = run.plan.sub_questions if run.plan else ()
        ranked = tuple(
            self.reranker.rank(found, parts[found.sub_question].text, self.nearness, language_of(run.request))
            for found in run.retrieved or ()
        )
        chosen = sum(len(each.chunks) for each in ranked)
        return Outcome(
            replace(run, ranked=ranked),
            f"{count_noun(chosen, 'passage')} for {count_noun(len(ranked), 'sub-question')}",
        )

    def synthesise_findings(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Answer each sub-question from what was chosen; say which stay open and where sources disagree."""
        citations = self._citations(run)
        answers = self._answer_parts(run, citations, ledger)
        findings = tuple(finding for answer in answers.values() for finding in answer.findings)
        unanswered = tuple(index for index, answer in answers.items() if not answer.findings)
        apart = self.synthesiser.find_disagreements(findings, citations, ledger, language_of(run.request))
        sure = tuple(answer.confidence for answer in answers.values() if answer.findings)
        synthesis = Synthesis(findings, unanswered, apart, confidences=sure)
        coverage = f"{len(sure)} of {count_noun(len(answers), 'sub-question')} answered"
        line = ", ".join((count_noun(len(findings), "finding"), coverage, count_noun(len(apart), "disagreement")))
        return Outcome(replace(run, synthesis=synthesis, citations=citations.all), line)

    def validate_claim(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Check the claim that was asked about; what speaks for and against it are the findings."""
        claim = run.plan.claim if run.plan else ""
        citations = self._citations(run)
        asked = ClaimToCheck(claim, ClaimOrigin.QUESTION, apart_from=_pages_of(run))
        (checked,) = self.claim_checker.check(
            [asked], citations, ledger, self.seen(run.request), language_of(run.request)
        )
        cited = (*checked.evidence_for, *checked.evidence_against)
        findings = tuple(ReportSentence(" ".join(citations.all[n - 1].quote.split()), (n,), 0) for n in cited)
        synthesis = Synthesis(findings, () if findings else (0,), (), checked)
        return Outcome(replace(run, synthesis=synthesis, citations=citations.all), f"{checked.verdict.words}: {claim}")

    def simplify_findings(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Rewrite the findings in plain language."""
        findings_written = run.synthesis.findings if run.synthesis else ()
        findings = [findings_written[index] for index in order_findings(findings_written, language_of(run.request))]
        summary = self.simplifier.simplify(findings, run.citations, run.request.mode, ledger)
        return Outcome(
            replace(run, summary=summary),
            f"{count_noun(len(summary.sentences), 'sentence')} at grade {summary.grade:g}",
        )

    def write_draft(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Put the findings in order, each once, and have the text around them written."""
        findings = run.synthesis.findings if run.synthesis else ()
        order = order_findings(findings, language_of(run.request))
        title = run.plan.question if run.plan else run.request.subject
        framing = self.framer.frame(run, order, ledger) if self.framer is not None else ()
        around = f", {count_noun(len(framing), 'sentence')} around them" if framing else ""
        line = f"{len(order)} of {len(findings)} findings{around}"
        return Outcome(replace(run, draft=Draft(title, order, framing)), line)

    def check_report(self, run: ResearchRun, ledger: Run) -> Outcome:
        """Check every sentence that goes out, and every claim of the page, against what is stored."""
        citations = self._citations(run)
        synthesis = run.synthesis or Synthesis((), ())
        order = run.draft.order if run.draft else tuple(range(len(synthesis.findings)))
        drafted = [synthesis.findings[index] for index in order]
        summary = run.summary or PlainSummary((), 0.0, WANTED_GRADE)
        checked = self.sentence_checker.check(
            [*summary.sentences, *drafted], citations, ledger, language_of(run.request)
        )
        plain, findings = checked[: len(summary.sentences)], checked[len(summary.sentences) :]
        findings = self._mark_disputed(findings, run, citations, ledger)
        sentences = keep_plain([each for each in plain if each.is_supported])
        removed = tuple(each for each in (*plain, *findings) if each.verdict is VerdictLabel.CONTRADICTED)
        claims = self.claim_checker.check(
            _list_claims(run), citations, ledger, self.seen(run.request), language_of(run.request)
        )
        framing = self._check_framing(run, citations, ledger)
        own = (synthesis.validated,) if synthesis.validated else ()
        report = CheckedReport(
            title=run.draft.title if run.draft else run.request.subject,
            summary=replace(
                summary, sentences=sentences, grade=measure_grade(" ".join(each.text for each in sentences))
            ),
            findings=tuple(each for each in findings if each.verdict is not VerdictLabel.CONTRADICTED),
            claims=(*own, *claims),
            disagreements=synthesis.disagreements,
            removed=tuple(dict.fromkeys(removed)),
            framing=framing,
        )
        supported = sum(each.is_supported for each in checked)
        line = f"{supported} of {len(checked)} sentences supported, {count_noun(len(report.claims), 'claim')} checked"
        if run.draft is not None and run.draft.framing:
            line += f"; {len(framing)} of {len(run.draft.framing)} around them"
        return Outcome(renumber_citations(replace(run, report=report, citations=citations.all)), line)

    def _check_framing(self, run: ResearchRun, citations: RunCitations, ledger: Run) -> tuple[FramingSentence, ...]:
        """The text around the findings, as far as it is supported."""
        if run.draft is None or not run.draft.framing:
            return ()
        checker = self.sentence_checker
        stored = [each for each in citations.all if checker.is_stored(each)]
        return check_framing(
            run.draft.framing, stored, run.draft.title, checker.verify, run=ledger, language=language_of(run.request)
        )

    def _answer_parts(self, run: ResearchRun, citations: RunCitations, ledger: Run) -> dict[int, PartAnswer]:
        """What answers each sub-question, by its index."""
        parts = run.plan.sub_questions if run.plan else ()
        chosen = (
            run.ranked
            if run.ranked is not None
            else [Ranked(each.sub_question, each.chunks) for each in run.retrieved or ()]
        )
        answers: dict[int, PartAnswer] = {}
        for each in chosen:
            asked = parts[each.sub_question].text
            if ledger.is_out_of_time and any(answer.findings for answer in answers.values()):
                answers[each.sub_question] = PartAnswer()
                continue
            # what a page says of itself is what is looked into, so it is no finding
            others = [p for p in read_passages(self.store, each.chunks) if p.chunk.document_id not in _pages_of(run)]
            passages = self.nearness(asked, others)
            made = self.synthesiser.answer(asked, passages, self.seen(run.request), citations, ledger)
            if (
                run.plan
                and run.plan.subjects
                and not _speaks_of(asked, made, passages, citations, language=language_of(run.request))
            ):
                made = PartAnswer()
            numbered = tuple(replace(finding, sub_question=each.sub_question) for finding in made.findings)
            answers[each.sub_question] = replace(made, findings=numbered)
        return answers

    def _mark_disputed(
        self, findings: Sequence[ReportSentence], run: ResearchRun, citations: RunCitations, ledger: Run
    ) -> list[ReportSentence]:
        """The findings with what other documents than those they cite say against them; as they are once the time is used up."""
        if ledger.is_out_of_time:
            return list(findings)
        asked = [
            ClaimToCheck(
                each.text,
                ClaimOrigin.QUESTION,
                apart_from=_pages_of(run) | {citations.all[n - 1].document_id for n in each.citations},
            )
            for each in findings
        ]
        against = self.claim_checker.find_against(
            asked, citations, ledger, self.seen(run.request), language=language_of(run.request)
        )
        return [replace(each, against=numbers) for each, numbers in zip(findings, against, strict=True)]

    def _citations(self, run: ResearchRun) -> RunCitations:
        return RunCitations(run.citations, self.store.document)


def _speaks_of(
    asked: str, made: PartAnswer, passages: Sequence[Passage], citations: RunCitations, *, language: str
) -> bool:
    """Whether what was found in the documents that an answer cites has every telling word of ``asked``: of several subjects
    one that no document speaks of would be answered from what is nearest, and counted.
    """
    cited = {citations.all[number - 1].document_id for finding in made.findings for number in finding.citations}
    own = [passage.chunk for passage in passages if passage.chunk.document_id in cited]
    said = set(content_terms("\n".join(f"{chunk.title}\n{chunk.heading}\n{chunk.text}" for chunk in own), language))
    return all(
        term in said for term in content_terms(asked, language) if word_informativeness(term, language) >= TELLING
    )


def _pages_of(run: ResearchRun) -> frozenset[str]:
    return frozenset(run.site.document_ids) if run.site else frozenset()


def _list_claims(run: ResearchRun) -> list[ClaimToCheck]:
    site = run.site
    if site is None:
        return []
    return [
        ClaimToCheck(" ".join(claim.quote.split()), ClaimOrigin.WEBSITE, claim.number, _pages_of(run))
        for claim in site.claims
    ]
