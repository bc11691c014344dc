"""Scripts that are written without spaces between words, and Korean, which glues particles to its words.

What the lexical index takes for a word there, a pair of neighbouring characters, is what evidence, confidence and refusals count
too: where a word ends nothing says, but every word of two characters and more leaves its pairs in whatever text holds it.
"""

import re
from collections.abc import Iterator

from ascertain.language.word_lists import load_words

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
"""Thai, Lao, Burmese, Khmer, kana, Han and Hangul, as the inside of a character class."""
UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_HANGUL = "\uac00-\ud7af"


def pair_characters(run: str) -> Iterator[str]:
    """The units of a run of an unspaced script: each pair of neighbours, or the one character that there is."""
    if len(run) < 2:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]


def split_units(word: str) -> Iterator[str]:
    """``word`` itself; where characters of an unspaced script stand in it, their pairs and what stands between them."""
    if word.isascii() or not (runs := list(UNSPACED_RUN.finditer(word))):
        yield word
        return
    end = 0
    for run in runs:
        if end < run.start():
            yield word[end : run.start()]
        yield from pair_characters(run.group())
        end = run.end()
    if end < len(word):
        yield word[end:]


_MEAN_LENGTH = 2
"""Characters of a word, by judgement: most words of modern Chinese have two."""


def estimate_words(text: str) -> int:
    """Words between spaces; what is written without spaces counts one for each two characters."""
    words = len(text.split())
    if text.isascii():
        return words
    unspaced = sum(len(run) for run in UNSPACED_RUN.findall(text))
    return words if not unspaced else len(UNSPACED_RUN.sub(" ", text).split()) + -(-unspaced // _MEAN_LENGTH)


def load_grammar(language: str) -> tuple[str, ...]:
    """Words of grammar and asking of ``language``: ``zh``, ``ja``, ``ko`` or ``th``."""
    return load_words("unspaced", language, "mul")


GRAMMATICAL = ("zh", "ja", "ko", "th")


def _build_grammar() -> str:
    """One of the words of grammar; those of Korean only where they end a word."""
    free = sorted({word for code in ("zh", "ja", "th") for word in load_grammar(code)}, key=len, reverse=True)
    closing = sorted(load_grammar("ko"), key=len, reverse=True)
    return rf"(?:{'|'.join(free)}|(?:{'|'.join(closing)})(?![{_HANGUL}]))"


_GRAMMAR = _build_grammar()
_SPACED = rf"(?:[A-Za-z0-9]++|[^\W_{UNSPACED}])++"
WORD_PATTERN = rf"(?=[^\W_])(?:{_SPACED}(?:['’]{_SPACED})*|{_GRAMMAR}|(?:(?!{_GRAMMAR})[{UNSPACED}])+)"
"""A word: letters and digits between spaces and marks; of an unspaced script what stands between two words of grammar, or one of those.

Looks ahead first, and for ASCII first, since most text is that: one and a half times as long as without other scripts, not six times.
"""
