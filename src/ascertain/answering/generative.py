"""Answers written by a chat model from the sources, every citation located in the stored text (AN-3, AN-9).

The model writes sentences and names, for each, keys from a closed set and the words it rests on. What it cannot show
in those sources has no citation. Its evidence is that of the sentences it cites: the model never rates
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, Protocol

from ascertain.answering.citations import CitationList, SourceText, number_by_appearance, source_texts, sources_as_data
from ascertain.answering.composition import CheckedDraft, Composition, WritingRequest
from ascertain.answering.overviews.reports import format_report
from ascertain.answering.units.versions import find_replaced
from ascertain.answering.writing.citing import cite_entries
from ascertain.answering.writing.drafts import DraftTeller
from ascertain.answering.writing.entries import Entry, WritingReply, read_entries, read_gaps
from ascertain.answering.writing.language import find_other_language, find_wanted_language, name_language
from ascertain.answering.writing.revision import describe_draft, keep_supported
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Form
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.plans import Asks
from ascertain.core.asking.runs import Run, Task
from ascertain.core.documents.documents import Document
from ascertain.core.reports.overviews import EntityReport
from ascertain.core.settings import AnswerSettings
from ascertain.language.languages import say_sentence
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import WORD
from ascertain.models.ports import Chat
from ascertain.models.prompts import PromptedStep, Prompts, as_data

Length = Literal["auto", "short", "medium", "long"]

ANSWERING = 0.9
"""Score of a passage from which a chat model has said that it contains the answer: the prompt gives 1 for that and 0.7 for a
part of it."""
HELPING, POOR = 0.5, 40
"""Score of a passage, and quality of all of them, below which, by the judging prompt, neither contains a part of the answer."""
GOOD, FAIR = 80, 60
"""Retrieval quality above which a writer may be free, or fairly free (AN-3)."""

_BY_QUALITY = (
    (GOOD, "The sources fit the question well. Answer it fully and directly, with the specifics they give."),
    (
        FAIR,
        "The sources fit the question in part. Answer what they clearly support, and say as a gap what they leave open.",
    ),
    (
        -1,
        "The sources fit the question poorly. Say only what they state outright, as close to their words as you can; leave out "
        "everything else, even if that is most of the question.",
    ),
)

_LENGTHS: Mapping[Length, tuple[str, int]] = MappingProxyType(
    {
        "auto": (
            "as the question needs: a sentence or two for a fact, every step, item or row where these are asked for, some "
            "sentences for an explanation",
            30,
        ),
        "short": ("one or two sentences", 3),
        "medium": ("two to five sentences", 8),
        "long": ("five to twelve sentences", 20),
    }
)
"""The requested form, and the number of sentences, items, steps, rows and blocks of code after which the rest is cut."""


def quality_guidance(quality: int) -> str:
    """The instructions for a retrieval of this quality, 0..100."""
    return next(text for above, text in _BY_QUALITY if quality > above)


def report_guidance(report: EntityReport | None) -> str:
    """The instructions for sources that all name one thing; empty for others."""
    if report is None:
        return ""
    if report.question.asks is Asks.CONNECTION:
        return (
            "The sources are the steps of the connection, in order: tell each step with what its source says, and no other. "
            "Write text only."
        )
    return (
        "The sources are places that name what is asked about, in groups that belong together. Keep their order, and give each that answers at "
        "least one sentence of text, and nothing else. Who says it, where and when is shown beside each sentence: leave it out."
    )


def style_guidance(settings: AnswerSettings) -> str:
    """Tone, length and language, a line each."""
    language = settings.language or "that of the question, also where the sources are in another"
    return (
        f"- Tone: {settings.tone}.\n- Length: {_LENGTHS[settings.length][0]}.\n"
        f"- Language: {language}; quotes stay in the language of their source."
    )


def most_sentences(settings: AnswerSettings) -> int:
    """Sentences of a written answer at most."""
    return _LENGTHS[settings.length][1]


class Composer(Protocol):
    """Writes answers (AN-2, AN-3)."""

    def compose(self, request: WritingRequest, run: Run) -> Composition:
        """Cited sentences; a rejection only where there is nothing to quote."""
        ...


class QuotingComposer(Composer, Protocol):
    """Writes answers of quoted sentences alone."""

    def weigh_citations(self, request: WritingRequest, citations: Sequence[Citation]) -> Mapping[str, float]:
        """The evidence of the cited sentences, as ``Composition.evidence``; empty where there is none."""
        ...


class ModelComposer:
    """Has the model write; the fallback's quoted sentences take over when no written sentence can be cited."""

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
        """Written sentences with located citations, with the fallback's quotations attached; without sentences of its own,
        those quotations, marked as doubted. Type and confidence are the fallback's, the evidence that of the citations.

        A sentence is ``inferred`` until its claims are verified, ``supported`` when it repeats what it cites
        word for word, ``not_in_sources`` when nothing it cites can be found.
        An answer in a language other than the requested one is written again, and has a caveat if that does not help. The run's
        listener is shown each draft.
        """
        whole = replace(request, passages=request.gathered or request.passages)
        quoted = self._fallback.compose(whole, run)
        if quoted.type is AnswerType.REJECTION:
            return quoted
        if _is_refused(request):
            return _doubt_quotations(quoted)
        read = len(request.passages) if request.report else self._settings.passages
        sources = source_texts(request.passages[:read], self._document)
        writing = _Writing(request, sources, _find_written_draft(request), self._settings)
        written = self._write_entries(writing, run)
        is_declined = written is not None and not written.entries
        if is_declined and writing.draft is None:
            return self._decline(request, quoted, run)
        made, caveats = self._check_language(writing, written or _Written(), run, request.question.language)
        entries = list(made.entries)
        citations = CitationList(sources)
        found = cite_entries(entries, sources, citations, request.question.language)
        sentences, numbered = number_by_appearance(keep_supported(writing.draft, found, citations), citations.all)
        cited = sum(bool(sentence.citations) for sentence in sentences)
        if not cited:
            if found:
                self._step.fell_back(run, f"none of its {len(found)} sentences can be cited")
            return _doubt_quotations(quoted) if is_declined else quoted
        *before, last = quoted.decisions
        documents = len({citation.document_id for citation in numbered})
        reason = f"{len(sentences)} sentences written, {cited} with a citation, from {documents} document(s)"
        return replace(
            quoted,
            text=_join_text(request, sentences, numbered),
            sentences=sentences,
            citations=numbered,
            decisions=(*before, Decision(last.node, "answered", reason, last.scores)),
            evidence={} if request.report else self._fallback.weigh_citations(whole, numbered),
            quoted=quoted,
            caveats=(*caveats, *_describe_gaps(made, request.question.language)),
        )

    def _decline(self, request: WritingRequest, quoted: Composition, run: Run) -> Composition:
        """The quotations where the model finds no answer: doubted, or not, where it had seen the answer before."""
        best = max((passage.scores.get("judge", 0.0) for passage in request.passages), default=0.0)
        if best < ANSWERING:
            return _doubt_quotations(quoted)
        self._step.distrust(run, f"the model gave {round(100 * best)} of 100 to a passage, and finds no answer")
        return quoted

    def _write_entries(self, writing: _Writing, run: Run, correction: str = "") -> _Written | None:
        """What the model writes; None where it gives no reply."""
        tell = run.draft_listener
        teller = DraftTeller(tell, writing.shown, writing.most) if tell is not None else None
        request = writing.request
        try:
            reply = self._step.reply(
                WritingReply,
                run,
                teller.take_reply if teller else None,
                question=as_data(request.wording or request.question.text, "question"),
                sources=sources_as_data(writing.sources, _find_replaced(writing)),
                quality=" ".join(filter(None, (quality_guidance(request.quality), report_guidance(request.report)))),
                style=style_guidance(self._settings),
                corrections=describe_draft(writing.draft, writing.sources) + correction,
            )
        finally:
            if teller:
                teller.finish()
        if reply is None:
            return None
        entries, gaps = read_entries(reply.sentences, writing.shown), read_gaps(reply.sentences, writing.shown)
        if reply.sentences and not entries and not gaps:
            self._step.fell_back(run, f"none of its {len(reply.sentences)} sentences says anything")
            return None
        split = _split_entries(entries, is_plain=request.report is not None)
        return _Written(tuple(split[: writing.most]), gaps)

    def _check_language(
        self, writing: _Writing, written: _Written, run: Run, language: str
    ) -> tuple[_Written, tuple[str, ...]]:
        """The draft, written again if it is in a language other than the requested one, and a caveat if it still is."""
        wanted = writing.request.language or find_wanted_language(
            writing.request.wording or writing.request.question.text, self._settings.language
        )
        found = find_other_language(_list_prose(written.entries), wanted)
        if found is None or wanted is None:
            return written, ()
        names = {"found": name_language(found), "wanted": name_language(wanted)}
        again = self._write_entries(writing, run, _TRANSLATE.format(**names))
        if again is None or not again.entries:
            again = written
        if find_other_language(_list_prose(again.entries), wanted) is None:
            return again, ()
        self._step.fell_back(run, "the answer is in {found}, not in {wanted}, asked twice".format(**names))
        return written, (say_sentence(OTHER_LANGUAGE, language),)


