"""Making a follow-up self-contained (QU-1).

A question in a conversation is rarely whole: "How does it work?", "What about pricing?", "And at most?". It may depend on the
subject of the last question, that of the conversation, or something in the last answer; the words alone seldom show which. So the
rules list the readings that the conversation allows, the likeliest first, and if the documents can be queried (``Probe``) they choose: the
reading that they answer best is what was meant. A question that has words enough of its own and points nowhere back is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile
from math import log
from typing import Protocol

from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import Intent
from ascertain.core.asking.requests import Standalone, Turn
from ascertain.core.asking.runs import Clock, Run, SystemClock
from ascertain.language.word_lists import compile_pattern, load_pattern
from ascertain.questions.conversation.acts import read_act
from ascertain.questions.conversation.follow_ups import (
    COMPLETE,
    WORD,
    Leaning,
    Pronoun,
    Stands,
    asked_stems,
    content_stems,
    find_leaning,
    find_pronouns,
    is_fragment,
    is_telling,
    names_another,
    points_back,
    without_joining,
)
from ascertain.questions.conversation.shown_documents import name_shown, shift_end
from ascertain.questions.conversation.time_shifts import shift_question
from ascertain.questions.conversation.topics import Topic, find_topics
from ascertain.questions.intent import intent_of, without_small_talk
from ascertain.questions.kinds.catalogue import read_catalogue_question
from ascertain.questions.kinds.documents import names_anything, names_document, read_document_question
from ascertain.questions.kinds.moments import names_recording, read_moment_question, shift_moment
from ascertain.questions.model_inputs import fold_wording


class Rewriter(Protocol):
    """Makes a follow-up self-contained (QU-1)."""

    def standalone(
        self, question: str, language: str, history: Sequence[Turn], run: Run, filter: Filter = ...
    ) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first), of the documents that ``filter`` selects."""
        ...


class Probe(Protocol):
    """Checks how well the documents answer a wording."""

    def __call__(self, question: str, language: str, filter: Filter, told: str) -> float:
        """Log-odds that what ``filter`` selects answers ``question`` with more than the last answer, ``told``."""
        ...


WORDS_ADDED = 3
"""Words of the conversation for a question that speaks of what was asked before; three and four find alike on
mtrag_un, and eight hide the question. Any other follow-up gets its one subject: more of it finds no more there."""
WORDS_SEARCHED = 12
"""Words of the conversation among which what a pronoun stands for is looked for (by judgement)."""
CLEAR_LEAD = 1.3
"""How much heavier than the next topic an antecedent must be to take a pronoun's place."""
MOST_READINGS = 6
"""Readings that are checked against the documents: each is a search."""
TRUST_IN_WEIGHT = 1.5
"""Log-odds by which a topic is likelier to be meant for each e-fold of its weight in the conversation. Of 50 follow-ups over eleven
collections (``asked``, ``wild``, the demo) the first reading of the rules leads to a right answer in 28, with 0 here the documents choose
one that does in 30, from 0.45 to 2 in 32 or 33, with 3 in 31; any reading does in 38.
"""
IN_BRACKETS = -0.5
"""Log-odds of a wording that names its topic in brackets, beside one that has it in its place."""


