"""Rules that say what a question wants and how much has to be brought together for it (QU-4, QU-6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Protocol

from ascertain.core.asking.plans import (
    Asks,
    Aspect,
    Complexity,
    DigestQuestion,
    EntityQuestion,
    GlobalQuestion,
    GraphQuery,
    Intent,
    Plan,
    QuestionType,
    Sources,
)
from ascertain.core.asking.runs import Clock, Run, SystemClock
from ascertain.core.settings.profiles import Profile
from ascertain.graph.keys import singular_form
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import (
    compile_pattern,
    compile_patterns,
    load_alternatives,
    load_pattern,
    load_word_set,
)
from ascertain.questions.decomposition import decompose_question, needs_iteration
from ascertain.questions.intent import intent_of
from ascertain.questions.kinds.analysis import read_analysis_question
from ascertain.questions.kinds.catalogue import read_catalogue_question
from ascertain.questions.kinds.documents import read_collection_question, read_document_question
from ascertain.questions.kinds.moments import read_moment_question
from ascertain.questions.timeframe import drop_time_words, find_timeframe

# Questions answered by every place that names something, not by the best few passages (KG-2): who said what and when ("Who
# discussed WebAssembly and in which episodes?"), all that is known of a thing, what it is named with, how it is connected
# with another. Rules over English wordings read the form of a question only; whether anything has the name, or anyone of
# that name speaks, is seen when it is looked up, and a question that finds nothing there is answered as any other.

LONGEST_SUBJECT = 8
"""Words; what is longer describes something instead of naming it, and is found by search."""
LONGEST_SPEAKER = 5
LONGEST_NAME = 6

_TAIL = compile_pattern("speaker_questions", "tail", re.IGNORECASE | re.DOTALL)
"""A second half that asks for more of the same: "and in which episodes", "and by whom", "and what did they say"."""
_SETTING = compile_pattern("speaker_questions", "setting")
"""Where to look, which is no part of what is looked for."""
_POLITE = compile_pattern("speaker_questions", "polite")


_RULES: tuple[tuple[Asks, bool, re.Pattern[str]], ...] = tuple(
    (asks, spoken, rule)
    for name, asks, spoken in (
        ("asks_speakers", Asks.SPEAKERS, True),
        ("asks_episodes", Asks.EPISODES, True),
        ("asks_documents", Asks.EPISODES, False),
        ("asks_times", Asks.TIMES, True),
        ("asks_words", Asks.WORDS, True),
    )
    for rule in compile_patterns("speaker_questions", name, re.IGNORECASE | re.DOTALL)
)
_ANYBODY = compile_pattern("speaker_questions", "anybody")
_NO_SPEAKER = compile_pattern("speaker_questions", "no_speaker")
"""A description of someone, or of no one: "the author of the paper", "it"."""
_NO_SUBJECT = compile_pattern("speaker_questions", "no_subject")
_CLAUSE = compile_pattern("speaker_questions", "clause")
"""A word by which a subject is a clause that describes something; a name that holds one ("The Who") is given in
quotation marks.
"""
_PREPOSITION = compile_pattern("speaker_questions", "preposition")
_QUOTED = re.compile(r"[\"“”«»](.+)[\"“”«»]", re.DOTALL)
_EDGES = " \t\r\n.,;:!?"

_ABOUT = compile_patterns("entity_questions", "about", re.IGNORECASE | re.DOTALL)
_BESIDE = compile_patterns("entity_questions", "beside", re.IGNORECASE | re.DOTALL)
_BETWEEN = compile_patterns("entity_questions", "between", re.IGNORECASE | re.DOTALL)
_REQUEST = compile_pattern("entity_questions", "polite")
_ANY_KIND = load_word_set("entity_questions", "any_kind")
_PERSON = frozenset({"who", "people"})
_OUR_OWN = compile_pattern("entity_questions", "our_own")


def read_speaker_question(question: str) -> EntityQuestion | None:
    """What ``question`` asks of all that was said; None for any other question."""
    if len(question) > LONGEST_GLOBAL:
        return None
    asked = _POLITE.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    halved = _TAIL.sub("", asked)
    for asks, spoken, rule in _RULES:
        for wording in dict.fromkeys((halved, _SETTING.sub("", halved), asked)):
            match = rule.fullmatch(wording.strip(_EDGES))
            speaker_question = _build_question(asks, spoken, match.groupdict()) if match else None
            if speaker_question is not None:
                return speaker_question
    return None


def _build_question(asks: Asks, spoken: bool, parts: dict[str, str | None]) -> EntityQuestion | None:
    speaker = (parts.get("speaker") or "").strip(_EDGES)
    if _ANYBODY.fullmatch(speaker):
        speaker = ""
    elif speaker and (_NO_SPEAKER.match(speaker) or len(speaker.split()) > LONGEST_SPEAKER):
        return None
    if "subject" not in parts:
        return EntityQuestion(asks, "", speaker, spoken=spoken) if speaker and speaker[0].isalpha() else None
    subject = subject_of(parts["subject"] or "")
    return None if subject is None else EntityQuestion(asks, subject, speaker, spoken=spoken)


def subject_of(words: str) -> str | None:
    """What is looked for, without where to look for it; None when it names nothing by itself."""
    match = _QUOTED.fullmatch(words.strip(_EDGES))
    if match:
        return match[1].strip() or None
    subject = words.strip(_EDGES)
    while (shorter := _SETTING.sub("", subject).strip(_EDGES)) != subject:
        subject = shorter
    if _PREPOSITION.match(subject):
        return None
    if _NO_SUBJECT.fullmatch(subject) or _CLAUSE.search(subject) or len(subject.split()) > LONGEST_SUBJECT:
        return None
    return subject


def read_entity_question(question: str) -> EntityQuestion | None:
    """What ``question`` asks of a thing by its name; None for any other question."""
    if len(question) > LONGEST_GLOBAL:
        return None
    asked = _REQUEST.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    for rule in _BETWEEN:
        if match := rule.fullmatch(asked):
            ends = [_read_name(match[end]) for end in ("subject", "other")]
            subject, other = ends
            return EntityQuestion(Asks.CONNECTION, subject, other=other) if subject and other else None
    for rule in _BESIDE:
        if match := rule.fullmatch(asked):
            subject = subject_of(match["subject"])
            return EntityQuestion(Asks.TOGETHER, subject, kind=_singular_kind(match["kind"])) if subject else None
    for rule in _ABOUT:
        if match := rule.fullmatch(asked):
            subject = _read_name(match["subject"])
            return EntityQuestion(Asks.WORDS, subject) if subject else None
    return None


def _read_name(words: str) -> str | None:
    """The name that ``words`` are, by their capitals; None for a description: "the chunk size"."""
    subject = subject_of(words)
    if subject is None or len(subject.split()) > LONGEST_NAME:
        return None
    is_written_as_name = any(word[0].isupper() or word[0].isdigit() for word in subject.split())
    return subject if is_written_as_name and not _is_description(subject) else None


def _is_description(subject: str) -> bool:
    """Whether only its article's noun follows in lower case: "the director of Jaws" describes, "the Bank of England"
    names.
    """
    if not _OUR_OWN.match(subject):
        return False
    return len(subject.split()) > 1 and not subject.split()[1][0].isupper()


def _singular_kind(words: str) -> str:
    """The singular of what is asked for; "" where anything will do."""
    words = " ".join(words.split()).lower().removeprefix("other ")
    if words in _PERSON:
        return "person"
    head = singular_form(words.split()[-1])
    return "" if head in _ANY_KIND else head


# No passage answers a global question (KG-4), so they are recognised strictly: what is asked for must be themes or an
# overview, and what it is asked of must be the documents as a whole. A question about one document, chapter or thing
# goes the ordinary way, and so does one about an unknown whole: "the main themes of Hamlet" names a subject, not the
# collection.

LONGEST_GLOBAL = 400
"""Characters; a question about everything, about a thing by its name or about a speaker is short."""


_TOPIC = "collection_questions"
_SIGNS = re.compile(
    "|".join(load_pattern(_TOPIC, name) for name in ("theme", "one_theme", "summary", "many", "whole"))
    + "|about|summari[sz]e|sum\\s+up|outline|characteri[sz]e|survey|describe",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_NUMBER = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?:\w+\s+){{0,3}}{load_pattern(_TOPIC, 'theme')}", re.IGNORECASE
)
_BARE = compile_pattern(_TOPIC, "bare")
"""Means what was shown a moment ago, not everything."""


@cache
def _compile_question() -> re.Pattern[str]:
    """All wordings as one pattern; most questions have no sign of any and spare its 40 ms."""
    return compile_pattern(_TOPIC, "question")


def read_global_question(question: str) -> GlobalQuestion | None:
    """What a question about the documents as a whole asks; None for any other."""
    text = " ".join(question.split())
    if len(text) > LONGEST_GLOBAL or not _SIGNS.search(text) or _BARE.match(text):
        return None
    match = _compile_question().match(text)
    if match is None:
        return None
    number = _NUMBER.search(text[: match.start("focus")] if match["focus"] else text)
    most = (_NUMBERS.get(number[1].lower()) or int(number[1])) if number else 0
    return GlobalQuestion((match["focus"] or "").strip(" ,\"'“”‘’"), most)


# News and periods are asked for in few ways too. The words about time are read apart (``timeframe``), so that what is left
# is short: "what happened", "bitcoin news", "the latest on Moorgate".

NEWS_DAYS, LATELY_DAYS = 7, 30
"""Days that "news" and "recently" reach back where no period is named: a paper's week, and what people remember as
recent (by judgement).
"""
_DIGEST = "digest_questions"
_NEWS_OF, _OF_PERIOD, _OF_EVENTS, _OF_ARTICLES, _TOPIC_ALONE, _BY_DATE, _BY_VALUE = (
    compile_patterns(_DIGEST, name)
    for name in ("news_of", "of_period", "of_events", "of_articles", "topic", "by_date", "by_value")
)
_LATELY = re.compile(rf"(?<![\s,])[\s,]*\b(?:{load_alternatives(_DIGEST, 'lately')})\b", re.IGNORECASE)
_LEFT_OVER = re.compile(rf"(?<!\s)(?:\s++(?:{load_alternatives(_DIGEST, 'about')})\b){{1,9}}\s*$", re.IGNORECASE)
"""A preposition whose time was read apart."""
_POLITELY = compile_pattern(_TOPIC, "polite")


def read_digest_question(question: str, language: str, now: datetime) -> DigestQuestion | None:
    """What a question for news, or for what a period brought, asks; None for any other."""
    text = " ".join(question.split()).strip(" ?!.")
    if not text or len(text) > LONGEST_GLOBAL:
        return None
    frame = find_timeframe(text, language, now)
    is_dated = frame is not None and frame.is_explicit
    rest = _LEFT_OVER.sub("", drop_time_words(frame.phrase, text).strip(" ?!.,")) if frame and is_dated else text
    if rest == text and is_dated:
        # nothing but a time
        return None
    lately = _LATELY.sub("", rest).strip(" ,")
    has_lately = bool(lately) and lately != rest
    polite = _POLITELY.match(rest)
    wordings = tuple(dict.fromkeys(each for each in (lately, rest, rest[polite.end() :] if polite else "") if each))
    found = _match_first(_BY_DATE, wordings)
    if found is not None:
        return DigestQuestion(_focus_of(found), by_date="newest" if found["last"] else "oldest")
    found = _match_first(_BY_VALUE, wordings) if is_dated else None
    if found is not None:
        return DigestQuestion(_focus_of(found), by_value="lowest" if found["low"] else "highest")
    of_time = (*_OF_PERIOD, *_OF_EVENTS) if is_dated or has_lately else ()
    found = _match_first((*_NEWS_OF, *of_time), wordings)
    days = LATELY_DAYS if has_lately else NEWS_DAYS
    if found is not None:
        return DigestQuestion(_focus_of(found), days)
    found = _match_first((*_OF_ARTICLES, *_OF_PERIOD, *_TOPIC_ALONE), wordings)
    return None if found is None else DigestQuestion(_focus_of(found), for_articles=True)


def _match_first(patterns: Sequence[re.Pattern[str]], texts: Sequence[str]) -> re.Match[str] | None:
    return next((match for text in texts for pattern in patterns if (match := pattern.fullmatch(text))), None)


def _focus_of(match: re.Match[str]) -> str:
    return (match.groupdict().get("focus") or "").strip(" ,\"'“”‘’")


# The first rule that fits decides. Kinds of one material only (prices, news) are tried before the general ones, where a
# profile names them.

READ_FOR_TYPE = 1000
"""Characters of a question that are read."""

_SPECIAL: tuple[tuple[QuestionType, re.Pattern[str]], ...] = tuple(
    (kind, compile_pattern("question_types", kind.value))
    for kind in (QuestionType.ANALYSIS, QuestionType.PRICE, QuestionType.NEWS)
)
_COMPARATIVE = compile_pattern("question_types", "comparative")
_PROCEDURAL = compile_pattern("question_types", "procedural")
_CONCEPTUAL = compile_pattern("question_types", "conceptual")
_ASKING = compile_pattern("question_types", "asking")


def question_type(question: str, special: Collection[QuestionType]) -> QuestionType:
    """The kind of ``question``; ``special`` are kinds that the material has besides the general ones."""
    read = question[:READ_FOR_TYPE]
    for kind, pattern in _SPECIAL:
        if kind in special and pattern.search(read):
            return kind
    if _COMPARATIVE.search(read):
        return QuestionType.COMPARATIVE
    if _PROCEDURAL.search(read):
        return QuestionType.PROCEDURAL
    if _CONCEPTUAL.search(read):
        return QuestionType.CONCEPTUAL
    if QuestionType.GENERAL in special and not _ASKING.search(read):
        return QuestionType.GENERAL
    return QuestionType.FACTUAL


READ = 2000
"""Characters of a question that are planned for; what comes after belongs to a pasted text."""
MODERATE_WORDS = 12
"""Content words of a question that asks for more than one fact; nine in ten of the dev questions of one hop have fewer.
"""
VAGUE_WORDS = 2
"""Content words up to which other wordings are searched besides: a word or two match too much or nothing."""

_ACROSS = compile_pattern("question_types", "across_documents")
_RELATION = compile_pattern("question_types", "relation")
_ENTITY = re.compile(r"^\W*(?:who|what)\s+(?:is|was|are|were)\s+(?:the\s+)?(?-i:[A-Z])[^?]{0,80}\??\s*$", re.IGNORECASE)


class RulePlanner:
    """``profiles`` name the kinds of questions that their material has besides the general ones."""

    def __init__(self, profiles: Sequence[Profile], clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._special = frozenset(kind for profile in profiles for kind in profile.question_types)

    def plan(self, question: str, language: str, run: Run) -> Plan:
        """The plan for a standalone question; ``run`` is not used, rules cost nothing."""
        read = question[:READ]
        catalogue = read_catalogue_question(question)
        # of what has a name every place is shown, with what is said there
        is_of_subject = catalogue is not None and catalogue.aspect is Aspect.TITLES and bool(catalogue.focus)
        if catalogue is not None and not (is_of_subject and find_entity_question(question) is not None):
            why = "asks about the documents as such"
            return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, why, document_question=catalogue)
        global_question = read_global_question(question)
        if global_question is not None:
            digest_question = read_digest_question(question, language, self._clock.now())
            return replace(
                _plan_global_question(global_question),
                digest_question=digest_question,
                document_question=None if global_question.focus else read_collection_question(question),
            )
        intent, why = intent_of(question)
        kind = question_type(read, self._special)
        if intent not in {Intent.KNOWLEDGE, Intent.ANALYSIS}:
            return Plan(intent, kind, Complexity.SIMPLE, why)
        moment = read_moment_question(question)
        if moment is not None:
            why = "asks what is said at a time of a recording"
            return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, why, document_question=moment)
        parts = decompose_question(read, language)
        words = len(set(content_terms(read, language)))
        complexity = _rate_complexity(len(parts), words, kind)
        entity_question = find_entity_question(question)
        graph_query = (
            _entity_graph_query(entity_question) if entity_question else _graph_query(read, language, len(parts), kind)
        )
        sources = Sources.PASSAGES if graph_query is GraphQuery.NONE else Sources.BOTH
        return Plan(
            intent,
            kind,
            complexity,
            _explain_plan(why, kind, complexity, len(parts)),
            parts,
            sources,
            graph_query,
            expand=words <= VAGUE_WORDS,
            entity_question=entity_question,
            digest_question=read_digest_question(question, language, self._clock.now()),
            analysis_question=read_analysis_question(question, language, self._clock.now()),
            document_question=read_document_question(question),
        )


def _plan_global_question(global_question: GlobalQuestion) -> Plan:
    return Plan(
        Intent.KNOWLEDGE,
        QuestionType.CONCEPTUAL,
        Complexity.MODERATE,
        "asks about the documents as a whole",
        sources=Sources.GRAPH,
        graph_query=GraphQuery.GLOBAL,
        global_question=global_question,
    )


def find_entity_question(question: str) -> EntityQuestion | None:
    """What a question asks of every place that names something; None for one that the best few passages answer."""
    read = question[:READ]
    return read_speaker_question(read) or read_entity_question(read)


def _entity_graph_query(entity_question: EntityQuestion) -> GraphQuery:
    if entity_question.asks is Asks.CONNECTION:
        return GraphQuery.MULTI_HOP
    return GraphQuery.CROSS_DOCUMENT if entity_question.spoken and not entity_question.speaker else GraphQuery.ENTITY


def _rate_complexity(parts: int, words: int, kind: QuestionType) -> Complexity:
    if parts:
        return Complexity.COMPLEX
    if words >= MODERATE_WORDS or kind in {QuestionType.COMPARATIVE, QuestionType.ANALYSIS}:
        return Complexity.MODERATE
    return Complexity.SIMPLE


def _graph_query(question: str, language: str, parts: int, kind: QuestionType) -> GraphQuery:
    if _ACROSS.search(question):
        return GraphQuery.CROSS_DOCUMENT
    if _RELATION.search(question) or (parts and kind is not QuestionType.COMPARATIVE):
        return GraphQuery.MULTI_HOP
    if _ENTITY.match(question):
        return GraphQuery.ENTITY
    return GraphQuery.MULTI_HOP if needs_iteration(question, language) else GraphQuery.NONE


def _explain_plan(why: str, kind: QuestionType, complexity: Complexity, parts: int) -> str:
    split = f" of {parts} parts" if parts > 1 else ""
    return f"{why}, {kind}, {complexity}{split}"


class Planner(Protocol):
    """Says what a question wants (QU-4, QU-6)."""

    def plan(self, question: str, language: str, run: Run) -> Plan:
        """The plan for a standalone question."""
        ...
