"""Claims: the smallest parts of a sentence that can be true or false by themselves.

Clauses are cut off only where what is left still says something whole: at semicolons, at ``and``/``but`` before a new
subject and verb, and at ``, which`` before a verb. Anything in doubt stays in one piece: half a statement is
checked worse than a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascertain.core.spans import Span
from ascertain.language.sentences import split_sentences

SHORTEST = 3
"""Words that a part must have on either side of a cut; with fewer it is no statement."""

_VERB = (
    r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|shall|should|may|might|must|became|becomes|remained"
    r"|remains|began|begins|made|makes|took|takes|gave|gives|said|says|won|wins|lost|loses|left|leaves|went|goes|came|comes"
    r"|grew|grows|fell|falls|rose|rises|led|leads|held|holds|\w+ed)"
)
_SUBJECT = (
    r"(?:it|he|she|they|we|you|I|there|this|that|these|those|(?:the|a|an|its|his|her|their|our|some|many|most|all|both|no)"
    r"(?:\s+[\w'’-]+){1,4}?|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){0,3})"
)
_CUTS = (
    re.compile(r";\s+(?:and\s+|but\s+)?"),
    re.compile(rf",?\s+(?:and|but|while|whereas)\s+(?={_SUBJECT}\s+(?:\w+ly\s+)?{_VERB}\b)"),
    re.compile(rf",\s+(?=which\s+(?:\w+ly\s+)?{_VERB}\b)"),
)
_RELATIVE = re.compile(r"which\s+")
_NAMED = re.compile(
    r"(?:\b(?:the|a|an|its|his|her|their|our|this|that)(?:\s+[\w'’-]+){1,3}|[A-Z][\w'’.-]*(?:\s+[A-Z][\w'’.-]*){0,3})$"
)
"""What a relative clause is about: the noun with its article, or the name, right before the comma."""
_MARKER = re.compile(r"(?:\s?\[\d+(?:\s?,\s?\d+)*\])+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Claim:
    """``span`` is where it stands in the sentence it was cut from.

    ``text`` is what it says by itself: without citation marks, and with what it is about in place of ``which``.
    """

    text: str
    span: Span


def split_claims(sentence: str) -> list[Claim]:
    """The claims of ``sentence`` in order. Their spans do not overlap and hold every word but the joints cut out."""
    claims: list[Claim] = []
    for whole in split_sentences(sentence):
        claims.extend(_claim(sentence, part) for part in _parts(sentence, whole))
    return [claim for claim in claims if _WORD.search(claim.text)]


def plain_text(sentence: str) -> str:
    """``sentence`` without the marks of its citations, white space folded."""
    return " ".join(_MARKER.sub("", sentence).split())


def _claim(sentence: str, part: Span) -> Claim:
    text = plain_text(part.of(sentence))
    relative = _RELATIVE.match(text)
    named = _NAMED.search(sentence[: part.start].rstrip(", ")) if relative else None
    return Claim(f"{named.group()} {text[relative.end() :]}" if relative and named else text, part)


def _parts(text: str, whole: Span) -> Iterator[Span]:
    start = whole.start
    for end, following in sorted(_joints(text, whole)):
        if end < start or not _stands_alone(text, Span(start, end)):
            continue
        if _stands_alone(text, Span(following, whole.end)):
            yield Span(start, end)
            start = following
    yield Span(start, whole.end)


def _joints(text: str, whole: Span) -> Iterator[tuple[int, int]]:
    for cut in _CUTS:
        for match in cut.finditer(text, whole.start, whole.end):
            if not _RELATIVE.match(text, match.end()) or _NAMED.search(text[whole.start : match.start()]):
                yield match.span()


def _stands_alone(text: str, part: Span) -> bool:
    """Enough words, and no bracket or quotation left open."""
    words = part.of(text)
    if len(_WORD.findall(words)) < SHORTEST or words.count('"') % 2:
        return False
    return all(
        words.count(opener) == words.count(closer) for opener, closer in (("(", ")"), ("[", "]"), ("“", "”"))
    )
