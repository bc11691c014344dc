r"""How strongly each trait of structure shows in a text, 0..1.

Patterns begin with the rare character they look for: ``re`` skips to it, where a leading ``\b`` or an alternation would be tried at
every character and make this several times slower.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ascertain.language.tokens import WORD
from ascertain.language.word_lists import load_pattern, load_words

_BACKTICKS = re.compile(r"`[^`\n]+`")
_UNDERSCORED = re.compile(r"_[A-Za-z0-9]")
_OPTION = re.compile(r" --?[a-z]\w")
_PARENTHESES = re.compile(r"\([^()\n]{0,60}\)")
_NUMERIC_CITATION = re.compile(r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]")
_NAMED_CITATION = re.compile(r"\([A-Z][\w-]+(?: (?:and|&) [A-Z][\w-]+| et al\.?)?,? \d{4}")
_SPEAKER = re.compile(
    r"(?:\[?\d[\d:.,]*\]?\s*)?\**(#?[A-Z][\w.'’-]*(?: [A-Z#][\w.'’-]*){0,3})\**\s?(?:\(.{1,20}\))?:\**\s"
)
_DECIMAL = re.compile(r"[0-9]\.[0-9]")
_SYMBOL = re.compile(r"[∑∏∫√≤≥≈∈∀∃∂∇±×→°α-ωΔΣΩ]")
_CODE_NUMBER = re.compile(r"[A-Z][A-Z]-?\d{3,5}(?!\d)")
_YEAR = re.compile(r"1[0-9]{3}(?!\d)")
_CURRENCY = re.compile(r"[$€£]\s?\d")

_VERBS_OF_HTTP = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HTTP", "REST"))
_AMOUNTS = load_words("document_traits", "amounts")


@dataclass(frozen=True, slots=True)
class Text:
    """A text taken apart. ``words`` are lower case; ``odd`` are those with digits or capitals inside, as written."""

    sample: str
    lines: Sequence[str]
    words: Sequence[str]
    odd: Sequence[str]
    counts: Mapping[str, int]
    spaced: str

    def per_thousand(self, number: float, full: float) -> float:
        """How often for each 1,000 words, 1 from ``full`` on; a text of 100 words or fewer counts as 100."""
        return min(1.0, number * 1000 / max(100, len(self.words)) / full)

    def share_of_lines(self, pattern: re.Pattern[str], full: float) -> float:
        """Share of the lines that begin with ``pattern``, 1 from ``full`` on; three lines at least."""
        return min(1.0, sum(map(bool, map(pattern.match, self.lines))) / max(3, len(self.lines)) / full)

    def occurrences(self, words: Sequence[str]) -> int:
        """How often any of ``words`` occurs."""
        return sum(self.counts.get(word, 0) for word in words)

    def count(self, pattern: re.Pattern[str]) -> int:
        """How often ``pattern`` occurs."""
        return len(pattern.findall(self.sample))


def words_of(text: str) -> list[str]:
    """Lower-case words, with straight apostrophes."""
    return WORD.findall(text.lower().replace("’", "'"))


def read_text(sample: str) -> Text:
    """Take ``sample`` apart."""
    written: list[str] = WORD.findall(sample)
    joined = " ".join(written)
    # Splitting the joined words again is far quicker than lowering each by itself.
    lowered = joined.lower().replace("’", "'")
    words = lowered.split()
    odd = [word for word, number in Counter(written).items() if _is_odd(word) for _ in range(number)]
    lines = [line for line in map(str.strip, sample.split("\n")) if line]
    return Text(sample, lines, words, odd, Counter(words), f" {lowered} ")


def count_terms(text: Text) -> int:
    """Acronyms, identifiers, codes, measured numbers and symbols of formulas."""
    named = sum(1 for word in text.odd if _is_acronym(word) or _mixes_case(word))
    return named + sum(map(text.count, (_BACKTICKS, _UNDERSCORED, _DECIMAL, _SYMBOL))) + text.sample.count("%")


def _is_odd(word: str) -> bool:
    return not (word.isalpha() and (word.islower() or word.istitle()))


def _is_acronym(word: str) -> bool:
    return word.isupper() and word.isalpha() and 2 <= len(word) <= 6


def _mixes_case(word: str) -> bool:
    """``camelCase``, ``sha256``; not ``2019`` and not ``it's``."""
    if word.isalpha():
        return not word.isupper() and word[0].islower()
    return word.isalnum() and not word.isdigit()


