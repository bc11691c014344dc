"""The query planner: how a question or a page is split, each part with a type and a priority.

A question of several parts is split as ``ask`` splits it. A deep run looks up the subject of a simple one from further
sides too; a page is looked up by its terms. A question that asks whether something is true is planned as the claim in
it.
"""

from __future__ import annotations

import re

from ascertain.core.asking.plans import SubQueryType
from ascertain.core.asking.runs import Run
from ascertain.core.reports.research import (
    MOST_SUBJECTS,
    ResearchMode,
    ResearchPlan,
    ResearchRequest,
    SiteAnalysis,
    SubQuestion,
)
from ascertain.language.names import names_in
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import compile_patterns, load_pairs
from ascertain.questions.parts import list_parts
from ascertain.questions.planning import Planner
from ascertain.reports.research.papers import MOST_WORDS
from ascertain.reports.research.subjects import find_subjects
from ascertain.reports.research.websites import TELLING

_ASKED = compile_patterns("research", "validation")
_ASKED_BEHIND = compile_patterns("research", "validation_behind")
_ASKING = compile_patterns("research", "asking")
_PAPERS = compile_patterns("research", "papers")
_WHOLE = compile_patterns("research", "whole_subject")
_SHORTEST_CLAIM = 3
"""Words of a statement."""


def find_claim(question: str) -> str:
    """The claim of a question that asks whether it is true ("is it true that …?"); empty for any other."""
    asked = " ".join(question.split())
    for pattern in _ASKED:
        found = pattern.match(asked)
        if found:
            return _trim_claim(asked[found.end() :])
    bare = asked.rstrip(" ?!.")
    for pattern in _ASKED_BEHIND:
        found = next((each for each in pattern.finditer(bare) if each.end() == len(bare) and each.start() > 0), None)
        if found:
            return _trim_claim(bare[: found.start()])
    return ""


_ORDERED = compile_patterns("research", "ordered")
_ADDRESS = re.compile(r"https?://[^\s<>\"'”’)\]]*[^\s<>\"'”’)\].,;:?!]", re.IGNORECASE)


def find_address(message: str) -> str:
    """The first address of a page in a message; empty without one."""
    match = _ADDRESS.search(message)
    return match[0] if match else ""


def find_research_order(message: str, language: str) -> str | None:
    """What a message orders research or a report on; empty where it does not say on what, None where it orders none."""
    asked = " ".join(message.split())
    for pattern in _ORDERED:
        match = pattern.match(asked)
        if match:
            subject = asked[match.end() :].strip(" ,:;?!.")
            return subject if content_terms(subject, language) else ""
    return None


def _trim_claim(words: str) -> str:
    claim = words.strip(" ,:;?!.\"“”'‘’")
    if len(claim.split()) < _SHORTEST_CLAIM:
        return ""
    return f"{claim[0].upper()}{claim[1:]}."


def is_about_papers(question: str) -> bool:
    """Whether ``question`` asks for papers, studies or the state of research."""
    return any(pattern.search(question) for pattern in _PAPERS)


SUB_QUESTIONS = {ResearchMode.QUICK: 3, ResearchMode.DEEP: 6}
"""What is looked up where a question lists no subjects: a report of six findings fills two pages, and each costs two to three searches."""