class RuleRewriter:
    """Adds what a follow-up leaves out, from the conversation; with a ``probe`` the documents choose among the readings."""

    def __init__(self, probe: Probe | None = None, clock: Clock | None = None) -> None:
        self._probe = probe
        self._clock = clock or SystemClock()

    def standalone(
        self, question: str, language: str, history: Sequence[Turn], run: Run, filter: Filter = Filter()
    ) -> Standalone:
        """``question`` as it would be asked without ``history`` (oldest first); it is returned as it is when it stands
        alone.
        """
        if not history:
            return Standalone(question, False, reason="nothing was said before")
        intent, why = intent_of(question)
        if intent in {Intent.GREETING, Intent.OUT_OF_SCOPE}:
            return Standalone(question, False, reason=why)
        asked = without_small_talk(question)
        whole = complete_history(history, language)
        return _place_moment(asked, self._read(question, language, asked, whole, filter), whole)

    def _read(self, question: str, language: str, asked: str, whole: Sequence[Turn], filter: Filter) -> Standalone:
        sure = self._read_surely(asked, whole, language)
        if sure is not None:
            return sure
        leaning = find_leaning(asked, language, asked_stems(whole, language))
        is_repeated = any(turn.role == "user" and fold_wording(turn.text) == fold_wording(asked) for turn in whole)
        if leaning is None or is_repeated:
            return Standalone(question, False, reason=COMPLETE)
        readings = list(list_readings(asked, whole, leaning, language))
        if not readings:
            return Standalone(question, True, reason="the conversation names nothing that would help")
        told = whole[-1].text if whole[-1].role == "assistant" else ""
        return self._choose_reading(readings[:MOST_READINGS], language, filter, told)

    def _read_surely(self, asked: str, history: Sequence[Turn], language: str) -> Standalone | None:
        """A question about documents that needs nothing else, a comparison of what was asked about, or the last question asked of another
        time.
        """
        told = history[-1].text if history[-1].role == "assistant" else ""
        if told and (shown := name_shown(without_joining(asked), told)) is not None:
            return Standalone(shown[0], True, (shown[1],), "is asked of a document that the last answer shows")
        if _names_documents(asked):
            return Standalone(asked, False, reason=COMPLETE)
        compared = compare_topics(asked, history, language)
        if compared is not None:
            return compared
        last = without_topics(_last_question(history))
        other = shift_end(without_joining(asked), last)
        if other is not None:
            return Standalone(other, True, (last,), "asks the last question of the other end")
        moved = shift_moment(without_joining(asked), last)
        if moved is None and is_fragment(asked) and last:
            moved = shift_question(without_joining(asked), last, self._clock.now(), language)
        return Standalone(moved, True, (last,), "asks the last question of another time") if moved else None

    def _choose_reading(self, readings: Sequence[Reading], language: str, filter: Filter, told: str) -> Standalone:
        first = readings[0]
        if self._probe is None or len(readings) < 2 or first.is_sure:
            return first.standalone
        scores = [reading.prior + self._probe(reading.standalone.text, language, filter, told) for reading in readings]
        best = readings[max(range(len(readings)), key=lambda at: scores[at])].standalone
        reason = f"{best.reason}; of {len(readings)} readings the documents answer this one best"
        return replace(best, reason=reason)


def _names_documents(asked: str) -> bool:
    """Whether a question is about the documents as such, or names the one that it is about."""
    if read_catalogue_question(asked) is not None:
        return True
    of_document = read_document_question(asked)
    if of_document is None or not of_document.name:
        return False
    is_named = of_document.is_explicit and names_document(of_document.name)
    return names_anything(of_document.name) or (is_named and not points_back(asked))


def _place_moment(asked: str, standalone: Standalone, history: Sequence[Turn]) -> Standalone:
    """A question for a time of a recording is of the one that was asked about last, and of nothing else that was spoken of."""
    text = standalone.text.removesuffix(show_topics(standalone.added))
    moment, own = read_moment_question(text), read_moment_question(asked)
    if moment is None:
        return standalone
    if own is not None and moment.name and not own.name:
        # what a pronoun stands for speaks, and is nothing that is spoken in
        text, moment = asked, own
    name = "" if moment.name else _last_recording(history)
    if name:
        return Standalone(f"{text.rstrip(' ?!.')} in {name}?", True, (name,), "is asked of the recording spoken of")
    return standalone if text == standalone.text else replace(standalone, text=text, added=())


