"""Questions that a whole document answers: which those are, what of it they want, and what they call it.

The rules read the form alone. Whether there is a document of that name is looked up (``retrieval.search.documents``), and a
question that finds nothing there is answered as any other; so a form may be read that other questions share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ascertain.core.asking.plans import Aspect, DocumentQuestion
from ascertain.language.word_lists import compile_pattern, compile_patterns, load_pattern, load_patterns, load_word_set

LONGEST = 200
"""Characters; a question about a whole document is short."""

_TOPIC = "document_questions"
_EDGES = " \t\r\n.,;:!?"
_BY_NOUN = (
    Aspect.OPEN_POINTS,
    Aspect.DECISIONS,
    Aspect.TASKS,
    Aspect.OBLIGATIONS,
    Aspect.RISKS,
    Aspect.DEADLINES,
    Aspect.RECOMMENDATIONS,
    Aspect.REQUESTS,
    Aspect.TIMELINE,
    Aspect.PEOPLE,
)
_BY_WORDING = (
    Aspect.DECISIONS,
    Aspect.TASKS,
    Aspect.OBLIGATIONS,
    Aspect.DEADLINES,
    Aspect.OPEN_POINTS,
    Aspect.RECOMMENDATIONS,
    Aspect.REQUESTS,
    Aspect.PEOPLE,
)
_SIGNS = re.compile(
    r"summar|sum up|recap|tl;?\s?dr|overview|outline|synopsis|digest|abstract|gist|run-?down|points?|takeaway|highlight|essen|content|"
    r"condens|abridg|boil|shorten|describe|explain|review|introduc|present|walk|structured|organi[sz]ed|laid|"
    r"\bwhat\b|\bwhich\b|\bwho\b|\bare there\b|\bis there\b|\bwere there\b|\blist\b|\bname\b|\bshow\b|\bgive\b|\bextract|\bcollect|\bfind\b|"
    r"\bhow (?:did|do|does|has|have|is|are)\b|\bcompare|\benumerate|time-?line|chronolog|risk|deadline|decision|task|action|open|oblig|milestone|releas|\bcame out|\bcome out|publish|launch|shipped",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""
_QUOTED = re.compile(r"[\"“”«»‘]([^\"“”«»]{2,120})[\"“”«»’]")
_LEADING = re.compile(
    r"^(?:(?:the|this|that|these|those|our|my|your|their|his|her|its|an?|all|all of|every|each|both|whole|entire|attached|following|"
    r"(?:document|file|text|one) (?:called|named|titled|about|on))\s+)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"\s+(?:document|file|in (?:detail|short|brief|full)|please|overall|so far)$", re.IGNORECASE)
_INNER = re.compile(
    r"(?P<focus>[^,]{2,60}?)\s+(?:in|from|under|within|according to)\s+(?P<name>(?:the|this|that|our|my|your|his|her|their)\s.+|[\"“].+)",
    re.IGNORECASE,
)
"""A thing, and the document that it stands in: "an emergency in the handbook"."""
LONGEST_NAME = 12
"""Words of what a document is called."""


def read_document_question(question: str) -> DocumentQuestion | None:
    """What a question about a whole document asks; None for any other."""
    text = " ".join(question.split()).strip(_EDGES)
    if not text or len(text) > LONGEST or not _SIGNS.search(text):
        return None
    asked = drop_polite(text).strip(_EDGES)
    return next(_read_wordings(asked), None) or (next(_read_wordings(text), None) if asked != text else None)


def read_collection_question(question: str) -> DocumentQuestion | None:
    """What a question about the documents as a whole asks of each of them, where they are few; None where it asks for themes."""
    collection_question = read_document_question(question)
    if collection_question is not None and names_document(collection_question.name):
        return collection_question
    if _themes().search(question):
        return None
    return DocumentQuestion(Aspect.OVERVIEW, "documents", is_explicit=True)


def drop_polite(text: str) -> str:
    """``text`` without a request before it: "could you tell me"."""
    return _polite().sub("", text, count=1)


def _read_wordings(text: str) -> Iterator[DocumentQuestion]:
    yield from _read_comparison(text)
    yield from (
        each
        for each in _match(text, Aspect.RELEASE, _compile("release"), is_explicit=False)
        if _FIGURE.search(each.name)
    )
    for aspect in _BY_WORDING:
        yield from _match(text, aspect, _compile(aspect.value), is_explicit=False)
    for aspect in _BY_NOUN:
        yield from _match(text, aspect, _compile_frames(aspect), is_explicit=False)
    yield from _match(text, Aspect.LIST, _compile("list"), is_explicit=False)
    yield from _match(text, Aspect.LIST, _compile("list_or_overview"), is_explicit=True)
    yield from _match(text, Aspect.OVERVIEW, _compile("overview_explicit"), is_explicit=True)
    yield from _match(text, Aspect.OVERVIEW, _compile("overview"), is_explicit=False)


def _read_comparison(text: str) -> Iterator[DocumentQuestion]:
    """What is compared: "what changed between version 1.1 and 1.2 of the social contract?"."""
    for pattern in _compile("changes"):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        one, other = _complete_names(parts["one"], parts["another"], parts.get("whole") or "")
        if read_name(one) and read_name(other) and (_FIGURE.search(one + other) or names_document(f"{one} {other}")):
            focus = (parts.get("focus") or "").strip(_EDGES)
            yield DocumentQuestion(Aspect.CHANGES, read_name(one), focus, other=read_name(other))


def _complete_names(one: str, other: str, whole: str) -> tuple[str, str]:
    """Two names of which each may say only what sets it apart: ``social contract 1.1`` and ``1.2``; of ``whole``."""
    if whole:
        return f"{whole} {one}", f"{whole} {other}"
    if _is_only_figure(other) and (figures := _FIGURE.findall(one)):
        return one, one[::-1].replace(figures[-1][::-1], _FIGURE.findall(other)[-1][::-1], 1)[::-1]
    if _is_only_figure(one) and (figures := _FIGURE.findall(other)):
        return other.replace(figures[0], _FIGURE.findall(one)[0], 1), other
    return one, other


def _is_only_figure(name: str) -> bool:
    return (
        re.fullmatch(r"(?:the |version |release |v)*\d[\d.]*(?: (?:one|version|edition|release))?", name.strip(), re.I)
        is not None
    )


_FIGURE = re.compile(r"\d+(?:\.\d+)*")


def _match(
    text: str, aspect: Aspect, patterns: tuple[re.Pattern[str], ...], *, is_explicit: bool
) -> Iterator[DocumentQuestion]:
    for pattern in patterns:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        parts = match.groupdict()
        given = (parts.get("name") or "").strip(_EDGES)
        name = read_name(given)
        if given and not name:
            continue
        focus = (parts.get("focus") or "").strip(_EDGES)
        inner = _INNER.fullmatch(given) if aspect is not Aspect.OVERVIEW else None
        if inner is not None and read_name(inner["name"]):
            name, focus = read_name(inner["name"]), f"{focus} {inner['focus']}".strip()
        yield DocumentQuestion(aspect, name, focus, is_explicit)


def read_name(words: str) -> str:
    """What ``words`` call a document, without an article before it; "" where they name nothing."""
    match = _QUOTED.search(words)
    if match:
        return match[1].strip(_EDGES)
    bare = _TRAILING.sub("", words.strip(_EDGES + "\"'“”‘’«»")).strip(_EDGES)
    if _no_name().fullmatch(bare) or len(bare.split()) > LONGEST_NAME:
        return ""
    return _LEADING.sub("", bare) or bare


def names_document(name: str) -> bool:
    """Whether a word of ``name`` is what documents are called: "lease", "minutes", "report"."""
    return not _document_nouns().isdisjoint(re.findall(r"[\w-]+", name.casefold()))


def names_anything(name: str) -> bool:
    """Whether ``name`` says nothing of which document is meant: "documents", "files"."""
    words = re.findall(r"[\w-]+", name.casefold())
    return bool(words) and set(words) <= load_word_set(_TOPIC, "anything")


@cache
def _document_nouns() -> frozenset[str]:
    return load_word_set(_TOPIC, "document_nouns")


@cache
def _polite() -> re.Pattern[str]:
    return re.compile(rf"^[\W_]*{load_pattern(_TOPIC, 'polite')}", re.IGNORECASE)


@cache
def _themes() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{load_pattern('collection_questions', 'theme')}|{load_pattern('collection_questions', 'one_theme')})\b",
        re.I,
    )


@cache
def _no_name() -> re.Pattern[str]:
    return compile_pattern(_TOPIC, "no_name")


@cache
def _compile(name: str) -> tuple[re.Pattern[str], ...]:
    return compile_patterns(_TOPIC, name)


@cache
def _compile_frames(aspect: Aspect) -> tuple[re.Pattern[str], ...]:
    nouns = load_pattern(_TOPIC, f"{aspect.value}_nouns")
    frames = load_patterns(_TOPIC, "noun_frames")
    return tuple(re.compile(frame.replace("NOUN", nouns), re.IGNORECASE) for frame in frames)
