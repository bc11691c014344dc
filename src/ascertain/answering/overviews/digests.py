"""Digests: the distinct stories of a period, newest first, a quoted sentence and the date of each.

They answer questions no passage stands out for: "bitcoin news", "what happened this week". The answer says how much of the
period it covers; its confidence falls with that share and with the distance of its documents from the subject.

With a chat model each story is summarised, preceded by what several have in common; a story whose summary
is not supported is quoted as without a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from ascertain.answering.citations import cite_span
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import MEDIUM, confidence_of
from ascertain.answering.overviews.global_answers import GlobalAnswer
from ascertain.answering.units.candidates import (
    Candidate,
    begin_alike,
    collapse_spaces,
    count_noun,
    gather_candidates,
    with_attribution,
)
from ascertain.answering.units.referents import find_referent, insert_referent
from ascertain.answering.writing.sourced_writing import as_checked, number_citations
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Decision, Verdict, VerdictLabel
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.runs import Run
from ascertain.core.documents.documents import Document
from ascertain.core.reports.overviews import FoundStories, Story
from ascertain.language.dates import format_day
from ascertain.language.numbers import Kind, find_quantities
from ascertain.language.sentences import leans_on_previous
from ascertain.language.tokens import content_terms

OF_PERIOD, ON_SUBJECT = 8, 5
"""Most stories for a whole period, and for one subject in it: what fits a screen, and what is read to the end (by
judgement).
"""
OF_CONVERSATION = 20
"""Most stories for the articles of a conversation: everything a question fetches, except with unusual settings."""
FIRST = 2
"""Sentences at the beginning of a document of which the longer one is shown: the first says what is new, or is a line
above the text that says it in short.
"""
LEAST = 30
"""Confidence of a digest at least: it is certain that these are documents of the period, but not that they are what was
meant.
"""
LATE = 30
"""Number of last days without anything on the subject from which a digest does not answer what is new."""


SUMMARISED = 6
"""Sentences a story is summarised from, the first ones: news puts the important things first."""


@dataclass(frozen=True, slots=True)
class StorySource:
    """A story to be summarised: its sentences, numbered throughout the digest."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class WrittenDigest:
    """What was written and found supported: ``overview`` is about several stories, ``stories`` about each, in the order
    given; none where a story is better quoted.
    """

    overview: tuple[AnswerSentence, ...]
    stories: tuple[tuple[AnswerSentence, ...], ...]


class StoryWriter(Protocol):
    """Summarises stories."""

    def write(self, question: str, language: str, stories: Sequence[StorySource], run: Run) -> WrittenDigest | None:
        """Checked sentences on ``stories``; None where nothing was written that can be shown."""
        ...


@dataclass(frozen=True, slots=True)
class DigestRequest:
    """``period`` says in words what the digest covers ("dated 9 June 2025 to 15 June 2025"), "" for all that there is.
    ``max_sentences`` limits the stories, one sentence each.
    """

    question: str
    language: str
    period: str
    max_sentences: int | None = None


def compose_digest(
    found: FoundStories,
    request: DigestRequest,
    document: Callable[[str], Document | None],
    run: Run,
    *,
    writer: StoryWriter | None = None,
) -> GlobalAnswer | None:
    """The digest of ``found``, summarised by ``writer`` where there is one. None where nothing in it can be quoted."""
    if found.question.by_value:
        return _compose_extreme(found, request.period, document, request.language)
    chosen = _choose_stories(found, request.max_sentences, document, request.language)
    if not chosen:
        return None
    quoted = [_quote_sentence(number, sentence) for number, (_, sentence) in enumerate(chosen, 1)]
    stories = [story for story, _ in chosen]
    lines = [(sentence,) for sentence, _ in quoted]
    citations = [citation for _, citation in quoted]
    overview: tuple[AnswerSentence, ...] = ()
    sources = _cite_stories(chosen, document, request.language) if writer is not None else []
    written = writer.write(request.question, request.language, sources, run) if writer is not None else None
    if written is not None:
        pool = [*citations, *(citation for source in sources for citation in source.citations)]
        overview, lines, citations = _replace_quotations(written, lines, pool, request.max_sentences)
    sentences = (*overview, *(sentence for line in lines for sentence in line))
    articles = sum(story.articles for story in stories)
    texts = [f"{_describe_story(story)}\n{_join(line)}" for story, line in zip(stories, lines, strict=True)]
    lead = _describe_reach(found, request.period, stories, articles)
    score = _rate_digest(found, articles)
    how = f"{len(chosen)} of {len(found.stories):,} stories told{_describe_reading(found)}"
    composition = Composition(
        "\n\n".join(filter(None, (lead, _join(overview), *texts))),
        sentences,
        tuple(citations),
        confidence_of(score, 0, request.language),
        (Decision("compose", "digest", how),),
        AnswerType.SUMMARY,
        checked=as_checked(sentences) if written is not None else None,
    )
    passages = tuple(story.passage for story in stories)
    scores = {"articles": float(found.articles), "told": float(articles), "nearness": round(found.nearness, 3)}
    return GlobalAnswer(composition, passages, found.filter, score, how, scores)