def _last_recording(history: Sequence[Turn]) -> str:
    for turn in reversed(history):
        asked = read_moment_question(turn.text) or read_document_question(turn.text) if turn.role == "user" else None
        if asked is not None and asked.name:
            return asked.name if names_recording(asked.name) else ""
    return ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a follow-up may mean. ``prior``: how likely that is by the conversation alone, in log-odds, compared with the likeliest;
    ``is_sure``: the words leave no other reading.
    """

    standalone: Standalone
    prior: float = 0.0
    is_sure: bool = False


_COMPARING = compile_pattern("conversation", "comparing")


def compare_topics(asked: str, history: Sequence[Turn], language: str) -> Standalone | None:
    """Read "compare the two" as a comparison of what the last two questions, or the last one alone, are about; None for anything else."""
    if not _COMPARING.fullmatch(without_joining(asked).strip().rstrip(" ?!.")):
        return None
    things: list[str] = []
    for turn in reversed(history):
        if turn.role == "user" and len(things) < 2:
            found = find_topics((turn,), content_stems(" ".join(things), language), WORDS_SEARCHED, language)
            names = [topic.text for topic in found if topic.is_name]
            # what points back, or asks how the two compare, names none of them
            others = [topic.text for topic in found if not points_back(turn.text)]
            things += (names or others[:1])[: 2 - len(things)]
    if len(things) < 2:
        return None
    one, other = reversed(things)
    return Standalone(
        f"What is the difference between {one} and {other}?", True, (one, other), "compares what was asked about"
    )


def _last_question(history: Sequence[Turn]) -> str:
    return next((turn.text for turn in reversed(history) if turn.role == "user"), "")


def complete_history(history: Sequence[Turn], language: str) -> tuple[Turn, ...]:
    """``history`` with each question as it was understood: as stored, else by the rules alone. What was asked of an answer stands
    as the question that it answered; thanks and the like are left out with their replies.
    """
    done: list[Turn] = []
    is_left_out = False
    for turn in history:
        if turn.role == "user":
            act = read_act(turn.text) if done else None
            is_left_out = act is not None and not act.act.needs_answer
            text = _last_question(done) if act else turn.standalone or _read_by_rules(turn.text, language, done)
            # words in brackets, added to find more, were not asked
            text = without_topics(text)
        else:
            text = turn.text
        if not is_left_out:
            done.append(replace(turn, text=text))
    return tuple(done)


def _read_by_rules(question: str, language: str, before: Sequence[Turn]) -> str:
    """``question`` with the questions ``before`` it, which are whole."""
    if not before:
        return question
    asked = without_small_talk(question)
    leaning = find_leaning(asked, language, asked_stems(before, language))
    reading = next(list_readings(asked, before, leaning, language), None) if leaning else None
    return reading.standalone.text if reading else question


def list_readings(asked: str, history: Sequence[Turn], leaning: Leaning, language: str) -> Iterator[Reading]:
    """What ``asked`` may mean after ``history``, whose questions are whole: the likeliest first, each once."""
    seen: set[str] = set()
    for reading in _list_readings(asked, history, leaning, language):
        if reading.standalone.text not in seen:
            seen.add(reading.standalone.text)
            yield reading


def _list_readings(asked: str, history: Sequence[Turn], leaning: Leaning, language: str) -> Iterator[Reading]:
    completed = _complete_fragment(asked, history, language) if is_fragment(asked) else _Completed()
    yield from (Reading(each, is_sure=True) for each in completed.sure)
    pronouns = find_pronouns(asked)
    topics = find_topics(history, content_stems(asked, language), WORDS_SEARCHED, language)
    if names_another(asked):
        topics = tuple(filter(None, map(_without_names, topics)))
    antecedents = {pronoun: topic for pronoun in pronouns if (topic := _find_antecedent(pronoun, topics))}
    if antecedents:
        text = _replace_pronouns(asked, antecedents)
        yield Reading(Standalone(text, True, tuple(topic.text for topic in antecedents.values()), leaning.value))
    if len(pronouns) == 1:
        for topic in topics:
            if _can_stand(pronouns[0], topic):
                text = _replace_pronouns(asked, {pronouns[0]: topic})
                yield Reading(Standalone(text, True, (topic.text,), leaning.value), _weigh(topic, topics))
    named = list(_name_topics(asked, topics, leaning, language, has_pronoun=bool(pronouns)))
    yield from named[:1]
    yield from (Reading(each, IN_BRACKETS) for each in completed.others)
    yield from named[1:]


def _weigh(topic: Topic, topics: Sequence[Topic]) -> float:
    return TRUST_IN_WEIGHT * log(topic.weight / max(each.weight for each in topics))


def _name_topics(
    asked: str, topics: Sequence[Topic], leaning: Leaning, language: str, *, has_pronoun: bool
) -> Iterator[Reading]:
    """``asked`` with what it continues in brackets."""
    if not topics:
        return
    has_subject = leaning is not Leaning.SPOKEN_OF and any(
        not stem[0].isdigit() for stem in content_stems(asked, language)
    )
    few = topics[:1] if has_subject or has_pronoun else _take_words(topics, WORDS_ADDED)
    for chosen in (few, *((topic,) for topic in topics[:3])):
        added = tuple(topic.text for topic in chosen)
        prior = IN_BRACKETS + max(_weigh(topic, topics) for topic in chosen)
        yield Reading(Standalone(f"{asked}{show_topics(added)}", True, added, leaning.value), prior)


_MORE_ABOUT = compile_pattern("conversation", "more_about")


def question_to_answer(standalone: Standalone) -> str:
    """What an answer is of: all of ``standalone``, or the thing alone that it asks more about, which is only looked for by what was said
    before it ("more on the drill").
    """
    own = standalone.text.removesuffix(show_topics(standalone.added))
    match = _MORE_ABOUT.match(own)
    return f"Tell me more about {own[match.end() :]}" if match else standalone.text


def show_topics(added: Sequence[str]) -> str:
    """The topics from the conversation, as appended to a question."""
    return f" (about: {', '.join(added)})"


def without_topics(question: str) -> str:
    """``question`` without what ``show_topics`` put behind it."""
    return _PLACE.sub("", question)


def _take_words(topics: Sequence[Topic], most: int) -> tuple[Topic, ...]:
    """The first topics that together have about so many words: one word over is better than a phrase cut short."""
    chosen: list[Topic] = []
    for topic in topics:
        if chosen and sum(len(each.stems) for each in (*chosen, topic)) > most + 1:
            continue
        chosen.append(topic)
        if sum(len(each.stems) for each in chosen) >= most:
            break
    return tuple(chosen)


_PREPOSITION = re.compile(r"(?:in|on|at|for|of|with|by|from|to|about|under|since|until|after|before)\s+", re.I)
_ARTICLE = re.compile(r"(?:the|an?|my|your|our)\s+", re.I)
_OWNER = re.compile(r"['’]s$")
_ASKING_INSIDE = re.compile(rf"\b{load_pattern('question_parts', 'question_words')}\b", re.I)
_VERB_INSIDE = re.compile(rf"\b{load_pattern('question_parts', 'auxiliaries')}\b", re.I)
_PLACE = re.compile(r"(?<!\s)\s*\(about: [^()]*\)")


@dataclass(frozen=True, slots=True)
class _Completed:
    """The last question asked of something else ("and k1?"), or more closely ("and at most?"): readings that the words make ``sure``, and
    ``others``.
    """

    sure: tuple[Standalone, ...] = ()
    others: tuple[Standalone, ...] = ()


def _complete_fragment(asked: str, history: Sequence[Turn], language: str) -> _Completed:
    last = without_topics(_last_question(history)).rstrip(" ?!.")
    fragment = without_joining(asked).strip().rstrip(" ?!.")
    if not fragment or not last or _MORE_ABOUT.match(fragment):
        return _Completed()

    def read(text: str) -> Standalone:
        return Standalone(f"{text}?", True, (last,), "asks the last question of something else")

    closer = read(f"{last} {fragment[0].lower()}{fragment[1:]}")
    if _ASKING_INSIDE.search(fragment):
        # "for how long are tokens valid?" is whole
        return _Completed() if _VERB_INSIDE.search(fragment) else _Completed(sure=(closer,))
    preposition = _PREPOSITION.match(fragment)
    thing = fragment[preposition.end() :] if preposition else fragment
    if not content_stems(thing, language):
        return _Completed(sure=(closer,))
    lead = preposition.group().lower() if preposition else ""
    phrases = _find_phrases(last)
    behind = [span for span in phrases if lead and last[: span[0]].lower().endswith(f" {lead}")]
    alike = behind or list(_find_alike(last, thing))
    others = [phrase for phrase in reversed(phrases) if phrase not in alike]
    exchanged = [read(f"{last[:start]}{thing}{last[end:]}") for start, end in (*alike, *others[:1])]
    # a thing alone ("and the operator?") does not go on with the last question, whose answer would be given once more
    return _Completed(tuple(exchanged[: len(alike)]), (*exchanged[len(alike) :], *((closer,) if lead else ())))


def _find_phrases(question: str) -> list[tuple[int, int]]:
    """The noun phrases of a question, as far as words alone tell: runs of telling words with the article before them."""
    found: list[tuple[int, int]] = []
    for word in WORD.finditer(question):
        text = word.group()
        is_letter = len(text) == 1 and text.isalpha() and text not in {"a", "A", "I"}
        if not (is_telling(text) or is_letter):
            continue
        if found and question[found[-1][1] : word.start()].isspace():
            found[-1] = (found[-1][0], word.end())
        else:
            found.append((word.start(), word.end()))
    return [(_take_article(question, start), end) for start, end in found]


def _take_article(question: str, start: int) -> int:
    before = re.search(r"\b(?:the|an?|my|your|our)\s+$", question[:start], re.I)
    return before.start() if before else start


def _find_alike(question: str, thing: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``question`` that are written as ``thing`` is: names, or keys and versions; its owner's mark stays behind."""
    form = _form_of(thing)
    if form == "words":
        return
    open_at: tuple[int, int] | None = None
    for word in WORD.finditer(question):
        bare = _OWNER.sub("", word.group())
        if word.start() > 0 and _form_of(bare) == form and bare[0].isalnum():
            is_next = open_at is not None and question[open_at[1] : word.start()].isspace()
            if open_at is not None and not is_next:
                yield open_at
            open_at = (open_at[0] if open_at is not None and is_next else word.start(), word.start() + len(bare))
        elif open_at is not None:
            yield open_at
            open_at = None
    if open_at is not None:
        yield open_at