Measure = Callable[[Text], float]

_DATE = re.compile(
    r"\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}"
    r"|\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})\b"
)
_FIELD_NAME = re.compile(r"\W{0,4}[A-Z][\w ]{1,24}:\s")
_CAPITALISED = re.compile(r"\b[A-Z]")
_PUNCTUATION = frozenset(".,;:!?'\"()-")


def _share_lines(holds: Callable[[str], bool]) -> Measure:
    """Share of the lines of which ``holds`` is true; three lines at least."""
    return lambda text: sum(map(holds, text.lines)) / max(3, len(text.lines))


def _share_words(full: float, *words: str) -> Measure:
    """Share of the words that are any of ``words``, 1 from ``full`` on; a text of fewer than 20 words counts as 20."""
    return lambda text: min(1.0, text.occurrences(words) / max(20, len(text.words)) / full)


def _share_characters(full: float, holds: Callable[[str], bool]) -> Measure:
    """Share of the characters of which ``holds`` is true, 1 from ``full`` on."""
    return lambda text: min(1.0, sum(map(holds, text.sample)) / max(1, len(text.sample)) / full)


def _is_row(line: str) -> bool:
    return any(line.count(mark) > 2 for mark in "|;\t") or (line.count(",") > 4 and ". " not in line)


def _count_past_forms(text: Text) -> float:
    number = sum(count for word, count in text.counts.items() if word.endswith("ed"))
    return min(1.0, number / max(20, len(text.words)) * 10)


def _measure_indentation(text: Text) -> float:
    written = [line for line in text.sample.split("\n") if line.strip()]
    return sum(line[0] in " \t" for line in written) / max(3, len(written))


# How a text looks on the page, and how often its commonest words occur.
LAYOUT: Mapping[str, Measure] = {
    "length": lambda text: min(1.0, math.log1p(len(text.words)) / 7),
    "line_length": lambda text: min(1.0, sum(map(len, text.lines)) / max(3, len(text.lines)) / 200),
    "short_lines": _share_lines(lambda line: len(line) < 40),
    "long_lines": _share_lines(lambda line: len(line) > 200),
    "sentence_ends": _share_lines(lambda line: line[-1] in ".?!"),
    "indentation": _measure_indentation,
    "capital_lines": _share_lines(str.isupper),
    "rows": _share_lines(_is_row),
    "field_names": _share_lines(lambda line: _FIELD_NAME.match(line) is not None),
    "dated_lines": _share_lines(lambda line: _DATE.search(line[:60]) is not None),
    "digits": _share_characters(0.2, str.isdigit),
    "letters": _share_characters(1.0, str.isalpha),
    "symbols": _share_characters(0.1, lambda c: not (c.isalnum() or c.isspace() or c in _PUNCTUATION)),
    "capitalised": lambda text: min(1.0, text.count(_CAPITALISED) / max(1, len(text.words))),
    "blank_lines": lambda text: text.sample.count("\n\n") / max(1, text.sample.count("\n") + 1),
    "question_marks": lambda text: min(1.0, text.sample.count("?") / max(10, len(text.words)) * 50),
    "parentheses": lambda text: min(1.0, text.sample.count("(") / max(10, len(text.words)) * 20),
    "distinct_words": lambda text: len(text.counts) / max(20, len(text.words)),
    "articles": _share_words(0.2, "the", "a", "of"),
    "past_forms": _count_past_forms,
    "i": _share_words(0.05, "i"),
    "we": _share_words(0.05, "we", "our", "us"),
    "you": _share_words(0.05, "you", "your"),
    "third_person": _share_words(0.05, "he", "she", "his", "her", "said"),
    "obligation": _share_words(0.05, "will", "shall", "must", "may"),
}