def _choose_stories(
    found: FoundStories, limit: int | None, document: Callable[[str], Document | None], language: str
) -> list[tuple[Story, Candidate]]:
    """The stories to show, in order, each with its quoted sentence."""
    terms = frozenset(content_terms(found.subject, language))
    most = _most_stories(found) if limit is None else min(limit, _most_stories(found))
    stories: list[tuple[Story, Candidate]] = []
    for story in found.stories:
        sentence = _choose_sentence(story.passage, terms, document, language)
        if sentence is not None and len(stories) < most:
            stories.append((story, sentence))
    if found.question.by_date != "oldest":
        stories.sort(key=lambda each: _day_of(each[0]), reverse=True)
    return stories


def _cite_stories(
    chosen: Sequence[tuple[Story, Candidate]], document: Callable[[str], Document | None], language: str
) -> list[StorySource]:
    """What the stories are summarised from: their first sentences and the one that is quoted, numbered after the quotations."""
    number = len(chosen) + 1
    sources: list[StorySource] = []
    for story, quoted in chosen:
        whole = _list_whole(story.passage, document, language)
        shown = [each for place, each in enumerate(whole) if place < SUMMARISED or each.span == quoted.span]
        own = tuple(cite_span(number + n, each.document, each.span) for n, each in enumerate(shown))
        number += len(own)
        sources.append(StorySource(own))
    return sources


def _replace_quotations(
    written: WrittenDigest, quoted: Sequence[tuple[AnswerSentence]], citations: Sequence[Citation], limit: int | None
) -> tuple[tuple[AnswerSentence, ...], list[tuple[AnswerSentence, ...]], list[Citation]]:
    """The overview, the lines of the stories, and their citations: what was written, and quotations where nothing was."""
    overview = written.overview if limit is None else ()
    most = None if limit is None else 1
    lines = [own[:most] or line for own, line in zip(written.stories, quoted, strict=True)]
    flat = [*overview, *(sentence for line in lines for sentence in line)]
    numbered, cited = number_citations(flat, citations)
    rest = iter(numbered)
    first = tuple(next(rest) for _ in overview)
    return first, [tuple(next(rest) for _ in line) for line in lines], cited


def _join(sentences: Sequence[AnswerSentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


SERIES = 3
"""Number of sentences, each of another document, that make a series: two may be alike by chance."""


def _compose_extreme(
    found: FoundStories, period: str, document: Callable[[str], Document | None], language: str
) -> GlobalAnswer | None:
    """The lowest or highest first amount among the sentences of the longest series; None where there is no series."""
    subject = frozenset(content_terms(found.subject, language))
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, found.names))})\b", re.IGNORECASE) if found.names else None
    series: list[list[tuple[Story, Candidate, float, Candidate]]] = []
    for story in found.stories:
        for sentence in gather_candidates([story.passage], document, language).candidates:
            amounts = [each.value for each in find_quantities(sentence.text) if each.kind is Kind.MONEY]
            is_named = names is not None and names.search(sentence.text) is not None
            if not amounts or sentence.is_fragment or not (is_named or subject.intersection(sentence.terms)):
                continue
            # one report says Bitcoin, another BTC
            written = names.sub(found.subject, sentence.text) if names else sentence.text
            alike = replace(sentence, text=written, terms=content_terms(written, language))
            own = next((each for each in series if begin_alike(each[0][3], alike)), None)
            if own is None:
                series.append([])
                own = series[-1]
            own.append((story, sentence, amounts[0], alike))
    longest = max(series, key=len) if series else []
    if len(longest) < SERIES:
        return None
    choose = min if found.question.by_value == "lowest" else max
    story, sentence, *_ = choose(longest, key=lambda each: each[2])
    line, citation = _quote_sentence(1, sentence)
    lead = f"The {found.question.by_value} of {len(longest):,} figures found on “{found.question.focus}” {period}:".replace(
        " :", ":"
    )
    score = max(LEAST, round(100 * found.nearness))
    how = f"the {found.question.by_value} of {len(longest):,} figures"
    decision = Decision("compose", "digest", how)
    composition = Composition(
        f"{lead}\n\n{_describe_story(story)}\n{line.text}",
        (line,),
        (citation,),
        confidence_of(score, 0, language),
        (decision,),
        AnswerType.SUMMARY,
    )
    scores = {"articles": float(found.articles), "figures": float(len(longest))}
    return GlobalAnswer(composition, (story.passage,), found.filter, score, how, scores)


