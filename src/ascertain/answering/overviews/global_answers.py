"""Answers to questions about the documents as a whole: one or two cited sentences for each of their largest themes
(KG-4).

Map-reduce over communities, after GraphRAG (Edge et al., "From Local to Global", arXiv 2404.16130): each theme is
weighed for the question (map), then the best are presented, the largest first (reduce). The sentences are quoted, or written
by a chat model from those quoted ones; the answer says how much of the documents it covers. It is checked like any
other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import confidence_of
from ascertain.answering.units.candidates import collapse_spaces, count_noun
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import GlobalQuestion
from ascertain.core.asking.runs import Run
from ascertain.core.documents.documents import Document
from ascertain.core.errors import CitationError
from ascertain.core.reports.overviews import FoundThemes, Representative, Theme
from ascertain.core.settings import AnswerSettings

TOLD = 6
"""Themes in an answer, unless the question asks for another number: what fits a screen."""
WEIGHED = 30
"""Most themes weighed for the question, the largest ones."""
OF_ONE_THEME = 2
"""Most sentences of one theme."""
STANDS = 0.8
"""Score of a sentence (``graph.themes``) from which it almost surely represents its theme: about that of the best
sentences of the demo corpus and of the podcasts of asked, dev; those off the theme had 0.3 to 0.5.
"""


@dataclass(frozen=True, slots=True)
class GlobalRequest:
    """``filter`` selects what the user may see; ``where`` describes that in words, "" for everything. ``unsupported``
    are sentences of an earlier draft without support. ``max_sentences`` limits what is quoted, None for no other
    limit than the themes shown.
    """

    question: str
    language: str
    global_question: GlobalQuestion
    filter: Filter
    days_back: int | None = None
    where: str = ""
    unsupported: tuple[str, ...] = ()
    max_sentences: int | None = None


@dataclass(frozen=True, slots=True)
class GlobalAnswer:
    """``passages`` are the quoted ones, ``filter`` is the one finally applied. ``confidence``, 0..100: how well
    the sentences represent their themes, where every theme is shown; lower the less of the passages was read and is shown.
    ``how`` is a line for the reader.
    """

    composition: Composition
    passages: tuple[Passage, ...]
    filter: Filter
    confidence: int
    how: str
    scores: Mapping[str, float]
    keeps_dates: bool = False
    """Whether it covers just the requested period, whenever its documents were published: rows have their own days."""


class ThemeScorer(Protocol):
    """Weighs themes for a question (map)."""

    def scores(self, question: str, themes: Sequence[Theme], run: Run) -> list[int] | None:
        """How far each theme helps to answer, 0..100; None when it cannot tell."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence about a theme, with the indexes, in its description, of the sentences it rests on."""

    text: str
    places: tuple[int, ...]


class ThemeWriter(Protocol):
    """Writes what themes are about (reduce)."""

    def write(self, themes: Sequence[Theme], tenant: str, unsupported: Sequence[str], run: Run) -> list[list[Written]]:
        """Sentences about each theme, none where its own are better quoted."""
        ...


class ThemeFinder(Protocol):
    """``graph.theme_finding.ThemeFinder``, as far as it is used here."""

    def find_themes(self, filter: Filter, language: str, focus: str = "") -> FoundThemes | None:
        """The themes of the selection of ``filter``; None where there is no graph of it."""
        ...


class GlobalAnswerer:
    """Quotes from themes; with a ``scorer`` and a ``writer`` a chat model weighs and words them, with the quotations
    as fallback.
    """

    def __init__(
        self,
        theme_finder: ThemeFinder,
        document: Callable[[str], Document | None],
        settings: AnswerSettings,
        scorer: ThemeScorer | None = None,
        writer: ThemeWriter | None = None,
    ) -> None:
        self._theme_finder = theme_finder
        self._document = document
        self._settings = settings
        self._scorer = scorer
        self._writer = writer

    def answer(self, request: GlobalRequest, run: Run) -> GlobalAnswer | None:
        """The main themes of what the request may see; None where there is no graph of it, or nothing in it can be
        quoted.

        Raises StoreError when the graph or the store cannot be read.
        """
        found = self._theme_finder.find_themes(request.filter, request.language, request.global_question.focus)
        if found is None:
            return None
        told = self._choose_themes(found, request, request.global_question.most or TOLD, run)
        written: list[list[Written]] = [[] for _ in told]
        if self._writer is not None:
            written = self._writer.write(told, request.filter.tenant, request.unsupported, run)
        draft = _Draft(self._document)
        room = len(told) * OF_ONE_THEME if request.max_sentences is None else request.max_sentences
        for number, (theme, sentences) in enumerate(zip(told, written, strict=True)):
            left = room - draft.count
            # every theme gets a sentence before any gets two
            draft.add(theme, sentences, min(OF_ONE_THEME, max(min(1, left), left - (len(told) - number - 1))))
        return draft.answer(found, request) if draft.count else None

    def _choose_themes(self, found: FoundThemes, request: GlobalRequest, wanted: int, run: Run) -> list[Theme]:
        """The themes to show, the largest first. A model that scores leaves out what it gives 0."""
        if self._scorer is None or (not request.global_question.focus and found.themes <= wanted):
            return [found.theme(number) for number in range(min(found.themes, wanted))]
        themes = [found.theme(number) for number in range(min(found.themes, max(WEIGHED, wanted)))]
        scores = self._scorer.scores(request.question, themes, run)
        if scores is None or not any(scores):
            return themes[:wanted]
        best = sorted(range(len(themes)), key=lambda place: (-scores[place], place))[:wanted]
        return [themes[place] for place in sorted(best) if scores[place] > 0]


