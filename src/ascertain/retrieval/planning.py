"""Rules that say what a question wants and how much has to be brought together for it (QU-4, QU-6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascertain.core.plans import (
    Asks,
    Complexity,
    GraphQuery,
    Inquiry,
    Intent,
    Plan,
    QuestionType,
    Sources,
    Survey,
)
from ascertain.core.runs import Run
from ascertain.core.settings.profiles import Profile
from ascertain.language.tokens import content_terms
from ascertain.language.word_lists import compile_pattern
from ascertain.retrieval.decomposition import decompose, needs_iteration
from ascertain.retrieval.entity_questions import entity_question
from ascertain.retrieval.global_questions import global_question
from ascertain.retrieval.intent import intent_of
from ascertain.retrieval.question_type import question_type
from ascertain.retrieval.speaker_questions import speaker_question

READ = 2000
"""Characters of a question that are planned for; what comes after belongs to a pasted text."""
MODERATE_WORDS = 12
"""Content words of a question that asks for more than one fact; nine in ten of the dev questions of one hop have fewer."""
VAGUE_WORDS = 2
"""Content words up to which other wordings are searched besides: a word or two match too much or nothing."""

_ACROSS = compile_pattern("question_types", "across_documents")
_RELATION = compile_pattern("question_types", "relation")
_ENTITY = re.compile(
    r"^\W*(?:who|what)\s+(?:is|was|are|were)\s+(?:the\s+)?(?-i:[A-Z])[^?]{0,80}\??\s*$", re.IGNORECASE
)


class RulePlanner:
    """``profiles`` name the kinds of questions that their material has besides the general ones."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self._special = frozenset(kind for profile in profiles for kind in profile.question_types)

    def plan(self, question: str, run: Run) -> Plan:
        """The plan for a standalone question; ``run`` is not used, rules cost nothing."""
        read = question[:READ]
        survey = global_question(question)
        if survey is not None:
            return _of_survey(survey)
        intent, why = intent_of(question)
        kind = question_type(read, self._special)
        if intent not in {Intent.KNOWLEDGE, Intent.ANALYSIS}:
            return Plan(intent, kind, Complexity.SIMPLE, why)
        parts = decompose(read)
        words = len(set(content_terms(read)))
        complexity = _complexity(len(parts), words, kind)
        inquiry = inquiry_of(question)
        graph_query = _of_inquiry(inquiry) if inquiry else _graph_query(read, len(parts), kind)
        sources = Sources.PASSAGES if graph_query is GraphQuery.NONE else Sources.BOTH
        return Plan(
            intent,
            kind,
            complexity,
            _reason(why, kind, complexity, len(parts)),
            parts,
            sources,
            graph_query,
            expand=words <= VAGUE_WORDS,
            inquiry=inquiry,
        )


def _of_survey(survey: Survey) -> Plan:
    return Plan(
        Intent.KNOWLEDGE,
        QuestionType.CONCEPTUAL,
        Complexity.MODERATE,
        "asks about the documents as a whole",
        sources=Sources.GRAPH,
        graph_query=GraphQuery.GLOBAL,
        survey=survey,
    )


def inquiry_of(question: str) -> Inquiry | None:
    """What a question asks of every place that names something; None for one that the best few passages answer."""
    read = question[:READ]
    return speaker_question(read) or entity_question(read)


def _of_inquiry(inquiry: Inquiry) -> GraphQuery:
    if inquiry.asks is Asks.CONNECTION:
        return GraphQuery.MULTI_HOP
    return GraphQuery.CROSS_DOCUMENT if inquiry.spoken and not inquiry.speaker else GraphQuery.ENTITY


def _complexity(parts: int, words: int, kind: QuestionType) -> Complexity:
    if parts:
        return Complexity.COMPLEX
    if words >= MODERATE_WORDS or kind in {QuestionType.COMPARATIVE, QuestionType.ANALYSIS}:
        return Complexity.MODERATE
    return Complexity.SIMPLE


def _graph_query(question: str, parts: int, kind: QuestionType) -> GraphQuery:
    if _ACROSS.search(question):
        return GraphQuery.CROSS_DOCUMENT
    if _RELATION.search(question) or (parts and kind is not QuestionType.COMPARATIVE):
        return GraphQuery.MULTI_HOP
    if _ENTITY.match(question):
        return GraphQuery.ENTITY
    return GraphQuery.MULTI_HOP if needs_iteration(question) else GraphQuery.NONE


def _reason(why: str, kind: QuestionType, complexity: Complexity, parts: int) -> str:
    split = f" of {parts} parts" if parts > 1 else ""
    return f"{why}, {kind}, {complexity}{split}"