def _most_stories(found: FoundStories) -> int:
    if found.filter.conversation_id is not None:
        return OF_CONVERSATION
    return ON_SUBJECT if found.question.focus else OF_PERIOD


def _rate_digest(found: FoundStories, told: int) -> int:
    """How far these are the requested stories, 0..100: how near they are to the subject, and how much of what
    there is they cover.
    """
    share = 1.0 if found.question.by_date else told / max(1, found.articles)
    score = max(LEAST, round(100 * found.nearness * (1 + share) / 2))
    return min(score, MEDIUM - 1) if found.missed_days >= LATE else score


def _choose_sentence(
    passage: Passage, terms: frozenset[str], document: Callable[[str], Document | None], language: str
) -> Candidate | None:
    """The sentence that says what a document is about: one of the first; with ``terms``, where those do not contain them,
    the first of those that contain most of them.
    """
    whole = _list_whole(passage, document, language)
    if not whole:
        return None
    held = [len(terms.intersection(each.terms)) for each in whole]
    first = whole[:1] + [each for each in whole[1:FIRST] if not leans_on_previous(each.text)]
    opening = max(first, key=lambda each: (len(terms.intersection(each.terms)), len(each.terms)))
    return opening if max(held) <= len(terms.intersection(opening.terms)) else whole[held.index(max(held))]


def _list_whole(passage: Passage, document: Callable[[str], Document | None], language: str) -> list[Candidate]:
    """The sentences of a passage without pieces and without its title."""
    candidates = gather_candidates([passage], document, language).candidates
    title = collapse_spaces(passage.chunk.title).casefold()
    return [each for each in candidates if not each.is_fragment and each.text.casefold() != title]


def _quote_sentence(number: int, sentence: Candidate) -> tuple[AnswerSentence, Citation]:
    span = with_attribution(sentence.document, sentence.span)
    whole = replace(sentence, span=span, text=collapse_spaces(span.of(sentence.document.text)))
    verdict = Verdict(VerdictLabel.SUPPORTED, 1.0)
    referent = find_referent(whole.document, whole.span)
    told = AnswerSentence(insert_referent(whole.text, referent), verdict, (number,), referent)
    return told, cite_span(number, whole.document, whole.span)


def _day_of(story: Story) -> float:
    moment = story.passage.chunk.published_at
    return moment.timestamp() if moment else 0.0


def _describe_story(story: Story) -> str:
    more = f" (and {count_noun(story.articles - 1, 'similar article')})" if story.articles > 1 else ""
    title = collapse_spaces(story.passage.chunk.title)
    return f"{_name_day(story.passage.chunk.published_at)}{f': {title}' if title else ''}{more}"


def _name_day(moment: datetime | None) -> str:
    return format_day(moment) if moment else "No date"


def _describe_reading(found: FoundStories) -> str:
    """How the subject was read, where its slang was expanded."""
    return f" about {found.subject}" if found.subject != found.question.focus else ""


def _describe_reach(found: FoundStories, period: str, told: Sequence[Story], articles: int) -> str:
    """What the digest covers, and how much of that it shows; first that the requested period has nothing."""
    asked = found.question
    about = f" about “{asked.focus}”" if asked.focus else ""
    of_period = f" {period}" if period else ""
    at_least = "" if found.is_complete else "at least "
    there = f"{at_least}{count_noun(found.articles, 'article')}{about}{of_period}"
    if asked.by_date:
        return f"The {asked.by_date} of {there}{'' if found.is_checked else ' that were found'}:"
    nothing = "Nothing" if found.is_none_sure else "Nothing was found"
    missed = f"{nothing} of the last {found.missed_days} days{about}. " if found.missed_days else ""
    order = ", newest first" if len(told) > 1 else ""
    if not found.is_checked:
        share = "" if articles == found.articles else f"{articles:,} of "
        return f"{missed}{share}{count_noun(found.articles, 'article')} found{about}{of_period}{order}:"
    if articles == found.articles and found.is_complete:
        what = {1: "The only article", 2: "Both articles"}.get(found.articles, f"All {found.articles:,} articles")
        return f"{missed}{what}{about}{of_period}{order}:"
    return f"{missed}{articles:,} of {there}{order}:"