def _measure_lines(pattern: str, full: float) -> Measure:
    compiled = re.compile(pattern)
    return lambda text: text.share_of_lines(compiled, full)


def _measure_sentences(pattern: str, full: float) -> Measure:
    """Share of the sentences, or of the lines where these have several, that begin with ``pattern``."""
    compiled = re.compile(pattern)

    def measure(text: Text) -> float:
        starts = [part.lstrip() for part in re.split(r"\n|(?<=[.!?])\s", text.sample)]
        begun = [part for part in starts if part]
        return min(1.0, sum(map(bool, map(compiled.match, begun))) / max(3, len(begun)) / full)

    return measure


def _measure_words(name: str, full: float) -> Measure:
    chosen = load_words("document_traits", name)
    return lambda text: text.per_thousand(text.occurrences(chosen), full)


def _count_turns(text: Text) -> float:
    """Lines and sentences that begin with a name that begins others too, for each line; "Note:" alone is no speaker."""
    sentences = text.sample.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n").split("\n")
    names = Counter(match[1] for match in map(_SPEAKER.match, map(str.lstrip, sentences)) if match)
    speakers = [number for number in names.values() if number > 1]
    return min(1.0, sum(speakers) / max(3, len(text.lines)) / 0.4) if len(speakers) > 1 else 0.0


def _count_citations(text: Text) -> float:
    number = text.count(_NUMERIC_CITATION) + text.count(_NAMED_CITATION) + text.spaced.count(" et al ")
    return text.per_thousand(number, 6)


def _count_signatures(text: Text) -> float:
    sample = text.sample
    calls = (match for match in _PARENTHESES.finditer(sample) if match.start())
    number = sum(1 for match in calls if sample[match.start() - 1].isalnum() or sample[match.start() - 1] == "_")
    return text.per_thousand(number, 8)


def _count_identifiers(text: Text) -> float:
    camel = sum(1 for word in text.odd if word.isalpha() and _mixes_case(word))
    return text.per_thousand(camel + sum(map(text.count, (_BACKTICKS, _UNDERSCORED, _OPTION))), 15)


def _error_codes(text: Text) -> float:
    named = sum(1 for word in text.odd if word.endswith(("Error", "Exception")))
    return text.per_thousand(named + text.count(_CODE_NUMBER), 8)


def _count_money(text: Text) -> float:
    number = text.count(_CURRENCY) + text.sample.count("%") + text.occurrences(_AMOUNTS)
    return text.per_thousand(number, 10)


def _count_years(text: Text) -> float:
    return text.per_thousand(text.count(_YEAR) + text.occurrences(("century", "bc", "bce")), 5)


def _measure_beginning(pattern: str, within: int) -> Measure:
    compiled = re.compile(pattern)
    return lambda text: float(compiled.match(text.sample, 0, within) is not None)


