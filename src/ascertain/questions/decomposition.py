"""Decomposition: a question over several documents split by rules into what each of them is asked.

Three shapes of English question are split: comparisons ("Which came first, A or B?"), questions joined by "and", and
nested descriptions ("the director of the film that …"), whose inside is asked first. The description of what such
questions look like is that of HotpotQA (Yang et al., EMNLP 2018: bridge and comparison) and MuSiQue (Trivedi et al.,
TACL 2022).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ascertain.core.asking.plans import SubQuery, SubQueryType
from ascertain.language.names import names_in
from ascertain.language.numbers import SMALL
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms
from ascertain.language.word_lists import compile_pattern, load_pattern, load_word_set

_NUMBER = rf"(?:\d+|an?|{'|'.join(SMALL[1:11])})"
_UNIT = r"(?:day|week|month|year|hour|minute|decade)s?"
_OPERATION = load_pattern("nested_questions", "operation")
_STEP = re.compile(
    r"^(?:what(?:'s|’s| is| are| was)?\s+)?(?:the\s+)?"
    rf"(?:(?:{_OPERATION})(?:\s+(?:of|in|to|from|for))?(?:\s+(?:adding|multiplying|subtracting|substracting|dividing)\s+\S+\s+(?:to|by|from))?"
    rf"|(?:date|day|year|month|time)\s+{_NUMBER}\s+{_UNIT}\s+(?:before|after|from|later than)(?:\s+when)?)\s+",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^how many (?:fewer|more|additional|extra) (?:letters|vowels|consonants|characters|syllables)\b.*?\bcompared to\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^how many (?:(?:more|unique|repeated|distinct|total)\s+)?(?:letters|vowels|consonants|characters|syllables|digits)\b.*?"
    r"\b(?:in|of|from|have)\s+(?P<rest>the\s.+)$",
    re.IGNORECASE,
)
_CASE = re.compile(r"(?<!\s)\s+in (?:lower|upper)\s?case\b", re.IGNORECASE)


def without_calculation(question: str) -> str:
    """What has to be known before ``question`` can be worked out; the question itself where it asks for no working.

    >>> without_calculation("What is the sum of the digits of the year when the publisher of Qst was founded?")
    'the year when the publisher of Qst was founded?'
    """
    rest = _CASE.sub("", question)
    counted = _COMPARED.match(rest) or _COUNTED.match(rest)
    if counted:
        rest = counted["rest"]
    calculated = counted is not None
    while step := _STEP.match(rest):
        calculated = calculated or not _only_a_name(step[0])
        rest = rest[step.end() :]
    return rest if calculated and rest.strip(" ?.") else question


def _only_a_name(step: str) -> bool:
    """A first or last name is part of what a document says; leaving it out changes nothing that is looked up."""
    return re.search(r"\bname\b|\bbirth year\b", step, re.IGNORECASE) is not None


_WORD = r"[^\s,;?]+"
_NAMED = rf"(?:[Tt]he\s+)?(?:[\"“(]?[A-Z0-9]{_WORD}|\"[^\"]+\")(?:\s+(?:(?:of|the|and|in|on|for|de|la|von|van|to|a)\s+)*+(?:[\"“]?[A-Z0-9]|\(){_WORD})*"
_BETWEEN = re.compile(
    r"(?:\bbetween|\bcomparing|^compare)\s+(?P<a>.+?)\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>.+?)(?=$|[,?]|\s+(?:in terms|with regard|when|for|which|who)\b)",
    re.IGNORECASE,
)
_OR = re.compile(rf"(?:(?P<a>{_NAMED})|[,:]\s*+(?P<listed>[^,:]+?))(?:\s*,)?\s+or\s+(?P<b>[^,?]+)")
_YES_NO = re.compile(
    rf"^(?:are|is|were|was|do|does|did|have|has|had|can)\s+(?:the\s+)?(?:both\s+)?(?:[a-z]+\s+){{0,2}}?[,]?\s*(?P<a>{_NAMED})\s*,?\s+and\s+(?P<b>{_NAMED})",
    re.IGNORECASE,
)
_BOTH = re.compile(rf"\bboth\s+(?P<a>{_NAMED})\s+and\s+(?P<b>{_NAMED})")
_DIFFER = re.compile(r"^how (?:do|does|did)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:differ|compare)\b", re.IGNORECASE)
_NO_RESPECT = load_word_set("nested_questions", "no_respect")
MAX_SIDE_WORDS = 12
"""A longer side is a clause that the rule misread."""


def split_comparison(question: str) -> tuple[str, ...]:
    """A search for each side of a comparison, with the respect it is asked in; empty where nothing is compared."""
    for pattern in (_BETWEEN, _DIFFER, _BOTH, _YES_NO, _OR):
        match = pattern.search(question)
        if match is None:
            continue
        named = match.groupdict()
        sides = [_clean_side(named.get("a") or named.get("listed") or ""), _clean_side(named["b"])]
        if not all(sides) or any(len(side.split()) > MAX_SIDE_WORDS for side in sides):
            continue
        respect = _clean_respect(question[: match.start()] + " " + question[match.end() :])
        parts = tuple(f"{side} {respect}".strip() for side in sides)
        # a mere figure ("41 or 45 million that it has to pay") is nothing to search for
        if all(any(map(str.isalpha, part)) for part in parts):
            return parts
    return ()


def _clean_side(text: str) -> str:
    return text.strip(" ,;:?.")


def _clean_respect(rest: str) -> str:
    words = [word for word in WORD.findall(rest) if word.casefold() not in STOP_WORDS | _NO_RESPECT]
    return " ".join(words)


# Nested descriptions are taken apart from the inside: "What is the main airport in the birthplace of the director of
# Jaws?" describes a director, then a birthplace.

_HEAD = r"(?:[Tt]he|an?)\s+(?:[\w-]+\s+){0,4}?[a-z][\w-]*"
_LINK = load_pattern("nested_questions", "link")
_DESCRIPTION = re.compile(rf"\b(?={_HEAD}\s+{_LINK}\s)")
_OPENER = re.compile(rf"(?P<head>{_HEAD})\s+(?P<link>{_LINK})\s+")
_OWNED_WORDS = r"(?:(?:first|second|third|last|best|most|main|own|only|[a-z]+(?:al|ic|est|ive|ous))\s+)*[a-z][\w-]*(?:\s+of\s+[a-z][\w-]*)?"
"""A noun, as far as its adjectives can be recognised by their form: "birth place", "first national park", "city of birth"."""
_OWNED = re.compile(rf"\s+{_OWNED_WORDS}")
_POSSESSIVE = re.compile(
    r"(?P<owner>(?:[\"“][^\"”]+[\"”]|[A-Z0-9][^\s,?]*)(?:[\s,]+(?:(?:of|the|and|de|la|von|van|in)\s+)*[A-Z0-9][^\s,?]*)*?)"
    rf"['’]s?\s+(?P<owned>{_OWNED_WORDS})"
)
_NAME = re.compile(r"[\"“][^\"”]+[\"”]|(?:^|\s)[A-Z0-9][\w'’.&-]*")
_NAMES = re.compile(
    r"(?:[Tt]he\s+)?(?:[\"“][^\"”]+[\"”]|[A-Z0-9(][^\s?]*)(?:\s+(?:(?:of|the|and|in|on|for|de|la|von|van|to|a|with|or|from)\s+)*(?:[A-Z0-9(&][^\s?]*))*"
)
_CLAUSE_END = compile_pattern("nested_questions", "clause_end", flags=0)
_SECOND_VERB = compile_pattern("nested_questions", "second_verb", flags=0)
_LIGHT = load_word_set("nested_questions", "light_heads")
"""Heads that describe nothing by themselves."""


def nested_descriptions(question: str, language: str) -> Sequence[str]:
    """The descriptions inside ``question``, innermost first, and last the question about what they describe.

    Empty when there is none, or when the question asks for nothing but what is described.
    """
    found = _find_descriptions(question)
    possessive = _turn_possessive(question)
    phrases = list(dict.fromkeys(phrase for phrase in (possessive, *found) if phrase))
    grounded = [phrase for phrase in phrases if _NAME.search(phrase.removeprefix("The ").strip())]
    asked = set(content_terms(question, language))
    inside = [phrase for phrase in sorted(grounded, key=len) if _asks_more(asked, phrase, language)]
    if not inside:
        return ()
    kept = _without_repeats(inside, language)
    return (*kept, _cut_description(question, kept[-1]))


def _find_descriptions(question: str) -> list[str]:
    phrases: list[str] = []
    for start in [match.start() for match in _DESCRIPTION.finditer(question)]:
        opener = _OPENER.match(question, start)
        if opener is None or _says_little(opener["head"], opener["link"]):
            continue
        end = _find_end(question, opener.end(), opener["link"])
        phrases.append(question[start:end].strip(" ,?."))
    return phrases


def _says_little(head: str, link: str) -> bool:
    first, *_, last = head.casefold().split()
    return last in _LIGHT or (first != "the" and link.casefold() == "of")


def _find_end(question: str, start: int, link: str) -> int:
    """Where the description whose link word ends at ``start`` ends."""
    rest = question[start:]
    if link.casefold() == "of":
        inner = _OPENER.match(rest)
        if inner is not None:
            return start + _find_end(rest, inner.end(), inner["link"])
        named = _NAMES.match(rest)
        if named is None:
            return len(question)
        owned = _OWNED.match(rest, named.end()) if named[0].endswith(("'s", "’s", "s'", "s’")) else None
        return start + (owned or named).end()
    comma = re.search(r",\s|[?]|$", rest)
    limit = comma.start() if comma else len(rest)
    match = _CLAUSE_END.search(rest, 0, limit)
    if match is not None:
        return start + match.end()
    verbs = [verb.start() for verb in _SECOND_VERB.finditer(rest, 0, limit)]
    first_is_own = bool(verbs) and len(rest[: verbs[0]].split()) <= 1
    later = verbs[1:] if first_is_own else verbs
    return start + (later[0] if later and later[0] > 0 else limit)


def _turn_possessive(question: str) -> str:
    match = _POSSESSIVE.search(question)
    if match is None:
        return ""
    owner = match["owner"]
    first, _, rest = owner.partition(" ")
    if first.casefold() in STOP_WORDS and rest:
        owner = rest
    return f"{owner}'s {match['owned']}"


def _asks_more(asked: set[str], phrase: str, language: str) -> bool:
    """Whether the question holds a word with a meaning besides those of ``phrase``."""
    return bool(asked - set(content_terms(phrase, language)) - {"name", "titl"})


def _without_repeats(phrases: Sequence[str], language: str) -> list[str]:
    """Phrases that add a word to the one before, at most three."""
    kept: list[str] = []
    for phrase in phrases:
        if not kept or set(content_terms(phrase, language)) - set(content_terms(kept[-1], language)):
            kept.append(phrase)
    return kept[:3]


def _cut_description(question: str, phrase: str) -> str:
    """The question with ``phrase`` cut down to what kind of thing it describes."""
    opener = _OPENER.match(phrase)
    kind = opener["head"] if opener else WORD.findall(phrase)[-1]
    return question.replace(phrase, kind, 1)


MAX_SUB_QUERIES = 4
"""Each costs a search; dev questions of four hops are covered."""

MAX_CHARACTERS = 600
"""A longer text is more than a question, and no rule here reads it well."""

_JOINED = compile_pattern("nested_questions", "joined")
_STARTS_LIKE_A_QUESTION = re.compile(rf"{load_pattern('nested_questions', 'starts_like_a_question')}\b", re.IGNORECASE)
_ATTRIBUTION = re.compile(r",?(?:(?<!\s)\s+)?\baccording to\b[^,?]*,?", re.IGNORECASE)
"""Who is to have said it, not what is asked."""
_SENTENCES = re.compile(r"(?<=[^\W\d_]{3}[.?!])\s+(?=[A-Z])")
_METHOD = compile_pattern("question_types", "method")
_CONCEPT = compile_pattern("question_types", "concept")
_ASKS_LAST = compile_pattern("nested_questions", "asks_last", re.IGNORECASE | re.DOTALL)
"""A statement that ends in a question: "Toad Hall is a hall of a university in what city?"."""
_KIND_BY_NAME = compile_pattern("nested_questions", "kind_by_name", flags=0)
"""A thing described by another's name: "the country Signmark is from"."""
_SOME_KIND = compile_pattern("nested_questions", "some_kind", flags=0)
_TOGETHER = re.compile(r"\b(?:both|in common|connected|related to|respective|same)\b")


