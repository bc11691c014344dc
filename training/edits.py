"""Claims made from passages by rules: sentences as they are, shortened, and with one fact changed.

Human-labelled sets seldom have long evidence with a small change in the claim, which is how answers over documents go
wrong (Laban et al., "SummEdits", EMNLP 2023; no row of it is used). The kinds of change follow Kryscinski et al.,
"FactCC", EMNLP 2020: numbers, names, negation, and pairs of opposites, and who did what to whom.
"""

from __future__ import annotations

import random
import re

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")
NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+(?:of\s+|the\s+)?[A-Z][a-z]+)*")
ASIDE = re.compile(r"\s*\([^()]{3,80}\)")
OPENING = re.compile(r"^[A-Z][^,.]{3,60},\s+(?=[a-zA-Z])")
AUXILIARY = re.compile(r"\b(is|are|was|were|will|would|can|could|has|have|had|does|did|should|must)\b(?! not\b|n't)")
NEGATION = re.compile(r"\b(is|are|was|were|will|would|can|could|has|have|had|does|did|should|must) not\b")

OPPOSITES = (
    ("increase", "decrease"), ("increased", "decreased"), ("rose", "fell"), ("more", "less"), ("most", "fewest"),
    ("before", "after"), ("first", "last"), ("largest", "smallest"), ("larger", "smaller"), ("higher", "lower"),
    ("north", "south"), ("northern", "southern"), ("east", "west"), ("eastern", "western"), ("early", "late"),
    ("always", "never"), ("all", "none"), ("many", "few"), ("won", "lost"), ("began", "ended"), ("began", "stopped"),
    ("with", "without"), ("above", "below"), ("older", "younger"), ("best", "worst"), ("major", "minor"),
    ("inside", "outside"), ("allowed", "forbidden"), ("accepted", "rejected"), ("support", "oppose"),
    ("supported", "opposed"), ("success", "failure"), ("successful", "unsuccessful"), ("public", "private"),
    ("father", "mother"), ("son", "daughter"), ("king", "queen"), ("he", "she"), ("his", "her"), ("may", "will"),
    ("might", "will"), ("can", "must"), ("some", "all"), ("often", "rarely"), ("at least", "at most"), ("only", "also"),
    ("male", "female"), ("summer", "winter"), ("import", "export"), ("million", "billion"), ("buy", "sell"),
)  # fmt: skip
"""Pairs of which one takes the other's place; written for this script."""

_OTHER = {**dict(OPPOSITES), **{second: first for first, second in reversed(OPPOSITES)}}
_OPPOSITE = re.compile(r"\b(" + "|".join(sorted(_OTHER, key=len, reverse=True)) + r")\b")


def split_sentences(passage: str) -> list[str]:
    """Sentences good enough to make claims of."""
    return [part for part in SENTENCE_END.split(passage) if 40 <= len(part) <= 300 and part[-1] in '.!?"”']


def shorten(sentence: str, chance: random.Random) -> str:
    """The sentence without its asides or its opening phrase, which leaves it true."""
    short = ASIDE.sub("", sentence)
    if chance.random() < 0.5 and (opening := OPENING.match(short)):
        short = short[opening.end() :]
        short = short[:1].upper() + short[1:]
    return short


def change_number(sentence: str, passage: str, chance: random.Random) -> str | None:
    """Another number in the place of one: of the passage, or the same with a digit changed."""
    found = list(NUMBER.finditer(sentence))
    if not found:
        return None
    one = chance.choice(found)
    others = [number for number in NUMBER.findall(passage) if number != one[0] and len(number) == len(one[0])]
    if others and chance.random() < 0.5:
        return sentence[: one.start()] + chance.choice(others) + sentence[one.end() :]
    digits = [place for place in range(*one.span()) if sentence[place].isdigit()]
    place = chance.choice(digits)
    digit = chance.choice([digit for digit in "123456789" if digit != sentence[place]])
    return sentence[:place] + digit + sentence[place + 1 :]


def change_name(sentence: str, passage: str, chance: random.Random) -> str | None:
    """Another name of the passage in the place of one that does not open the sentence, mostly."""
    found = [each for each in NAME.finditer(sentence) if each.start() > 0 or " " in each[0]]
    if not found:
        return None
    one = chance.choice(found)
    others = {each[0] for each in NAME.finditer(passage) if each.start() > 0 and each[0] not in sentence}
    others = {each for each in others if one[0] not in each and (" " in each) == (" " in one[0])}
    if not others:
        return None
    return sentence[: one.start()] + chance.choice(sorted(others)) + sentence[one.end() :]


def swap_names(sentence: str, passage: str, chance: random.Random) -> str | None:
    """Two names of the sentence in each other's place: who did what to whom."""
    found = [each for each in NAME.finditer(sentence) if each.start() > 0 or " " in each[0]]
    found = [each for each in found if each[0] not in ("The", "In", "On", "At")]
    if len(found) < 2 or found[0][0] == found[-1][0]:
        return None
    first, second = sorted(chance.sample(found, 2), key=lambda each: each.start())
    between = sentence[first.end() : second.start()]
    if first[0] == second[0] or between.strip() in ("and", "or", ",", ", and", "&"):
        return None
    return sentence[: first.start()] + second[0] + between + first[0] + sentence[second.end() :]


def negate(sentence: str, passage: str, chance: random.Random) -> str | None:
    """A denial put in or taken out."""
    if denied := NEGATION.search(sentence):
        return sentence[: denied.start()] + denied[1] + sentence[denied.end() :]
    if said := AUXILIARY.search(sentence):
        return sentence[: said.end()] + " not" + sentence[said.end() :]
    return None


def turn_round(sentence: str, passage: str, chance: random.Random) -> str | None:
    """The opposite in the place of a word."""
    found = list(_OPPOSITE.finditer(sentence))
    if not found:
        return None
    one = chance.choice(found)
    return sentence[: one.start()] + _OTHER[one[0]] + sentence[one.end() :]


EDITS = (change_number, change_name, swap_names, negate, turn_round)
"""Each gives a claim that the passage does not support, or None where it cannot."""
