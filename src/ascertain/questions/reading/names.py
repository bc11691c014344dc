"""What a question names that manuals and glossaries list: options, codes, parameters, terms, each a name with a text of its own (QU-1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from ascertain.language.languages import ENGLISH, KNOWN
from ascertain.language.tokens import STOP_WORDS, content_terms, fold_words, stem_word
from ascertain.language.word_lists import load_alternatives, load_pattern, load_word_set

_NOUN = r"-{0,2}\w[\w.'’-]*(?:\s+[\w.'’-]+){0,3}?"
_SUBJECT_ASKED = re.compile(
    r"(?:^|[,.;:]\s*|\band\s+)(?:(?:what(?:['’]?s|\s+(?:is|are|was|were))|define)\s+(?:(?:an?|the|your|our)\s+)?"
    rf"(?P<what>{_NOUN})|what\s+(?:does|do)\s+(?:(?:an?|the|your|our)\s+)?(?P<does>{_NOUN})\s+(?:do|mean|means|stand\s+for))"
    r"(?:\s+(?:in|for|of|at|on|by|to|with|from|under)\b.*)?\W*$",
    re.I,
)
_BARE = re.compile(rf"^\W*(?P<what>{_NOUN})(?:\s+(?:meaning|definition))?\W*$", re.I)
"""A name and nothing else, as people type it into a search box."""
_KINDS = frozenset(stem_word(word, ENGLISH) for word in load_word_set("asked_facts", "key_kinds"))
_WORDS = re.compile(r"\w+")
LONGEST_KEY = 80
"""Characters of a line, or of what stands before its colon, that is the name of what it tells."""


def find_subject(question: str, language: str = ENGLISH) -> str:
    """What ``question`` wants explained: ``processor`` of "what is a processor in structlog?"; "" for any other
    question.
    """
    if language == ENGLISH:
        match, bare, ignored = _SUBJECT_ASKED.search(question), _BARE.match(question), STOP_WORDS
        found = (match["what"] or match["does"]) if match else bare["what"] if bare else ""
    else:
        pattern, ignored = _compile_explained(language)
        match = pattern.search(question)
        found = match["what"] if match else ""
    subject = found.rstrip(".'’-")
    words = fold_words(subject).split()
    return "" if not words or any(word in ignored for word in words) else subject


@cache
def _compile_explained(language: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """How it is asked in ``language`` what something is, and the words of grammar that end its name."""
    if language not in KNOWN:
        return re.compile(r"(?P<what>)\Z"), frozenset()
    ending = load_alternatives("words", "stop_words", language)
    pattern = (
        rf"^\W*(?:{load_pattern('questions', 'explained', language)})\s*(?P<what>{_NOUN})(?:\s+(?:{ending})\b.*)?\W*$"
    )
    return re.compile(pattern, re.I), load_word_set("words", "stop_words", language)


def fold_key(name: str, language: str) -> tuple[str, ...]:
    """``name`` as keys are compared: ``--dry-run`` and "the dry-run option" are one."""
    stems = _read_stems(name, language)
    return tuple(stem for stem in stems if stem not in _KINDS) or stems


def has_entry(text: str, key: tuple[str, ...], language: str) -> bool:
    """Whether ``text`` has a heading, or an entry of a list, that is called ``key`` (as ``fold_key`` gives it)."""
    names = (line.partition(": ")[0].partition("(")[0] for line in text.splitlines())
    return any(len(name) <= LONGEST_KEY and fold_key(name, language) == key for name in names if name.strip())


@dataclass(frozen=True, slots=True)
class AskedNames:
    """A question as the names of entries are looked for in it."""

    language: str
    stems: tuple[str, ...]
    """Of its words but those of grammar, in order."""
    written: frozenset[str]
    """Its words as they are written: ``-y``."""
    numbers: frozenset[str]
    """Those that stand behind what they number: 24 of "exit code 24"."""

    @property
    def options(self) -> tuple[str, ...]:
        """The long options that it writes: ``--dry-run`` of ``--dry-run=1``."""
        return tuple(sorted(word.partition("=")[0] for word in self.written if _LONG_OPTION.match(word)))


_LONG_OPTION = re.compile(r"--[a-z][\w-]+", re.I)
_NUMBERED = re.compile(rf"\b(?:{load_alternatives('question_signs', 'numbered')})\s+(?:no\.?\s*)?#?(-?\d+)\b", re.I)


@lru_cache(maxsize=100)
def read_asked_names(question: str, language: str) -> AskedNames:
    """What the names of entries are compared with."""
    written = frozenset(word.strip("?!,;:.\"'`()[]“”‘’") for word in question.split())
    return AskedNames(language, _read_stems(question, language), written, frozenset(_NUMBERED.findall(question)))


def find_named(name: str, asked: AskedNames) -> tuple[str, ...]:
    """The content terms of the longest form of ``name``, that of an entry, which ``asked`` names; empty where it names none."""
    named = (
        content_terms(form.written, asked.language)
        for form in _read_forms(name, asked.language)
        if form.is_named_by(asked)
    )
    return max(named, key=len, default=())


def has_option(name: str, asked: AskedNames) -> bool:
    """Whether ``name``, that of an entry, is or has an option that ``asked`` writes as it is written: it can mean nothing else."""
    return any(form.is_written_in(asked) for form in _read_forms(name, asked.language))


def name_entry(line: str) -> str:
    """The name that a line of a list gives to its entry: ``24`` of "- 24 - Partial transfer"; empty without one."""
    match = _ENTRY.match(line)
    return match["name"] if match else ""


_ENTRY = re.compile(
    rf"\s*(?:[-*+•◦▪‣·–—]\s+|\|\s*)?(?:\(?\d{{1,3}}[.)]\s+)?(?P<name>[^\s:|](?:[^\n:|]|:(?!\s)){{0,{LONGEST_KEY - 1}}}?)(?::$|(?::\s|\s+[-–—|]\s|\t|\s{{2,}})(?=\s*\S))"
)
_APART = re.compile(r"[,/|]|\bor\b")
_VALUE = re.compile(r"(?:[\[<(={\"]|(?<=\S)\s+[A-Z][A-Z_:]+\b).*$", re.DOTALL)
"""What stands behind a name for its values: ``--port PORT``, ``new-window [-t target]``."""
_LIKE_CODE = re.compile(r"[_\d]|\w[-.]\w|[a-z][A-Z]|^-|^[A-Z]{3,}$")
_VERSION = re.compile(r"(?<![\w.-])v?\d+(?:\.\w+)+(?![\w-])")
_LEAST_LONG = 2
"""Words of a long option by which it is known without its dashes."""


@dataclass(frozen=True, slots=True)
class _Form:
    written: str
    stems: tuple[str, ...]

    def is_named_by(self, asked: AskedNames) -> bool:
        """Whether the words of the form stand together in the question; an option, as it is written; a number, behind what it numbers."""
        if self.is_written_in(asked):
            return True
        if self.written.lstrip("-").isdigit():
            return self.written in asked.numbers
        if not self.stems or (self.written.startswith("-") and not self._is_known_bare(asked)):
            return False
        length = len(self.stems)
        return any(asked.stems[at : at + length] == self.stems for at in range(len(asked.stems) - length + 1))

    def is_written_in(self, asked: AskedNames) -> bool:
        """Whether the form is an option, with its dash, and stands in the question like that."""
        return self.written.startswith("-") and self.written in asked.written

    def _is_known_bare(self, asked: AskedNames) -> bool:
        is_long = self.written.startswith("--")
        return is_long and (len(self.stems) >= _LEAST_LONG or not _KINDS.isdisjoint(asked.stems))


@lru_cache(maxsize=20_000)
def _read_forms(name: str, language: str) -> tuple[_Form, ...]:
    """The ways in which the name of an entry names it: ``-v, --verbose=LEVEL`` has two."""
    forms: list[str] = []
    for part in _APART.split(name[:LONGEST_KEY].strip().rstrip(":")):
        bare = _VALUE.sub("", part).strip()
        first = bare.partition(" ")[0]
        forms += [bare, first] if _LIKE_CODE.search(first) else [bare]
        forms += _VERSION.findall(bare)
    return tuple(_Form(form, _read_stems(form, language)) for form in dict.fromkeys(forms) if form)


def _read_stems(text: str, language: str) -> tuple[str, ...]:
    return tuple(stem_word(word, language) for word in _WORDS.findall(fold_words(text)) if word not in STOP_WORDS)