def decompose_question(question: str, language: str) -> tuple[SubQuery, ...]:
    """The parts of ``question``, most urgent first; empty for one that asks a single thing.

    At most MAX_SUB_QUERIES. Parts of a comparison or of joined questions are independent and share priority 1; the
    inside of a nested description comes before what is asked of it.
    """
    asked = " ".join(question.split())
    if len(asked) > MAX_CHARACTERS:
        return ()
    said_by_anyone = _ATTRIBUTION.sub("", asked).strip()
    core = without_calculation(said_by_anyone)
    sides = split_comparison(core)
    if sides:
        return _sub_queries((side, 1) for side in sides)
    parts = _split_joined_questions(core, language)
    if parts:
        return _sub_queries((part, 1) for part in parts)
    nested = nested_descriptions(core, language)
    if nested:
        return _sub_queries((part, priority) for priority, part in enumerate(nested, start=1))
    return _sub_queries([(core, 1)]) if core != said_by_anyone else ()


def needs_iteration(question: str, language: str) -> bool:
    """Whether an answer is likely to take a document that ``question`` does not name.

    Says yes when in doubt: following bridges where none is needed costs time, but half a point of R@5 at most.
    """
    if len(question) > MAX_CHARACTERS:
        return False
    if decompose_question(question, language):
        return True
    clues = (_ASKS_LAST, _KIND_BY_NAME, _SOME_KIND, _TOGETHER)
    return bool(names_in(question)) and any(clue.search(question) for clue in clues)


