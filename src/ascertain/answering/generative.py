"""Answers written by a chat model from the sources, every citation located in the stored text (AN-3, AN-9).

The model writes sentences and names, for each, keys out of a closed set and the words it rests on. What it cannot show
in those sources has no citation. Its evidence is that of the sentences it cites: the model never says how far it is to
be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from ascertain.answering.citations import CitationList, SourceText, shown_text, source_texts, sources_as_data
from ascertain.answering.composition import Composition, WritingRequest
from ascertain.answering.reports import format_report
from ascertain.core.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.documents import Document
from ascertain.core.plans import Asks
from ascertain.core.reports import EntityReport
from ascertain.core.runs import Run, Task
from ascertain.core.settings import AnswerSettings
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD, content_terms
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

Length = Literal["short", "medium", "long"]

ANSWERING = 0.9
"""Score of a passage from which a chat model has said that it holds the answer: the prompt gives 1 for that and 0.7 for a
part of it."""
GOOD, FAIR = 80, 60
"""Retrieval quality above which a writer may be bold, or fairly so (AN-3)."""

_BY_QUALITY = (
    (GOOD, "The sources fit the question well. Answer it fully and directly, with the specifics they give."),
    (
        FAIR,
        "The sources fit the question in part. Answer what they clearly support, and say in a sentence of its own what they "
        "leave open.",
    ),
    (
        -1,
        "The sources fit the question poorly. Say only what they state outright, as close to their words as you can; leave out "
        "everything else, even if that is most of the question.",
    ),
)

_LENGTHS: Mapping[Length, tuple[str, int]] = MappingProxyType(
    {
        "short": ("one or two sentences", 3),
        "medium": ("two to five sentences", 8),
        "long": ("five to twelve sentences", 20),
    }
)
"""What is asked for, and the number of sentences past which the rest is cut."""


def quality_guidance(quality: int) -> str:
    """The instructions for a retrieval of this quality, 0..100."""
    return next(text for above, text in _BY_QUALITY if quality > above)


def report_guidance(report: EntityReport | None) -> str:
    """The instructions for sources that are all places naming one thing; empty for others."""
    if report is None:
        return ""
    if report.question.asks is Asks.CONNECTION:
        return "The sources are the steps of the connection, in order: tell each step with what its source says, and no other."
    return (
        "The sources are places that name what is asked about, in groups that belong together. Keep their order, and give each that answers at "
        "least one sentence. Who says it, where and when is shown beside each sentence: leave it out."
    )


def style_guidance(settings: AnswerSettings) -> str:
    """Tone, length and language, a line each."""
    language = settings.language or "the language of the question"
    return (
        f"- Tone: {settings.tone}.\n- Length: {_LENGTHS[settings.length][0]}.\n"
        f"- Language: {language}; quotes stay in the language of their source."
    )


def most_sentences(settings: AnswerSettings) -> int:
    """Sentences of a written answer at most."""
    return _LENGTHS[settings.length][1]


_DROP = (
    "\nAn earlier draft made the statements below, and the sources do not support them. Do not make any of them again, unless "
    "you can ground it now with a quote that states it; otherwise leave it out.\n"
)


class Composer(Protocol):
    """Writes answers (AN-2, AN-3)."""

    def compose(self, request: WritingRequest, run: Run) -> Composition:
        """Cited sentences; a rejection only where there is nothing to quote from."""
        ...


class QuotingComposer(Composer, Protocol):
    """Writes answers of quoted sentences alone."""

    def weigh_citations(self, request: WritingRequest, citations: Sequence[Citation]) -> Mapping[str, float]:
        """The evidence of the cited sentences, as ``Composition.evidence``; empty where there is none."""
        ...


class QuoteReply(BaseModel):
    """The words of one source that a sentence rests on."""

    key: str = Field(description="The key of a source, such as S1.")
    text: str = Field(description="Copied from that source, character for character.")


class SentenceReply(BaseModel):
    """One statement."""

    text: str
    quotes: list[QuoteReply] = Field(default=[], description="At least one.")


class WritingReply(BaseModel):
    """The answer, sentence by sentence; none where the sources do not answer."""

    sentences: list[SentenceReply]


class ModelComposer:
    """Has the model write; the fallback's quoted sentences take over when nothing written can be cited."""

    def __init__(
        self,
        chat: Chat,
        prompts: Prompts,
        fallback: QuotingComposer,
        *,
        document: Callable[[str], Document | None],
        settings: AnswerSettings,
    ) -> None:
        self._step = PromptedStep(chat, prompts, Task.WRITE, "generate", "write")
        self._fallback = fallback
        self._document = document
        self._settings = settings

    def compose(self, request: WritingRequest, run: Run) -> Composition:
        """Written sentences with located citations, the fallback's quotations behind them; without sentences of its own
        those quotations, marked as doubted. Type and confidence are the fallback's, the evidence that of what is cited.

        A sentence is ``inferred`` until its claims are verified, ``supported`` when it repeats what it cites
        word for word, ``not_in_sources`` when nothing it names can be found.
        """
        whole = replace(request, passages=request.gathered or request.passages)
        quoted = self._fallback.compose(whole, run)
        if quoted.type is AnswerType.REJECTION:
            return quoted
        read = len(request.passages) if request.report else self._settings.passages
        sources = source_texts(request.passages[:read], self._document)
        reply = self._step.reply(
            WritingReply,
            run,
            question=as_data(request.wording or request.question, "question"),
            sources=sources_as_data(sources),
            quality=" ".join(filter(None, (quality_guidance(request.quality), report_guidance(request.report)))),
            style=style_guidance(self._settings),
            corrections=_list_corrections(request.unsupported),
        )
        if reply is None:
            return quoted
        if not reply.sentences:
            best = max((passage.scores.get("judge", 0.0) for passage in request.passages), default=0.0)
            if best >= ANSWERING:
                self._step.distrust(run, f"the model gave {round(100 * best)} of 100 to a passage, and finds no answer")
                return quoted
            return _doubt_quotations(quoted)
        citations = CitationList(sources)
        most = max(most_sentences(self._settings), request.report.shown if request.report else 0)
        sentences = self._cite_sentences(reply.sentences, sources, citations, most)
        cited = sum(bool(sentence.citations) for sentence in sentences)
        if not cited:
            self._step.fell_back(run, f"none of its {len(sentences)} sentences can be cited")
            return quoted
        *before, last = quoted.decisions
        reason = f"{len(sentences)} sentences written, {cited} with a citation, from {citations.documents} document(s)"
        return replace(
            quoted,
            text=_join_text(request, sentences, citations.all),
            sentences=tuple(sentences),
            citations=citations.all,
            decisions=(*before, Decision(last.node, "answered", reason, last.scores)),
            evidence={} if request.report else self._fallback.weigh_citations(whole, citations.all),
            quoted=quoted,
        )

    def _cite_sentences(
        self, replies: Sequence[SentenceReply], sources: Sequence[SourceText], citations: CitationList, most: int
    ) -> list[AnswerSentence]:
        shown_to_model = [
            text for source in sources for text in (source.passage.chunk.text, source.passage.chunk.url or "")
        ]
        sentences: list[AnswerSentence] = []
        for reply in replies:
            text = shown_text(reply.text, shown_to_model)
            for span in split_sentences(text):
                sentence = span.of(text)
                if len(sentences) < most and WORD.search(sentence):
                    numbers = citations.cite(sentence, [(quote.key, quote.text) for quote in reply.quotes])
                    verdict = _before_verification(sentence, [citations.quote(number) for number in numbers])
                    sentences.append(AnswerSentence(sentence, verdict, numbers))
        return sentences