class _Draft:
    """An answer as it grows: its text, its sentences, and their citations by number."""

    def __init__(self, document: Callable[[str], Document | None]) -> None:
        self._document = document
        self._paragraphs: list[str] = []
        self._sentences: list[AnswerSentence] = []
        self._citations: list[Citation] = []
        self._passages: dict[str, Passage] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._themes: list[Theme] = []
        self._said: set[str] = set()
        self._written = 0

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return len(self._sentences)

    def add(self, theme: Theme, written: Sequence[Written], limit: int) -> None:
        """Add a theme in at most ``limit`` sentences; nothing where none of its sentences is in its document any
        more.
        """
        found = self._as_written(theme, written)[:limit] or self._quote_theme(theme)[:limit]
        if not found:
            return
        self._written += sum(sentence.verdict.label is not VerdictLabel.SUPPORTED for sentence in found)
        self._themes.append(theme)
        self._sentences += found
        self._said.update(sentence.text for sentence in found)
        text = " ".join(sentence.text for sentence in found)
        self._paragraphs.append(f"{len(self._themes)}. {_theme_heading(theme)}\n{text}")

    def answer(self, found: FoundThemes, request: GlobalRequest) -> GlobalAnswer:
        """The finished answer, with how much it covers."""
        told = sum(theme.passages for theme in self._themes) / max(1, found.passages)
        read = found.passages_read / max(1, found.passages)
        stands = fmean(min(1.0, passage.score / STANDS) for passage in self._passages.values())
        confidence = round(100 * stands * (read + min(told, read)) / 2)
        scores = {
            "read": round(read, 3),
            "told": round(told, 3),
            "stands": round(stands, 3),
            "themes": float(found.themes),
        }
        kind = "written" if self._written else "quoted"
        reason = f"{self.count} sentences {kind} for {len(self._themes)} of {found.themes} themes"
        composition = Composition(
            "\n\n".join([_describe_reach(found, self._themes, request), *self._paragraphs]),
            tuple(self._sentences),
            tuple(self._citations),
            confidence_of(confidence, 0, request.language),
            (),
            AnswerType.SUMMARY,
        )
        passages = tuple(self._passages.values())
        return GlobalAnswer(composition, passages, request.filter, confidence, reason, scores)

    def _quote_theme(self, theme: Theme) -> list[AnswerSentence]:
        found: list[AnswerSentence] = []
        for one in theme.description.sentences:
            text = collapse_spaces(one.text)
            if text in self._said or any(text == sentence.text for sentence in found):
                continue
            number = self._number_citation(theme, one)
            if number is not None:
                found.append(AnswerSentence(text, Verdict(VerdictLabel.SUPPORTED, 1.0), (number,)))
            if len(found) == OF_ONE_THEME:
                break
        return found

    def _as_written(self, theme: Theme, written: Sequence[Written]) -> list[AnswerSentence]:
        found: list[AnswerSentence] = []
        for sentence in written[:OF_ONE_THEME]:
            numbers = [self._number_citation(theme, theme.description.sentences[place]) for place in sentence.places]
            cited = tuple(dict.fromkeys(number for number in numbers if number is not None))
            if cited and sentence.text not in self._said:
                # its claims are not checked yet
                found.append(AnswerSentence(sentence.text, Verdict(VerdictLabel.INFERRED, 0.5), cited))
        return found

    def _number_citation(self, theme: Theme, one: Representative) -> int | None:
        """The number of its citation; None when its document is gone or reads otherwise now."""
        place = (one.chunk.document_id, one.span.start)
        if place not in self._numbers:
            document = self._document(one.chunk.document_id)
            try:
                if document is None:
                    return None
                citation = cite_span(len(self._citations) + 1, document, one.span, one.text)
            except CitationError:
                return None
            self._numbers[place] = citation.number
            self._citations.append(citation)
            self._passages.setdefault(one.chunk.id, _theme_passage(theme, one))
        return self._numbers[place]


def _theme_passage(theme: Theme, one: Representative) -> Passage:
    return Passage(
        one.chunk,
        min(1.0, max(0.0, one.score)),
        {"share": round(theme.share, 4)},
        origin="graph",
        explanation=f"stands for the theme {theme.description.label}: {_describe_extent(theme)}",
    )


def _theme_heading(theme: Theme) -> str:
    label, extent = theme.description.label, _describe_extent(theme)
    return f"{label[:1].upper()}{label[1:]}: {extent}" if label else extent[0].upper() + extent[1:]


def _describe_extent(theme: Theme) -> str:
    share, documents = _format_percent(theme.share), count_noun(theme.documents, "document")
    return f"{count_noun(theme.passages, 'passage')} ({share}) in {documents}"


def _describe_reach(found: FoundThemes, told: Sequence[Theme], request: GlobalRequest) -> str:
    """How much was read, and how much of it is shown."""
    about = f" about “{request.global_question.focus}”" if request.global_question.focus else ""
    where = f" of {collapse_spaces(request.where)}" if request.where else ""
    read = (
        f"Read{where}: {found.passages_read:,} of {count_noun(found.passages, 'passage')}{about}"
        f" ({_format_percent(found.passages_read / max(1, found.passages))}), in {found.documents_read:,} of "
        f"{count_noun(found.documents, 'document')}."
    )
    themes = found.themes
    held = _format_percent(sum(theme.passages for theme in told) / max(1, found.passages))
    if len(told) < themes:
        return f"{read} They fall into {themes:,} themes; these {len(told)} hold {held} of the passages:"
    return f"{read} {'They are of one theme:' if themes == 1 else f'They fall into {themes} themes:'}"


def _format_percent(share: float) -> str:
    return "less than 1 %" if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")
