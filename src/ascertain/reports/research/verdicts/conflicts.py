"""What a sentence says otherwise than a claim, by name: another figure or day, a denial, an opposite, a part for the whole, a plan for a
fact, two things that have changed places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascertain.answering.checking.evidence import Evidence, Statement
from ascertain.answering.checking.objections.objection import Case
from ascertain.answering.checking.objections.wrong_bindings import find_swap, find_turned_preposition
from ascertain.answering.checking.objections.wrong_sense import Word
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.models.entail.alignment import find_bases, is_negation, look_up_word
from ascertain.reports.research.verdicts.quantities import Comparison, Outcome
from ascertain.reports.research.verdicts.wording import (
    LIGHT_WEIGHT,
    OPTIONAL,
    Clause,
    Term,
    Wording,
    is_alike,
    is_opposite,
    read_wording,
    share_terms,
)

_LIGHT_VERBS = load_word_set("verdicts", "light_verbs")
_LIGHT = load_word_set("claims", "light_words")
_STOPPING = load_word_set("verdicts", "stopping")
_STANDING, _MOVING = load_word_set("verdicts", "standing"), load_word_set("verdicts", "moving")
_WHOLES = load_word_set("verdicts", "wholes")
_PARTS = compile_pattern("verdicts", "parts")
_PLANS = compile_pattern("claims", "plans")
_DONE = compile_pattern("claims", "done")
_SINCE = re.compile(r"\bsince\b", re.I)
_DUTIES = compile_pattern("verdicts", "duties")
_THAN = re.compile(r"\bthan\b", re.I)
_PERCENT = re.compile(r"(?<![\d.,])\d[\d.,]*\s?(?:%|percent\b|per cent\b)", re.I)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|got|gets?)\s+(?:\w+ly\s+|not\s+|also\s+)?$", re.I)
_BY = re.compile(r"\bby\s+(?!\w+sel(?:f|ves)\b)", re.I)
_FROM_TO = re.compile(r"\bfrom\s+(\S+(?:\s+(?:million|billion|percent|thousand))?)\s+to\s+(\S+)", re.I)
_OF_PRONOUN = re.compile(r"\b(?:it|they|this|these|that|those)\s+(?:is|are|was|were)\s+(?:\w+ly\s+)?$", re.I)
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|where|when)\b", re.I)
_OPENING = re.compile(r"^(?:In|On|At|By|Since|After|Before|During|With|For|From|Under|As)\b[^,]{2,60},\s+")
SHARED_AROUND = 0.3
"""Weight of other words that two clauses have in common from which both speak of the same."""
_WINDOW_LEFT, _WINDOW_RIGHT = 4, 4
"""Terms before and behind a word in which those who act and are acted on stand."""
_PRESERVED = 0.25
"""Share of what changed places that may have kept its own."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """``kind`` is its rule, ``reason`` a line for people that names both sides, ``stem`` the word of the claim that is turned round."""

    kind: str
    reason: str
    stem: str = ""


def list_conflicts(
    claim: Wording, said: Wording, quantities: Sequence[Comparison], referent: str = ""
) -> Iterator[Conflict]:
    """All in which ``said`` is at odds with ``claim``; ``referent`` is what its opening pronoun stands for."""
    for each in quantities:
        if each.outcome is Outcome.AT_ODDS and each.rival is not None:
            yield Conflict("figure", f"the source says {each.rival.shown}, not {each.claimed.shown}")
    rules = (_find_denial, _find_opposite, _find_standing, _find_part, _find_plan, _find_duty, _find_reversal)
    for rule in rules:
        if (conflict := rule(claim, said)) is not None:
            yield conflict
    if (conflict := _find_other_name(claim, said)) is not None:
        yield conflict
    if (conflict := _find_exchange(claim, said, referent)) is not None:
        yield conflict
    case = Case(Statement(claim.text, 0, (Evidence(said.text, said.text),)))
    for name, rule in (("swap", find_swap), ("preposition", find_turned_preposition)):
        objection = rule(case)
        if objection is not None and objection.label is VerdictLabel.CONTRADICTED:
            yield Conflict(name, objection.reason.replace("the quotation", "the source"))


def _find_denial(claim: Wording, said: Wording) -> Conflict | None:
    """A word that one of the two denies first of all and the other affirms, in clauses that speak of the same."""
    ours, theirs = _list_heads(claim.words), _list_heads(said.words)
    for term in claim.terms:
        clause = claim.clauses[claim.find_clause(term.word.start)]
        other = _find_same(term, clause, said)
        if other is None or other.word.is_denied == term.word.is_denied:
            continue
        there = said.clauses[said.find_clause(other.word.start)]
        head = term.word if term.word.is_denied else other.word
        if head.start not in (ours if term.word.is_denied else theirs):
            continue
        rest = [each for each in clause.terms if each is not term]
        if (
            rest
            and share_terms(rest, there.subject_terms) < SHARED_AROUND
            and share_terms(rest, said.terms) < 2 * SHARED_AROUND
        ):
            continue
        affirmed, words = (other.word, said.words) if term.word.is_denied else (term.word, claim.words)
        if _is_stopped(affirmed, words) or _has_opposites(clause, there):
            continue
        if term.word.is_denied:
            return Conflict("denial", f"the source does not deny “{other.word.text}”")
        return Conflict("denial", f"the source denies “{other.word.text}”")
    return None


def _list_heads(words: Sequence[Word]) -> set[int]:
    """Where the words stand that a denial speaks of first: the next one with meaning behind it, adverbs aside, and of a noun the
    verb of its clause.
    """
    heads: set[int] = set()
    previous = False
    is_searching = False
    for word in words:
        if word.is_denied and not previous:
            is_searching = True
        if not word.is_denied:
            is_searching = False
        previous = word.is_denied
        if is_searching and word.folded not in STOP_WORDS and not word.folded.endswith("ly"):
            heads.add(word.start)
            # "has not set a record": the deed is in the noun
            is_searching = word.folded in _LIGHT_VERBS
    return heads


def _find_same(term: Term, clause: Clause, said: Wording) -> Term | None:
    """The term of ``said`` that is the same word, in the clause that has most of ``clause``."""
    same = [each for each in said.terms if is_alike(term.word.folded, each.word.folded)]
    rest = [each for each in clause.terms if each is not term]

    def weigh(each: Term) -> float:
        return share_terms(rest, said.clauses[said.find_clause(each.word.start)].subject_terms)

    if not same:
        return None
    best = max(same, key=weigh)
    elsewhere = max((share_terms(rest, other.subject_terms) for other in said.clauses), default=0.0)
    # "Theft from the yard is not covered, theft from the hall is": another clause speaks of the claim
    return best if weigh(best) >= elsewhere - LIGHT_WEIGHT else None


def _is_stopped(affirmed: Word, words: Sequence[Word]) -> bool:
    """Whether a word before it says that it is no more."""
    before = [word for word in words if word.start < affirmed.start][-_STOPPING_REACH:]
    return any(word.folded in _STOPPING for word in before)


_STOPPING_REACH = 4
"""Words behind "stopped" of which one is what no longer goes on."""


def _has_opposites(one: Clause, other: Clause) -> bool:
    return any(is_opposite(a.word.folded, b.word.folded) for a in one.terms for b in other.terms)


def _find_opposite(claim: Wording, said: Wording) -> Conflict | None:
    """A word in whose place the sentence has its opposite, between words that are the same."""
    if _THAN.search(claim.text) or _THAN.search(said.text):
        return None
    for word in claim.words:
        if word.folded in STOP_WORDS or any(map(str.isdigit, word.text)) or is_negation(word.folded, ENGLISH):
            continue  # "never dropped" and "always kept" say the same: denials are compared with their verbs
        entry = look_up_word(word.folded, ENGLISH)
        if entry.bases & said.held or entry.synonyms & said.held or not entry.opposites:
            continue
        for other in said.words:
            is_turned = bool(find_bases(other.folded, ENGLISH) & entry.opposites) and other.stem not in claim.held
            if is_negation(other.folded, ENGLISH) or (other.folded in _LIGHT and word.folded not in _LIGHT):
                continue  # "get" stands for too much to be the opposite of "send"
            if not is_turned or word.is_denied != other.is_denied:
                continue
            if _share_neighbours(word, claim, other, said):
                return Conflict("opposite", f"the source says “{other.text}”, not “{word.text}”", word.stem)
    return None


_NEIGHBOURS = 4


def _find_standing(claim: Wording, said: Wording) -> Conflict | None:
    """What went up or down, or changed, where the sentence says that it stayed, and the reverse."""
    for here, there in ((_MOVING, _STANDING), (_STANDING, _MOVING)):
        for word in claim.words:
            if word.folded not in here or any(other.folded in here for other in said.words):
                continue
            for other in said.words:
                is_turned = other.folded in there and word.is_denied == other.is_denied
                if is_turned and _share_neighbours(word, claim, other, said):
                    return Conflict("standing", f"the source says “{other.text}”, not “{word.text}”", word.stem)
    return None


def _share_neighbours(word: Word, claim: Wording, other: Word, said: Wording) -> bool:
    """Whether the terms beside one word are those beside the other."""
    near = _list_neighbours(word, claim)
    # "they are expensive": what it is said of stands further off
    beside = said.terms if _OF_PRONOUN.search(said.text[: other.start]) else _list_neighbours(other, said)
    total = sum(term.weight for term in near)
    return total > 0 and share_terms(near, beside) >= max(SHARED_AROUND, 0.4 * total)


def _list_neighbours(word: Word, wording: Wording) -> list[Term]:
    before = [term for term in wording.terms if term.word.start < word.start][-_NEIGHBOURS:]
    behind = [term for term in wording.terms if term.word.start > word.start][:_NEIGHBOURS]
    return [*before, *behind]


def _find_part(claim: Wording, said: Wording) -> Conflict | None:
    """All of something where the sentence has a share or a part of it."""
    words = claim.exclusives & _WHOLES
    if not words or said.exclusives & _WHOLES or any(word.is_denied for word in claim.words if word.folded in words):
        return None
    for clause in said.clauses:
        text = said.text[clause.start : clause.end]
        part = next((match.group() for match in _PERCENT.finditer(text) if not match.group().startswith("100")), "")
        if not part and (match := _PARTS.search(text)):
            part = match.group()
        if part and share_terms(claim.terms, clause.terms) >= SHARED_AROUND:
            return Conflict("part", f"the source says “{part}”, not “{min(words)}”")
    return None


def _find_plan(claim: Wording, said: Wording) -> Conflict | None:
    """What the sentence only plans or thinks possible, stated as done."""
    if _PLANS.search(claim.text) or not (_DONE.search(claim.text) or _SINCE.search(claim.text)):
        return None
    for term in claim.terms:
        if term.weight <= LIGHT_WEIGHT:
            continue
        there = [word for word in said.words if is_alike(term.word.folded, word.folded)]
        if there and all(word.is_planned for word in there):
            return Conflict("plan", f"the source tells “{there[0].text}” as a plan")
    return None


def _find_duty(claim: Wording, said: Wording) -> Conflict | None:
    """What has to be, where the sentence says that it need not, and the reverse."""
    if claim.is_optional == said.is_optional:
        return None
    affirming, other = (said, claim) if claim.is_optional else (claim, said)
    match, left = _DUTIES.search(affirming.text), OPTIONAL.search(other.text)
    if match is None or left is None:
        return None
    deeds, others = (
        [term for term in wording.terms if term.word.start >= found.end()][:_DEEDS]
        for wording, found in ((affirming, match), (other, left))
    )
    if share_terms(deeds, others) < SHARED_AROUND:
        return None
    if claim.is_optional:
        return Conflict("duty", f"the source says “{match.group()}”")
    return Conflict("duty", f"the source does not say “{match.group()}”: it need not be")


_DEEDS = 3
"""Terms behind "must" or "need not" of which one is what has to be done."""


def _find_reversal(claim: Wording, said: Wording) -> Conflict | None:
    """Where the claim says "from three to two" and the sentence "from two to three"."""
    for ours in _FROM_TO.finditer(claim.text):
        one, other = (part.lower().strip(".,;") for part in ours.groups())
        for theirs in _FROM_TO.finditer(said.text):
            if (other, one) == tuple(part.lower().strip(".,;") for part in theirs.groups()) and one != other:
                return Conflict("reversal", f"the source says “{theirs.group()}”, not “{ours.group()}”")
    return None


@dataclass(frozen=True, slots=True)
class _Sides:
    """The terms of who acts and of who is acted on around a word."""

    acting: tuple[Term, ...]
    suffering: tuple[Term, ...]


def _find_exchange(claim: Wording, said: Wording, referent: str) -> Conflict | None:
    """Two things that stand on the two sides of a word, each on the other's side in the sentence; the word stands once in both."""
    for term in claim.terms:
        others = [other for other in said.terms if is_alike(term.word.folded, other.word.folded)]
        own = [each for each in claim.terms if is_alike(term.word.folded, each.word.folded)]
        if len(others) == len(own) == 1:
            other = others[0]
            ours, theirs = _read_sides(claim, term.word, ""), _read_sides(said, other.word, referent)
            crossed = (share_terms(ours.acting, theirs.suffering), share_terms(ours.suffering, theirs.acting))
            kept = share_terms(ours.acting, theirs.acting) + share_terms(ours.suffering, theirs.suffering)
            if min(crossed) > LIGHT_WEIGHT and kept <= _PRESERVED * sum(crossed):
                first = next(each for each in ours.acting if share_terms([each], theirs.suffering))
                second = next(each for each in ours.suffering if share_terms([each], theirs.acting))
                return Conflict(
                    "exchange",
                    f"the source says “{other.word.text}” the other way round of “{first.word.text}” and “{second.word.text}”",
                )
    return None