def _doubt_quotations(quoted: Composition) -> Composition:
    """The quotations, marked: the model read the sources and found no answer in them.

    A model's silence alone withholds nothing: a poor one, or a document that talks it into silence, would withhold
    what plainly stands there. What it counts for is said in ``answering.confidence``.
    """
    last = quoted.decisions[-1]
    doubt = Decision(last.node, "declined", "the model found no answer in the sources", last.scores)
    return replace(quoted, is_doubted=True, decisions=(*quoted.decisions[:-1], doubt))


def _join_text(request: WritingRequest, sentences: Sequence[AnswerSentence], citations: Sequence[Citation]) -> str:
    if request.report is None:
        return " ".join(sentence.text for sentence in sentences)
    return format_report(request.report, sentences, citations)


def _before_verification(sentence: str, quotes: Sequence[str]) -> Verdict:
    """How far a sentence is plainly what it cites: the share of its content words, in 0..1."""
    if not quotes:
        return Verdict(VerdictLabel.NOT_IN_SOURCES, 0.0)
    bare = " ".join(WORD.findall(sentence)).casefold()
    if any(bare in " ".join(WORD.findall(quote)).casefold() for quote in quotes):
        return Verdict(VerdictLabel.SUPPORTED, 1.0)
    said = set(content_terms(sentence))
    held = set(content_terms(" ".join(quotes)))
    return Verdict(VerdictLabel.INFERRED, round(len(said & held) / len(said), 2) if said else 0.0)


def _list_corrections(unsupported: Sequence[str]) -> str:
    return _DROP + "\n".join(as_data(claim, "statement") for claim in unsupported) if unsupported else ""
