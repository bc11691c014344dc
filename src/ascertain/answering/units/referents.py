"""What the pronoun that opens a quoted sentence refers to, shown in brackets after it: "It [the kernel] has ...".

Only where it is practically certain: the speaker of a turn for "I" and "we", and for other pronouns the subject of the
sentence before, in the same paragraph, where nothing else that it names could be meant (the subject is what centring
theory prefers: Grosz, Joshi & Weinstein, Computational Linguistics 1995). Otherwise nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Document
from ascertain.language.sentences import MAX_SENTENCE, sentences_touching
from ascertain.language.tokens import WORD, fold_words
from ascertain.language.word_lists import load_alternatives, load_pattern, load_word_set

_PRONOUN = re.compile(
    rf"[\"'“‘(]*(?:(?:{load_alternatives('sentences', 'before_pronoun')}),? )*"
    r"(?P<pronoun>it|they|he|she)(?:['’](?:s|re|ve|d|ll))?(?=\s)",
    re.I,
)
_SPEAKER = re.compile(r"[^\"“„«]*?(?<![\w’'])(?:I|[Ww]e)(?:['’](?:m|re|ve|d|ll))?(?=[\s,])")
"""Up to the first word that refers to the speaker, outside quotations."""
_STANDING_IN = re.compile(
    rf"[\"'“‘(]*(?:(?:{load_alternatives('sentences', 'before_pronoun')}),? )*{load_pattern('sentences', 'standing_in')}\b",
    re.I,
)
_PERSONAL = frozenset({"he", "she"})
_EMPTY_IT = re.compile(load_pattern("sentences", "empty_it"))
_CLAUSE = 8
"""Number of words at the beginning of a sentence that show whether "it" refers to anything, and who speaks."""
_LONGEST_SUBJECT = 6
"""In words; a longer one contains its own clause."""
_LONGEST_CHAIN = 3
"""Most sentences with the same pronoun to go back over."""

_BEFORE_SUBJECT = re.compile(r"[\"'“‘(]*(?:(?:In|On|At|By|After|During|Since|For|With|From|Until) [^,]{1,60}, )?")
_SHORT_FORM = re.compile(r"['’](?:s|re|ve|d|ll|m)$")
_DETERMINERS = frozenset({"the", "a", "an", "our", "my"})
_BEING = load_word_set("sentences", "being")
_AUXILIARIES = _BEING | load_word_set("claims", "verbs")
_VERBS = _AUXILIARIES | load_word_set("noun_phrases", "verbs")
_NO_SUBJECT = load_word_set("sentences", "no_subject")
_VAGUE = load_word_set("noun_phrases", "vague") - {"new", "old", "main", "two", "three", "four"}
_GIVEN_NAMES = load_word_set("names", "given_names")
_NO_PLURAL = tuple(load_word_set("noun_phrases", "no_plural_endings"))
_MONTHS = load_word_set("months_and_days", "months") | load_word_set("months_and_days", "weekdays")
_FULL_NAME = re.compile(r"(?<![\w.])[A-Z][a-z’'-]+(?: [A-Z]\.)?(?: [A-Z][\w’'-]+){1,2}")
_RIVAL = re.compile(
    r"\b(?:the|a|an|this|its|his|her|their|one|another)\s+[\w-]+|(?<!\bin )(?<!\bat )(?<!\bfrom )\b[A-Z]\w+"
)


def find_referent(document: Document, sentence: Span) -> str:
    """What the pronoun that opens ``sentence`` refers to, or who speaks where its beginning shows that someone
    does; "" where neither is certain, and where the sentence names it.
    """
    said = sentence.of(document.text)
    if _PRONOUN.match(said):
        return find_antecedent(document, sentence)
    speaker = (document.place_of(sentence).speaker or "") if _find_place(said) else ""
    return "" if fold_words(speaker) in fold_words(said) else speaker


def find_antecedent(document: Document, sentence: Span) -> str:
    """What the pronoun of the third person that opens ``sentence`` refers to; "" where that is not certain."""
    text = document.text
    pronoun = _read_pronoun(sentence.of(text))
    if not pronoun:
        return ""
    if pronoun == "it" and _is_empty(sentence.of(text)):
        return ""
    before = list_preceding(document, sentence)
    for said in reversed(before[-_LONGEST_CHAIN:]):
        line = " ".join(said.of(text).split())
        if _read_pronoun(line) != pronoun:
            return _choose_person(line) if pronoun in _PERSONAL else _choose_thing(line, pronoun == "they")
    return ""


def needs_previous(sentence: str) -> bool:
    """Whether ``sentence`` is about something, and the sentence before says what."""
    if _STANDING_IN.match(sentence) is None:
        return False
    return not (_read_pronoun(sentence) == "it" and _is_empty(sentence))


def insert_referent(sentence: str, referent: str) -> str:
    """``sentence`` with ``referent`` in brackets after the pronoun that refers to it; unchanged where there is none."""
    place = _find_place(sentence)
    return f"{sentence[:place]} [{referent}]{sentence[place:]}" if place and referent else sentence


def list_preceding(document: Document, sentence: Span) -> list[Span]:
    """The sentences before ``sentence`` in its paragraph and in the words of the same speaker, as far as one may reach."""
    around = Span(max(0, sentence.start - MAX_SENTENCE), sentence.end)
    found: list[Span] = []
    for each in sentences_touching(document, around):
        if each.start >= sentence.start:
            break
        found.append(each)
    speaker = document.place_of(sentence).speaker
    kept: list[Span] = []
    following = sentence
    for each in reversed(found):
        if "\n\n" in document.text[each.end : following.start] or document.place_of(each).speaker != speaker:
            break
        kept.append(each)
        following = each
    return kept[::-1]


def _find_place(sentence: str) -> int:
    """Where a referent goes: after the pronoun that opens the sentence, or the first that is the speaker; 0 for none."""
    match = _PRONOUN.match(sentence) or _SPEAKER.match(sentence)
    if match is None or len(match.group().split()) > _CLAUSE:
        return 0
    return match.end()


def _is_empty(sentence: str) -> bool:
    """Whether "it" refers to nothing at the beginning of a sentence."""
    return _EMPTY_IT.search(" ".join(fold_words(sentence).split()[1:_CLAUSE])) is not None


def _read_pronoun(sentence: str) -> str:
    match = _PRONOUN.match(sentence)
    return match["pronoun"].lower() if match else ""


@dataclass(frozen=True, slots=True)
class _Subject:
    words: tuple[str, ...]
    verb: str
    rest: str
    """What follows the verb."""

    @property
    def is_name(self) -> bool:
        """Whether every word has a capital letter, the first of a sentence among them."""
        return all(word[:1].isupper() for word in self.words)

    @property
    def is_plural(self) -> bool:
        head = self.words[-1].lower()
        return "and" in self.words or (head.endswith("s") and not head.endswith(_NO_PLURAL))

    @property
    def text(self) -> str:
        first, *others = self.words
        is_common = first.lower() in _DETERMINERS or (self.is_plural and not others)
        return " ".join((first.lower() if is_common else first, *others))


def _read_subject(sentence: str) -> _Subject | None:
    """The words before the first verb, where they are a noun with its article or a name."""
    start = _BEFORE_SUBJECT.match(sentence)
    words: list[str] = []
    for match in WORD.finditer(sentence, start.end() if start else 0):
        word, gap = match.group(), sentence[match.start() - 1 : match.start()]
        short = _SHORT_FORM.search(word)
        plain = word[: short.start()] if short else word
        if words and gap not in " -":
            return None
        is_noun = bool(words) and (words[-1].lower() in _DETERMINERS or word[:1].isupper())
        if not is_noun and (word.lower() in _VERBS or (word.endswith("ed") and len(word) > 4 and words)):
            return _check_subject(words, word.lower(), sentence[match.end() :])
        if (plain.lower() in _NO_SUBJECT and plain.lower() != "and") or len(words) == _LONGEST_SUBJECT:
            return None
        words.append(word)
    return None


def _check_subject(words: Sequence[str], verb: str, rest: str) -> _Subject | None:
    if not words or words[-1].lower() in _DETERMINERS:
        return None
    return _Subject(tuple(words), verb, rest)


def _choose_thing(sentence: str, is_plural: bool) -> str:
    """The subject of ``sentence``, where the number agrees and its verb has no other named object."""
    subject = _read_subject(sentence)
    if subject is None or subject.is_plural != is_plural or "'" in subject.text or "’" in subject.text:
        return ""
    if any(word.lower() in _VAGUE for word in subject.words):
        return ""
    is_determined = subject.words[0].lower() in _DETERMINERS
    if subject.verb not in _BEING:
        is_person = len(subject.words) > 1 and subject.is_name
        if (is_person and not is_determined) or _has_rival(subject.rest, is_plural):
            return ""
    if not is_determined and not subject.is_name and not is_plural:
        return ""
    return subject.text


def _has_rival(rest: str, is_plural: bool) -> bool:
    if is_plural:
        return any(
            len(word) > 3 and word.endswith("s") and not word.endswith(_NO_PLURAL) for word in WORD.findall(rest)
        )
    return any(not set(fold_words(match.group()).split()) & _MONTHS for match in _RIVAL.finditer(rest))


def _choose_person(sentence: str) -> str:
    """The only full name in ``sentence``, where it is one of a person: it has a given name, or opens the sentence."""
    names = list(_FULL_NAME.finditer(sentence))
    names = [each for each in names if each.group().split()[0].lower() not in _NO_SUBJECT | _DETERMINERS]
    if len({each.group() for each in names}) != 1:
        return ""
    name = names[0]
    is_person = fold_words(name.group().split()[0]) in _GIVEN_NAMES or sentence.startswith("who", name.end() + 1)
    return name.group() if is_person or name.start() == 0 else ""