# The numbers say from which share of the lines, or how many for each 1,000 words, a trait is fully there. They are orders of
# magnitude read off ordinary texts of the kind; what each trait says of a type is fitted with them.
STRUCTURE: Mapping[str, Measure] = {
    "turns": _count_turns,
    "timestamps": lambda text: text.per_thousand(text.count(re.compile(r":[0-5]\d(?!\d)")), 8),
    "citations": _count_citations,
    "equations": lambda text: text.per_thousand(text.count(_SYMBOL), 10),
    "code": _measure_lines(
        r"```|~~~|\$ |>>> |[{}]|def |import |from \w+ import|return\b|#include|//|#!|set -|echo |(?:for|while|if) .*; ?(?:do|then)$|(?:done|fi|esac|end)$|[\w.\]\)]+ ?(?:\+|-)?= ?\S+|.*[;{]$|<\w+[ >/]",
        0.35,
    ),
    "signatures": _count_signatures,
    "identifiers": _count_identifiers,
    "http": lambda text: text.per_thousand(
        sum(1 for word in text.odd if word in _VERBS_OF_HTTP) + text.sample.count("/v1/"), 4
    ),
    "error_codes": _error_codes,
    "version_headings": _measure_lines(
        r"[#\s]*(?:[Vv]ersion\s|v|[Rr]elease\s|\[)*\d+\.\d+(?:\.\d+)*\]?(?:[\s:(–-]+.{0,30})?$", 0.08
    ),
    "numbered_steps": _measure_lines(r"(?:[Ss]tep )?\d{1,2}[.):]\s+[A-Z`]", 0.15),
    "bullets": _measure_lines(r"[-*•–]\s+\S", 0.4),
    "imperatives": _measure_sentences(
        rf"(?:\d+[.)]\s+|[-*•]\s+)?{load_pattern('document_traits', 'imperatives')}\b", 0.2
    ),
    "questions": _measure_lines(r"(?:[#*\s]*|Q\d*[:.]\s*|\d+[.)]\s+)(?:Q\d*[:.]|[A-Z][^.!?]{5,120}\?\**$)", 0.3),
    "legal_numbering": _measure_lines(
        r"§|\(?[a-z0-9]{1,3}\)\s|\(\w{1,4}\)|(?:[Ss]ection|SECTION|SEC\.|Sec\.|[Aa]rticle|ARTICLE|Art\.)\s+\d|\d+\.\d+\.?\s+[A-Z]",
        0.3,
    ),
    "email_headers": _measure_lines(
        rf"{load_pattern('document_traits', 'letter_fields')}:\s|Dear\b|(?:Hi|Hello|Hey)\b[^.]{{0,25}},?$"
        r"|(?:Best|Kind|Warm)?\s?(?:[Rr]egards|Sincerely|Cheers|Best|Thanks),?$",
        0.15,
    ),
    "dateline": _measure_lines(
        r"[A-Z][A-Z .,]{2,30}(?:, \w[\w .]{1,20})?(?:\(\w+\)| \w+\.? \d{1,2}(?:, \d{4})?)?\s?(?:—|–|--)\s"
        r"|[A-Z]\w+(?: [A-Z]\w+)?, \d{1,2} \w+ \d{4}\s?(?:—|–|--?|\.)\s",
        0.001,
    ),
    "definition": _measure_beginning(
        r"[^.\n]{0,80}\n{0,3}[^.\n]{2,90}?(?:\([^)]{2,80}\)[,\s]*)?\s(?:is|was|are|were)\s(?:an?|the|one)\s", 400
    ),
    "quotes": lambda text: text.per_thousand(text.count(re.compile(r"[“\"][^”\"\n]{15,300}[”\"]")), 4),
    "money": _count_money,
    "years": _count_years,
    "attendance": _measure_lines(
        r"[\W\d]{0,8}(?:[Pp]resent|[Aa]ttend(?:ees|ing|ance)|[Ii]n attendance|[Pp]articipants|[Ee]xcused|[Aa]pologies|[Aa]bsent|[Rr]egrets"
        r"|[Mm]embers present|[Bb]oard members present|[Mm]inutes)\b[^.\n]{0,30}:|.{0,60}\b[Pp]resent: ",
        0.1,
    ),
    "play": _measure_lines(r"(?:(?:Enter|Exit|Exeunt)\b|[A-Z]{3,}(?: [A-Z]{2,})?\.?$|(?:ACT|SCENE) [IVX])", 0.1),
    "sentences": lambda text: text.per_thousand(text.count(re.compile(r"[.!?](?=\s|$)")), 40),
    "first_person": _measure_words("first_person", 25),
    "second_person": _measure_words("second_person", 25),
    "requirement_words": _measure_words("requirement_words", 20),
    "shall": lambda text: text.per_thousand(text.occurrences(("shall",)), 8),
    "technical": lambda text: text.per_thousand(count_terms(text), 60),
}
