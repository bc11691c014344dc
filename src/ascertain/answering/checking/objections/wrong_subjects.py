"""What the sources say of one thing, stated of another that they name elsewhere: the label of another entry, another party, another name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import takewhile

from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word
from ascertain.language.word_lists import load_pattern, load_word_set
from ascertain.models.entail.alignment import look_up_word

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*(?![^\W_])|[^\W_]+(?:[-.'’&/_][^\W_]+)*")
"""A figure, or a word with its inner punctuation: ``4,630``, ``TP-4107``, ``O'Brien``, ``max_size``."""
_FIGURE = re.compile(r"\d+(?:,\d{3})*(?:[.,]\d+)?")
"""A number; with several points it is a version."""
_CLAUSE = re.compile(r"[;:]\s+|,\s+(?:and|but|while|whereas)\s+|\n")
"""Where the text about one thing ends and the text about another begins."""
_LABEL = re.compile(r"\W*([^\W_][^:\n|]{0,40}):\s")
"""The text before a colon at the beginning of a line."""
_FIRST_PERSON = re.compile(r"\b(?:I|I['’]\w+|my|me|myself|we|our|us)\b")
_REPORTED = re.compile(rf"\b{load_pattern('claims', 'reporting')}\b", re.I)
_DETERMINERS = load_word_set("claims", "determiners") | {"this", "that", "each", "every"}
_LIGHT = load_word_set("claims", "light_words")
_POINTS_BACK = re.compile(
    r"\W*(?:(?:then|also|but|and|so|later),?\s+)?(?:it|he|she|they|this|these|that|those|its|his|her|their)\b", re.I
)
_PASSIVE = re.compile(r"\b(?:by|is|are|was|were|be|been|being|from|between|than)\b", re.I)
"""What swaps who does something to whom without changing the meaning, or juxtaposes two things."""
NEAR = 0.6
"""Share of a claim's words, in their order, in a sentence that says the same about something else."""
LABELLED = 0.5
"""The same where the sources have it under a label, and the claim has the label of another entry."""
COPIED = 0.9
"""Share of the rest from which a sentence is copied except for its subject."""
_FEWEST = 2
_SLACK = 0.15
"""How much less of the claim a sentence may have that does name its subject."""
_LONGEST = 2
"""Most words of a thing that takes the place of another: longer ones are descriptions."""
_FOREMOST = 1
"""Words before what a sentence is about: "the plan Enterprise", "parameter b"."""
_PHRASE = 2
"""Content words after an article that still belong to its noun phrase."""


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    stem: str
    is_thing: bool
    """Whether it is in the place of a noun: after an article, or as a name."""
    is_name: bool
    """Whether it has a capital or a digit, and is not a figure."""


@dataclass(frozen=True)
class _Unit:
    """A sentence or clause of a source; ``around`` is the text in which its subject may be named."""

    text: str
    around: str
    language: str
    lead: str = ""
    """The first thing of the sentence that its pronoun points back to."""
    label: str = ""
    """The text before its colon at the beginning of a line: a speaker, a term, a code."""
    is_whole: bool = True
    """Whether it makes one statement; a sentence of several clauses says of one thing what it does not say of another."""

    @cached_property
    def tokens(self) -> tuple[_Token, ...]:
        """Its content words."""
        return _read_tokens(f"{self.lead} {self.text}", self.language)

    def things(self, start: int, end: int) -> frozenset[str]:
        """Stems of the things between two places."""
        return _list_things(self.tokens[start:end])

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """In order."""
        return tuple(token.stem for token in self.tokens)

    @cached_property
    def named(self) -> frozenset[str]:
        """Stems of everything that may be its subject."""
        return frozenset(token.stem for token in _read_tokens(self.around, self.language))


def find_other_subject(case: Case) -> Objection | None:
    """A thing of the claim for which an otherwise equal sentence has another thing, where the sources name both."""
    told = _read_tokens(case.everywhere, case.language)
    everywhere = frozenset(token.stem for token in told)
    names = everywhere - frozenset(token.stem for token in told if token.text[0].islower())
    units = list(_list_units(case))
    labels = frozenset(token.stem for unit in units for token in _read_tokens(unit.label, case.language))
    claims = [case.text, *(clauses if len(clauses := _split_clauses(case.text, case.language)) > 1 else ())]
    return next(
        filter(
            None,
            (
                _find_other_subject(
                    _read_tokens(each, case.language), units, everywhere, names, labels=labels, language=case.language
                )
                for each in claims
            ),
        ),
        None,
    )


