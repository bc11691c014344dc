"""Words of the good passages that the question lacks.

Pseudo-relevance feedback on words, as in RM3 (Abdul-Jaleel et al., TREC 2004): the best passages are taken for relevant, and a
word weighs by how much more of it they hold than the rest of the list does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ascertain.core.passages import Passage
from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, folded, stem

GOOD = 2
"""Passages taken for relevant: the first is right most often, the second often enough."""
MOST_WORDS = 3
SHORTEST = 4
"""Characters of a word that can tell a subject."""
READ = 2000
"""Characters of a passage."""


def telling_words(question: str, passages: Sequence[Passage], most: int = MOST_WORDS) -> tuple[str, ...]:
    """At most ``most`` words, the most telling first, as the passages spell them; none without passages."""
    asked = set(content_terms(question))
    good = [_words(passage) for passage in passages[:GOOD]]
    others = [_words(passage) for passage in passages[GOOD:]]
    spelling: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for words in good:
        for word in words:
            key = stem(folded(word))
            spelling.setdefault(key, word)
            counts[key] += 1
    # How many of the other passages hold a word too: what all hold tells nothing.
    shared = Counter(key for words in others for key in {stem(folded(word)) for word in words})
    weights = {
        key: count / (1 + shared[key]) for key, count in counts.items() if key not in asked and count > 1
    }
    best = sorted(weights, key=lambda key: (-weights[key], key))[:most]
    return tuple(spelling[key] for key in best)


def _words(passage: Passage) -> list[str]:
    return [
        word
        for word in WORD.findall(passage.chunk.indexed_text[:READ])
        if len(word) >= SHORTEST and folded(word) not in STOP_WORDS and not word.isdigit()
    ]