def _find_other_name(claim: Wording, said: Wording) -> Conflict | None:
    """Somebody else who did it: the name that opens the claim, and another one that opens the sentence before the same deed."""
    ours, theirs = _NAME.match(claim.text), _NAME.match(said.text)
    if not ours or not theirs or not (_is_name(ours[1]) and _is_name(theirs[1])):
        return None
    deed, done = (
        next((term for term in wording.terms if term.word.start >= match.end(1)), None)
        for wording, match in ((claim, ours), (said, theirs))
    )
    if deed is None or done is None or not is_alike(deed.word.folded, done.word.folded):
        return None
    if not all(
        _AUXILIARIES.fullmatch(text[match.end(1) : term.word.start])
        for text, match, term in ((claim.text, ours, deed), (said.text, theirs, done))
    ):
        return None
    names = [term for term in claim.terms if term.word.start < ours.end(1)]
    if not names or share_terms(names, said.terms) or claim.held & set(map(str.lower, theirs[1].split())):
        return None
    if deed.word.is_denied or done.word.is_denied:
        return None
    return Conflict(
        "name", f"the source says {theirs[1].strip()}, not {ours[1].strip()}", " ".join(term.stem for term in names)
    )


_AUXILIARIES = re.compile(r"(?:(?:has|have|had|was|were|is|are|will|would|also|first|then|now|been)\s+)*", re.I)