def _find_other_subject(
    claim: tuple[_Token, ...],
    units: Sequence[_Unit],
    everywhere: frozenset[str],
    names: frozenset[str],
    *,
    labels: frozenset[str],
    language: str,
) -> Objection | None:
    near = [(unit, share) for unit in units if unit.is_whole and (share := _share(claim, unit))]
    best = max((share for _, share in near), default=0.0)
    for unit, share in near:
        if share < best - _SLACK:
            continue
        for own, other in _find_replaced(claim, unit, language):
            stems = {token.stem for token in own}
            rest = [token for token in claim if token.stem not in stems]
            fit = _share(rest, unit)
            # a name in the place of a common word, or the reverse, is often another way to refer to the same thing
            if not _is_named(own, names) and all(token.stem in names for token in other):
                continue
            wanted = LABELLED if unit.label and stems <= labels else NEAR
            if fit * _weigh(rest) / (_weigh(rest) + 1) < wanted or stems & unit.named:
                continue
            # a word in no source may be another word for the same thing, but hardly in an otherwise copied sentence
            if not stems <= everywhere and not (fit >= COPIED and own[0].text[0].isupper()):
                continue
            if any(rival.is_whole and stems & rival.named and _share(rest, rival) >= fit - _SLACK for rival in units):
                continue
            one, two = (" ".join(token.text for token in tokens) for tokens in (other, own))
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation says that of “{one}”, not of “{two}”")
    return None


def _is_named(tokens: Sequence[_Token], names: frozenset[str]) -> bool:
    """Whether one of them is written as a name, and the sources have it in no other form."""
    return any(token.stem in names or token.text[0].isupper() for token in tokens)


def _share(claim: Sequence[_Token], unit: _Unit) -> float:
    """Share of the claim that is in the unit in the same order; 0 where that is too little to judge."""
    stems = [token.stem for token in claim]
    blocks = SequenceMatcher(None, stems, unit.stems, autojunk=False).get_matching_blocks()
    matched = [token for block in blocks for token in claim[block.a : block.a + block.size]]
    return _weigh(matched) / _weigh(claim) if len(matched) >= _FEWEST else 0.0


def _weigh(tokens: Sequence[_Token]) -> int:
    """How many words they count for: a figure is more informative than any word."""
    return sum(2 if _FIGURE.fullmatch(token.text) and len(token.text) > 1 else 1 for token in tokens)