def plan_research(
    request: ResearchRequest, site: SiteAnalysis | None, planner: Planner, run: Run, *, language: str
) -> ResearchPlan:
    """The plan for ``request``; ``planner`` is the one of ``ask``, by rules or by model."""
    claim = find_claim(request.question)
    question = claim or request.question or _ask_about(site) or request.subject
    subjects = None if claim else find_subjects(question, language)
    if subjects is not None:
        reason = "compared" if subjects.is_comparison else "listed in the question"
        parts = [SubQuestion(text, SubQueryType.FACTUAL, 1, reason) for text in subjects.questions]
        return ResearchPlan(
            question,
            tuple(parts[:MOST_SUBJECTS]),
            _search_words(question, language, site),
            subjects=subjects.names[:MOST_SUBJECTS],
            is_comparison=subjects.is_comparison,
            left_out=subjects.names[MOST_SUBJECTS:],
        )
    # an order's subject ("when it opened and what it cost") has clauses in it, not questions
    asked = list_parts(question, language) if question.rstrip().endswith("?") else ()
    parts = [SubQuestion(text, SubQueryType.FACTUAL, 1, "asked besides") for text in asked]
    parts = parts or [
        SubQuestion(_name_meant(part.text, question), part.type, part.priority, "a part of the question")
        for part in (() if claim else planner.plan(question, language, run).sub_queries)
    ]
    if not parts:
        parts = [SubQuestion(question, SubQueryType.FACTUAL, 1, "the question itself")]
    known = {fold_words(part.text).rstrip(" ?") for part in parts}
    terms = _search_words(question, language, site)
    for extra in _list_facets(request, site):
        if fold_words(extra.text).rstrip(" ?") not in known:
            parts.append(extra)
    room = SUB_QUESTIONS[request.mode]
    left_out = tuple(part.text for part in parts[room:] if part.priority == 1)
    return ResearchPlan(question, tuple(parts[:room]), terms, claim, left_out=left_out)


_POINTING = re.compile(r"\b(?:it|its|they|them|their|he|his|him|she|her)\b", re.IGNORECASE)
_MOST_MEANT = 2
"""Names that a part which points back is given."""


def _name_meant(part: str, question: str) -> str:
    """A part that says "it" of what another part names, with that name: each part is looked up alone."""
    if not _POINTING.search(part) or names_in(part):
        return part
    names = [name for name in names_in(question).values() if name not in part][:_MOST_MEANT]
    return f"{part} (about: {', '.join(names)})" if names else part


def _ask_about(site: SiteAnalysis | None) -> str:
    """The question that a page raises which came without one."""
    if site is None or not site.title:
        return ""
    return f"What is known about {site.title}?"


def _list_facets(request: ResearchRequest, site: SiteAnalysis | None) -> list[SubQuestion]:
    """Further sides: of a page its terms, of a question in deep mode those of its subject."""
    facets = load_pairs("research", "facets")
    if site is not None and not request.question:
        return [
            SubQuestion(f"What is {term}?", SubQueryType.CONCEPTUAL, 2, "a term of the page") for term in site.terms
        ]
    subject = _find_subject(request.question) if request.mode is ResearchMode.DEEP else ""
    if not subject:
        return []
    return [
        SubQuestion(text.format(subject), SubQueryType(kind), 2, "another side of the subject")
        for kind, text in facets.items()
    ]


def _find_subject(question: str) -> str:
    """What a question is about that asks for one thing as a whole ("what is X?"), or names nothing else."""
    bare = " ".join(question.split()).rstrip(" ?!.")
    found = next((match for pattern in _WHOLE if (match := pattern.fullmatch(bare))), None)
    return found["subject"] if found else ""


def is_bare_subject(text: str) -> bool:
    """Whether ``text`` names a subject without asking about it."""
    return not text.rstrip().endswith("?") and not any(pattern.match(text.lstrip()) for pattern in _ASKING)


def _search_words(question: str, language: str, site: SiteAnalysis | None) -> tuple[str, ...]:
    """What papers are searched by: names and the words of the question that tell most, then the terms of the page."""
    names = [name for words, name in names_in(question).items() if len(words) > 1]
    covered = {word for name in names for word in fold_words(name).split()}
    words = [
        match[0]
        for match in WORD.finditer(question)
        if fold_words(match[0]) not in STOP_WORDS
        and fold_words(match[0]) not in covered
        and len(match[0]) > 2
        and word_informativeness(stem_word(fold_words(match[0]), language), language) >= TELLING
    ]
    page = site.terms if site is not None else ()
    found = list(dict.fromkeys((*names, *words)))
    return tuple((found or list(page))[:MOST_WORDS])