def _is_name(opening: str) -> bool:
    """Whether the words that open a sentence are a name: several with a capital, or one that is no everyday word."""
    words = opening.split()
    return fold_words(words[0]) not in STOP_WORDS and (
        len(words) > 1 or word_informativeness(stem_word(fold_words(words[0]), ENGLISH), ENGLISH) >= 1.0
    )


_NAME = re.compile(r"(?:[Tt]he\s+)?((?:[A-Z][\w’'.-]*\s+)+)(?=[a-z])")


def breaks_order(claim: Wording, said: Wording, referent: str) -> bool:
    """Whether a name that the claim puts behind a word stands before it in the sentence, and nothing keeps its side."""
    for term in claim.terms:
        for other in said.terms:
            if is_alike(term.word.folded, other.word.folded):
                ours, theirs = _read_sides(claim, term.word, ""), _read_sides(said, other.word, referent)
                crossed = share_terms(_only_names(ours.suffering), theirs.acting)
                crossed += share_terms(_only_names(ours.acting), theirs.suffering)
                kept = share_terms(ours.acting, theirs.acting) + share_terms(ours.suffering, theirs.suffering)
                if crossed > LIGHT_WEIGHT and kept <= _PRESERVED * crossed:
                    return True
    return False


def splits_subject(claim: Wording, said: Wording) -> str:
    """What the sentence tells of another subject: "An operator runs backups" beside "a viewer sees reports"; "" where it does not."""
    subject = next((term for term in claim.terms if term.weight > LIGHT_WEIGHT), None)
    if subject is None:
        return ""
    first = next(iter(said.terms), None)
    is_of_another = first is not None and _ANOTHER.match(said.text) and first.stem not in claim.held
    if first is not None and is_of_another and not share_terms([subject], said.terms):
        # "An exact search ..." under the title of another method
        return f"says it of “{first.word.text}”, not of “{subject.word.text}”"
    if len(said.clauses) < 2:
        return ""
    rest = [term for term in claim.terms if term is not subject]
    best = max(said.clauses, key=lambda clause: share_terms(rest, clause.subject_terms))
    if share_terms([subject], best.subject_terms) or not share_terms([subject], said.terms):
        return ""
    opening = said.text[best.start : best.end]
    # "the resulting logger" is the logger
    own = next((term for term in best.terms if not term.word.folded.endswith(("ing", "ed"))), None)
    if own is None or not _DETERMINER.match(opening) or own.stem in claim.held:
        return ""
    return f"says it of “{own.word.text}”, not of “{subject.word.text}”"