def sub_query_type(text: str) -> SubQueryType:
    """What one part looks for, by its words."""
    if _METHOD.search(text):
        return SubQueryType.METHODOLOGICAL
    if _CONCEPT.search(text):
        return SubQueryType.CONCEPTUAL
    return SubQueryType.FACTUAL


def _split_joined_questions(question: str, language: str) -> Sequence[str]:
    """Questions asked in one breath: several sentences, or clauses that each have a question word of their own."""
    sentences = [part for part in _SENTENCES.split(question) if content_terms(part, language)]
    if len(sentences) > 1:
        return sentences
    clauses = [part.strip() for part in _JOINED.split(question)]
    if (
        len(clauses) > 1
        and _STARTS_LIKE_A_QUESTION.match(clauses[0])
        and all(content_terms(clause, language) for clause in clauses)
    ):
        return clauses
    return ()


def _sub_queries(parts: Iterable[tuple[str, int]]) -> tuple[SubQuery, ...]:
    seen: dict[str, SubQuery] = {}
    for text, priority in parts:
        tidy = text.strip(" ,;:?.")
        if tidy:
            seen.setdefault(tidy.casefold(), SubQuery(tidy, sub_query_type(tidy), priority))
    return tuple(seen.values())[:MAX_SUB_QUERIES]
