"""What people say around a question: greetings, thanks, apologies, and an assistant's "I do not know".

It names no subject, so it is neither looked up nor taken for one.
"""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_OPENING = re.compile(
    r"""\s*(?:
        (?:hi|hello|hey)(?:\s+(?:there|again|everyone|all))?
      | thanks?(?:\s+you)?(?:\s+(?:so|very)\s+much|\s+a\s+lot)? | many\ thanks
      | ok(?:ay)? | sure | yes | yeah | yep | no | nope | wow | oh | oops | right | great | good | perfect | cool | nice
      | (?:i\ am\ |i'm\ )?(?:so\ |very\ )?sorry | excuse\ me | i\ see | got\ it | interesting
      | wait(?:\s+(?:a\s+)?(?:second|minute|moment))? | by\ the\ (?:way|away) | btw | anyway | please
      | that(?:'s|\ is)\ (?:fine|ok|okay|all\ right|good|great|interesting)
    )\s*(?:[,.!;:…—-]+\s*|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_OPENINGS = 5
_NOTHING = re.compile(
    r"""\b(?:(?:do|does|did|could|can)\s*(?:not|n['’]t)|cannot|unable\ to)\s+(?:\w+\s+)?
        (?:have|know|find|include|contain|answer|provide|understand|mention|specify)
      | \b(?:apologi[sz]e|i['’]?\s?a?m\ sorry|sorry,)
      | \byou['’]?\s?a?re\ welcome\b | \b(?:happy|glad|here)\ to\ help\b | \bany\ (?:other|more|further|additional)\ questions?
      | \bmore\ (?:details|information)\b.{0,80}\?""",
    re.IGNORECASE | re.VERBOSE,
)
_BEGINNING = 200
"""Characters in which an assistant says that it has nothing to say."""


def without_small_talk(text: str) -> str:
    """``text`` without the greetings, thanks and interjections it opens with; all of it when nothing else is left."""
    rest = text.strip()
    for _ in range(_MOST_OPENINGS):
        match = _OPENING.match(rest)
        if match is None or match.end() == len(rest):
            break
        rest = rest[match.end() :]
    return rest if any(character.isalnum() for character in rest) else text.strip()


def says_nothing(text: str) -> bool:
    """Whether an assistant's turn only says that it does not know, or is polite."""
    return _NOTHING.search(text[:_BEGINNING]) is not None