_ANOTHER = re.compile(r"(?:an?|another|each|every|other)\s", re.I)
_DETERMINER = re.compile(r"(?:a|an|the|another|each|every|its|their|his|her|our)\s", re.I)


def lacks_duty(claim: Wording, said: Wording) -> str:
    """The word by which the claim makes a duty of what the sentence tells as none; "" where it has one, or forbids as the claim does."""
    match = _STRICT.search(claim.text)
    if match is None or _DUTIES.search(said.text) or any(word.is_denied for word in said.words):
        return ""
    return match.group()


_STRICT = re.compile(r"\b(?:must|obliged|obligatory|mandatory|compulsory)\b", re.I)


def _only_names(terms: Sequence[Term]) -> list[Term]:
    return [term for term in terms if term.word.text[0].isupper() and term.word.start > 0]


def _read_sides(wording: Wording, pivot: Word, referent: str) -> _Sides:
    text = wording.text
    opening = _OPENING.match(text)
    begin = opening.end() if opening and opening.end() <= pivot.start else 0
    before = [term for term in wording.terms if begin <= term.word.start < pivot.start][-_WINDOW_LEFT:]
    relative = _RELATIVE.search(text, pivot.start)
    end = relative.start() if relative else len(text)
    behind = [term for term in wording.terms if pivot.start < term.word.start < end]
    is_passive = _PASSIVE.search(text[: pivot.start]) is not None
    by = _BY.search(text, pivot.start)
    is_reduced = not text[pivot.start + len(pivot.text) : by.start()].strip() if by else False
    if by and (is_passive or (is_reduced and not pivot.folded.endswith(("s", "ing")))):
        agents = [term for term in behind if term.word.start >= by.end()][:_WINDOW_RIGHT]
        return _Sides(tuple(agents), tuple(before))
    if referent and not before:
        before = list(read_wording(referent).terms)
    return _Sides(tuple(before), tuple(behind[:_WINDOW_RIGHT]))