def _find_replaced(claim: Sequence[_Token], unit: _Unit, language: str) -> Iterator[tuple[list[_Token], list[_Token]]]:
    """What the claim is about, with what is in its place in the unit and means something else."""
    stems = [token.stem for token in claim]
    matcher = SequenceMatcher(None, stems, unit.stems, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "replace" or start > _FOREMOST or first > 2 * _FOREMOST or end == len(claim):
            continue
        own = [token for token in claim[start:end] if token.is_thing and token.stem not in unit.stems]
        other = [token for token in unit.tokens[first:last] if token.is_thing and token.stem not in stems]
        if not 0 < len(own) <= _LONGEST or not 0 < len(other) <= _LONGEST:
            continue
        if start and not any(token.is_name for token in own):
            continue  # "engineering manager" for "engineering effectiveness"
        if not any(_is_alike(one.text, two.text, language) for one in own for two in other):
            yield own, other


_SUBORDINATE = re.compile(rf"\b{load_pattern('claims', 'subordinating')}\b", re.IGNORECASE)


def find_turned_roles(case: Case) -> Objection | None:
    """Two things of a sentence of the sources that are the other way round there about the same word."""
    claim = _read_tokens(case.text, case.language)
    stems = [token.stem for token in claim]
    if _PASSIVE.search(case.text):
        return None
    for unit in _list_units(case):
        if len(set(stems) & set(unit.stems)) < max(_FEWEST + 1, NEAR * len(set(stems))) or _PASSIVE.search(unit.text):
            continue
        # "the ferry stopped because its engine failed": what follows the verb is not its object
        if _SUBORDINATE.search(unit.text):
            continue
        for place, token in enumerate(claim):
            if token.is_thing or stems.count(token.stem) != 1 or unit.stems.count(token.stem) != 1:
                continue
            there = unit.stems.index(token.stem)
            before, behind = unit.things(0, there), unit.things(there + 1, len(unit.tokens))
            one = _list_things(claim[:place]) & (behind - before)
            other = _list_things(claim[place + 1 :]) & (before - behind)
            if one and other:
                first, second = (_show_token(claim, found) for found in (one, other))
                return Objection(
                    VerdictLabel.CONTRADICTED,
                    f"the quotation has “{second}” before “{token.text}” and “{first}” behind it",
                )
    return None


def _list_things(tokens: Sequence[_Token]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if token.is_thing)


def _show_token(tokens: Sequence[_Token], stems: frozenset[str]) -> str:
    return next(token.text for token in tokens if token.stem in stems)


def _is_alike(one: str, other: str, language: str) -> bool:
    """Whether two words may mean one thing: a synonym, another form, an abbreviation."""
    first, second = fold_words(one), fold_words(other)
    if (
        look_up_word(first, language).bases & look_up_word(second, language).bases
        or look_up_word(first, language).synonyms & look_up_word(second, language).bases
    ):
        return True
    short, long = sorted((first, second), key=len)
    return len(short) >= 3 and long.startswith(short[:-1]) and not any(map(str.isdigit, long))


def _list_units(case: Case) -> Iterator[_Unit]:
    is_reported = _REPORTED.search(case.text) is not None
    for each in case.evidence:
        text = each.passage or each.text
        heading = f"{each.title}\n{' '.join(each.section)}"
        before = ""
        for span in split_sentences(text):
            sentence = span.of(text)
            points_back = _POINTS_BACK.match(sentence) is not None
            back = before if points_back else ""
            lead = _find_lead(back, case.language)
            label = match[1] if (match := _LABEL.match(sentence)) else ""

            def spoken(said: str, label: str = label, by: str = f"{each.speaker}\n{each.author}") -> str:
                """The speaker, where the text is about the speaker; of several, the one before the colon."""
                return "" if label or not (is_reported or _FIRST_PERSON.search(said)) else by

            clauses = _split_clauses(sentence, case.language)
            for index, clause in enumerate(clauses):
                near = clauses[index - 1] if index and _POINTS_BACK.match(clause) else ""
                around = "\n".join((heading, spoken(clause), back, label, near, clause))
                yield _Unit(clause, around, case.language, "" if index else lead, "" if index else label)
            if len(clauses) > 1:
                yield _Unit(
                    sentence,
                    "\n".join((heading, spoken(sentence), back, sentence)),
                    case.language,
                    lead,
                    label,
                    is_whole=False,
                )
            before = f"{before}\n{sentence}" if points_back else sentence


def _find_lead(sentence: str, language: str) -> str:
    """The things that a sentence begins with, as a phrase; empty where it does not."""
    things = takewhile(lambda token: token.is_thing, _read_tokens(sentence, language)[:_PHRASE])
    named = " ".join(token.text for token in things)
    return f"the {named}" if named else ""


def _split_clauses(sentence: str, language: str) -> list[str]:
    """The parts of a sentence that begin with a thing or a pronoun of their own; its label stays with the first."""
    label = match.end() if (match := _LABEL.match(sentence)) else 0
    clauses: list[str] = []
    for part in filter(str.strip, _CLAUSE.split(sentence[label:])):
        first = next(iter(_read_tokens(part, language)), None)
        if clauses and not (_POINTS_BACK.match(part) or (first is not None and first.is_thing)):
            clauses[-1] = f"{clauses[-1]}, {part}"
        else:
            clauses.append(part)
    return [f"{sentence[:label]}{clauses[0]}", *clauses[1:]] if clauses else [sentence]


def _read_tokens(text: str, language: str) -> tuple[_Token, ...]:
    """The words of ``text`` with meaning."""
    tokens: list[_Token] = []
    left = 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        folded = fold_words(word)
        if folded in _DETERMINERS:
            left = _PHRASE
            continue
        if folded in STOP_WORDS or folded in _LIGHT:
            left = 0
            continue
        is_figure = _FIGURE.fullmatch(word) is not None
        is_name = not is_figure and (word[0].isupper() or any(map(str.isdigit, word)))
        tokens.append(_Token(word, stem_word(folded, language), is_name or (left > 0 and not is_figure), is_name))
        left = 0 if text[match.end() : match.end() + 1] in {",", ".", ";", ":"} else max(0, left - 1)
    return tuple(tokens)