@dataclass(frozen=True, slots=True)
class _Written:
    """The entries of a draft, and what it says the sources leave open."""

    entries: tuple[Entry, ...] = ()
    gaps: tuple[str, ...] = ()


MOST_GAPS = 2
"""Most open points that a caveat names."""
LEFT_OPEN = "As the chat model reads the sources, they leave something open: {what}"


def _describe_gaps(written: _Written, language: str) -> tuple[str, ...]:
    """A caveat: that something is said nowhere cannot be cited, so it is not part of the answer."""
    return (say_sentence(LEFT_OPEN, language, what=" ".join(written.gaps[:MOST_GAPS])),) if written.gaps else ()


OTHER_LANGUAGE = "The answer is in another language than the question."
_TRANSLATE = (
    "\nYou wrote this answer in {found}. Write it in {wanted}, all of it but names, code and the quotes, which stay as the "
    "sources have them.\n"
)


@dataclass(frozen=True, slots=True)
class _Writing:
    """The material of one answer; ``draft`` is the earlier one to be repaired."""

    request: WritingRequest
    sources: tuple[SourceText, ...]
    draft: CheckedDraft | None
    settings: AnswerSettings

    @property
    def shown(self) -> list[str]:
        """The texts and addresses shown to the model."""
        chunks = [source.passage.chunk for source in self.sources]
        return [text for chunk in chunks for text in (chunk.text, chunk.url or "")]

    @property
    def most(self) -> int:
        """Most entries."""
        return max(most_sentences(self.settings), self.request.report.shown if self.request.report else 0)