def _form_of(phrase: str) -> str:
    bare = _ARTICLE.sub("", phrase)
    if len(bare) == 1 or any(character.isdigit() for character in bare) or re.search(r"\w[._]\w", bare):
        return "key"
    return "name" if bare[:1].isupper() else "words"


def _can_stand(pronoun: Pronoun, topic: Topic) -> bool:
    """Whether a pronoun may stand for ``topic``, as far as number shows."""
    return pronoun.stands is not Stands.PERSON and _fits_thing(topic, pronoun.stands)


def _replace_pronouns(question: str, antecedents: Mapping[Pronoun, Topic]) -> str:
    for pronoun in sorted(antecedents, key=lambda pronoun: -pronoun.start):
        name = _name_topic(antecedents[pronoun], pronoun)
        question = f"{question[: pronoun.start]}{name}{question[pronoun.end :]}"
    return question


def _without_names(topic: Topic) -> Topic | None:
    words = [word for word in topic.text.split() if not word[0].isupper()]
    return replace(topic, text=" ".join(words), is_name=False) if words else None


def _find_antecedent(pronoun: Pronoun, topics: Sequence[Topic]) -> Topic | None:
    """The topic that ``pronoun`` stands for; None where it is not clear."""
    if pronoun.stands is Stands.PERSON:
        # a person is hardly ever what a conversation is most about: "Who founded it?" and then "Where was she born?"
        fitting = list(filter(None, map(_person_of, topics)))
    else:
        fitting = [topic for topic in topics if _fits_thing(topic, pronoun.stands)]
    if not fitting or (fitting[0] is not topics[0] and pronoun.stands is not Stands.PERSON):
        return None
    is_clear = len(fitting) == 1 or fitting[0].weight >= CLEAR_LEAD * fitting[1].weight
    return fitting[0] if is_clear else None


def _person_of(topic: Topic) -> Topic | None:
    """The name in "founder Petra Lindholm holds"; None where there is none of two words or more."""
    words = dropwhile(lambda word: not word[0].isupper(), topic.text.split())
    name = " ".join(takewhile(lambda word: word[0].isupper(), words))
    return replace(topic, text=name, is_name=True, is_definite=False) if " " in name else None


def _fits_thing(topic: Topic, stands: Stands) -> bool:
    last = topic.text.split()[-1]
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return is_plural if stands is Stands.THINGS else topic.is_name or not is_plural


def _name_topic(topic: Topic, pronoun: Pronoun) -> str:
    name = (
        f"the {topic.text}"
        if topic.is_definite or not (topic.is_name or pronoun.stands is Stands.THINGS)
        else topic.text
    )
    if not pronoun.is_possessive:
        return name
    return f"{name}’" if name.endswith("s") else f"{name}’s"