def _is_refused(request: WritingRequest) -> bool:
    """Whether a chat model found none of the passages of any help when it judged them: it would find no answer in them now."""
    scores = [passage.scores["judge"] for passage in request.passages if "judge" in passage.scores]
    is_all_read = bool(scores) and len(scores) == len(request.passages)
    return is_all_read and max(scores) < HELPING and request.quality < POOR and request.draft is None


def _find_written_draft(request: WritingRequest) -> CheckedDraft | None:
    """The earlier draft where a model wrote it: quotations need no repair."""
    return request.draft if request.draft is not None and request.draft.composition.quoted is not None else None


def _split_entries(entries: Sequence[Entry], *, is_plain: bool) -> list[Entry]:
    """A sentence for each entry of text; in a report, which has a form of its own, all of them are text."""
    split: list[Entry] = []
    for entry in entries:
        if entry.form is Form.TEXT or is_plain:
            texts = [span.of(entry.text) for span in split_sentences(entry.text)]
            split.extend(replace(entry, form=Form.TEXT, text=text, columns=()) for text in texts if WORD.search(text))
        else:
            split.append(entry)
    return split


def _list_prose(entries: Sequence[Entry]) -> list[str]:
    return [entry.text for entry in entries if entry.form is not Form.CODE]


def _find_replaced(writing: _Writing) -> frozenset[str]:
    documents = {source.document.id: source.document for source in writing.sources}
    return find_replaced(writing.request.question, documents)


def _doubt_quotations(quoted: Composition) -> Composition:
    """The quotations, marked: the model read the sources and found no answer in them.

    A model's silence alone withholds nothing: a poor one, or a document that talks it into silence, would withhold
    what is plainly there. Its weight is described in ``answering.confidence``.
    """
    last = quoted.decisions[-1]
    doubt = Decision(last.node, "declined", "the model found no answer in the sources", last.scores)
    return replace(quoted, is_doubted=True, decisions=(*quoted.decisions[:-1], doubt))


def _join_text(request: WritingRequest, sentences: Sequence[AnswerSentence], citations: Sequence[Citation]) -> str:
    if request.report is None:
        return join_sentences(sentences)
    return format_report(request.report, sentences, citations)
