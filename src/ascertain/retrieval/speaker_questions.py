"""Questions for who said what, and when: "Who discussed WebAssembly and in which episodes?" (KG-2, podcasts).

Rules over English wordings. They read the form of a question only; whether somebody of that name speaks anywhere is seen when it is
looked up, and a question that comes to nothing there is answered as any other.
"""

from __future__ import annotations

import re

from ascertain.core.plans import Asks, Inquiry

LONGEST_SUBJECT = 8
"""Words; what is longer describes something instead of naming it, and is found by search."""
LONGEST_SPEAKER = 5

_SPOKE = (
    r"(?:discuss(?:ed|es|ing)?|talk(?:ed|s|ing)?\s+(?:about|of)|spoke\s+(?:about|of|on)|sp(?:eak|oken|eaks|eaking)\s+(?:about|of|on)"
    r"|mention(?:ed|s|ing)?|brought\s+up|br(?:ing|ings|inging)\s+up|touch(?:ed|es)?\s+(?:on|upon)|comment(?:ed|s)?\s+on|refer(?:red|s)?\s+to"
    r"|chat(?:ted|s)?\s+about|debate(?:d|s)?|(?:said|say|says|saying)\s+(?:anything|something|things?)\s+(?:about|on))"
)
_SPOKEN = (
    r"(?:discussed|talked\s+(?:about|of)|spoken\s+(?:about|of)|mentioned|brought\s+up|touched\s+(?:on|upon)|commented\s+on|referred\s+to|debated"
    r"|covered|explained|a\s+topic|the\s+topic)"
)
_SAID = r"(?:say|said|saying|think|thinks?|tell\s+us|told\s+us|claim(?:ed)?|argue[ds]?|explain(?:ed)?|recommend(?:ed)?|advise[ds]?|feel|felt|believe[ds]?)"
_EPISODE = r"(?:episode|podcast|show|interview|meeting|recording|conversation|session|talk|transcript|call)s?"
_DOCUMENT = r"(?:document|article|paper|page|file|note|report|source|stor(?:y|ie))s?"
_PEOPLE = r"(?:speaker|guest|host|people|person|participant|panelist|interviewee|interviewer|presenter)s?"
_APPEARS = r"(?:(?:appear|speak|talk|take\s+part|participate|feature)(?:ed|s)?|spoke(?:n)?|(?:a|the)\s+(?:guest|host|speaker)|on|present|interviewed)"
_AUX = r"(?:is|was|are|were|has|have|had|does|do|did|gets?|got)"
_BE = r"(?:is|was|are|were|has|have|gets?|got)(?:\s+been)?"
_TAIL = re.compile(
    rf"(?:[,;]?\s+and\s+|[,;]\s*)(?:(?:in|on|at|by|from)\s+)?(?:who(?:m)?|when|where|(?:which|what)\s+(?:{_EPISODE}|{_PEOPLE}|times?|minutes?|points?)"
    r"|how\s+(?:often|long)|what)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
"""A second half that asks for more of the same: "and in which episodes", "and by whom", "and when", "and what did they say"."""
_SETTING = re.compile(
    rf"\s+(?:(?:in|on|across|throughout|during)\s+(?:(?:the|these|those|this|that|all|any|my|our|your)\s+)*(?:(?:of\s+)?(?:the|these|my|our)\s+)?{_EPISODE}"
    r"|in\s+(?:the\s+)?(?:knowledge\s+base|corpus|library|archive)|so\s+far|at\s+all|ever|exactly|first)\s*$",
    re.IGNORECASE,
)
"""Where to look, which is no part of what is looked for."""
_POLITE = re.compile(
    r"^\W*(?:(?:please|ok|so|and|hey|hi|now)\b[\s,]*|(?:can|could|would)\s+you\s+(?:please\s+)?(?:tell|show|list|find|give)\s+(?:me|us)\s+"
    r"|(?:tell|show|give)\s+(?:me|us)\s+|list\s+|find\s+(?:me\s+)?|name\s+|i\s+(?:want|would\s+like)\s+to\s+know\s+|do\s+you\s+know\s+)+",
    re.IGNORECASE,
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_RULES: tuple[tuple[Asks, bool, re.Pattern[str]], ...] = tuple(
    (asks, spoken, _pattern(text))
    for asks, spoken, text in (
        (
            Asks.SPEAKERS,
            True,
            rf"who(?:\s+(?:all|else))?\s+(?:(?:has|have|had)\s+|(?:is|was)\s+(?=\w+ing\b))?(?:ever\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (
            Asks.SPEAKERS,
            True,
            rf"(?:which|what)\s+(?:of\s+the\s+)?{_PEOPLE}\s+(?:(?:has|have|had)\s+)?(?:ever\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (
            Asks.SPEAKERS,
            True,
            rf"(?:all\s+|the\s+)*{_PEOPLE}\s+(?:who|that)\s+(?:(?:has|have|had)\s+)?(?:ever\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (Asks.SPEAKERS, True, rf"by\s+whom\s+{_BE}\s+(?P<subject>.+?)\s+(?:ever\s+)?{_SPOKEN}"),
        (
            Asks.EPISODES,
            True,
            rf"(?:in|on|during)\s+(?:which|what)\s+{_EPISODE}\s+{_BE}\s+(?P<subject>.+?)\s+(?:ever\s+)?{_SPOKEN}",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:in|on|during)\s+(?:which|what)\s+{_EPISODE}\s+{_AUX}\s+(?P<speaker>.+?)\s+(?:ever\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:which|what|all|the)\s+(?:of\s+the\s+)?{_EPISODE}\s+(?:that\s+|which\s+)?(?:{_SPOKE}|cover(?:ed|s)?|deals?\s+with|dealt\s+with|(?:is|are|was|were)\s+about)\s+(?P<subject>.+)",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:all\s+|the\s+|every\s+)*{_EPISODE}\s+(?:where|in\s+which)\s+(?P<subject>.+?)\s+{_BE}\s+{_SPOKEN}",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:all\s+|the\s+|every\s+)*{_EPISODE}\s+(?:where|in\s+which)\s+(?P<speaker>.+?)\s+(?:ever\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:in|on)\s+(?:which|what)\s+{_EPISODE}\s+{_AUX}\s+(?P<speaker>.+?)\s+(?:{_APPEARS})",
        ),
        (
            Asks.EPISODES,
            True,
            rf"(?:which|what|all|the)\s+{_EPISODE}\s+(?:that\s+|which\s+)?(?:feature[ds]?|include[ds]?|are\s+with|were\s+with|with)\s+(?P<speaker>.+?)(?:\s+as\s+(?:a|the)\s+\w+)?",
        ),
        (
            Asks.EPISODES,
            False,
            rf"(?:in\s+)?(?:which|what)\s+{_DOCUMENT}\s+(?:{_BE}\s+(?P<subject>.+?)\s+(?:ever\s+)?{_SPOKEN})",
        ),
        (
            Asks.EPISODES,
            False,
            rf"(?:which|what)\s+{_DOCUMENT}\s+(?:mention(?:ed|s)?|discuss(?:ed|es)?|refer(?:red|s)?\s+to)\s+(?P<subject>.+)",
        ),
        (
            Asks.TIMES,
            True,
            rf"(?:when|where|at\s+(?:what|which)\s+(?:time|point|minute)s?)\s+(?:does|do|did|has|have)\s+(?P<speaker>.+?)\s+(?:ever\s+|first\s+)?{_SPOKE}\s+(?P<subject>.+)",
        ),
        (
            Asks.TIMES,
            True,
            rf"(?:when|where|at\s+(?:what|which)\s+(?:time|point|minute)s?)\s+{_BE}\s+(?P<subject>.+?)\s+(?:ever\s+|first\s+)?{_SPOKEN}",
        ),
        (
            Asks.WORDS,
            True,
            rf"what\s+(?:all\s+|else\s+)?(?:does|do|did|has|have)\s+(?P<speaker>.+?)\s+(?:have\s+to\s+)?{_SAID}\s+(?:about|on|of|regarding|concerning)\s+(?P<subject>.+)",
        ),
        (
            Asks.WORDS,
            True,
            rf"what\s+{_BE}\s+said\s+(?:about|on|of)\s+(?P<subject>.+?)\s+by\s+(?P<speaker>.+)",
        ),
        (
            Asks.WORDS,
            True,
            r"what(?:['’]s|\s+(?:is|was))\s+(?P<speaker>.+?)(?:['’]s?)\s+(?:opinion|view|take|position)\s+(?:of|on|about)\s+(?P<subject>.+)",
        ),
    )
)
_ANYBODY = re.compile(
    rf"(?:(?:the|all|any|our|various|different|other|some)\s+)*(?:(?:of\s+)?the\s+)?{_PEOPLE}|any(?:one|body)|every(?:one|body)|some(?:one|body)|they|we|you",
    re.IGNORECASE,
)
_NO_SPEAKER = re.compile(
    r"(?:the|an?|this|that|these|those|my|our|your|his|her|its|their|it|he|she|one|i|there|most|many|some|all|each|every|which|what|people)\b",
    re.IGNORECASE,
)
"""A description of somebody, or nobody: "the author of the paper", "it"."""
_NO_SUBJECT = re.compile(
    r"\W*(?:it|this|that|them|these|those|him|her|us|me|you|what|who|which|how|why|whether|something|anything|everything|nothing|each\s+other)?\W*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:who|whom|whose|which|that|when|where|why|how|what|whether|if|because|is|are|was|were|did|does|do|has|have|will|would|should|could|can)\b",
    re.IGNORECASE,
)
"""A word by which a subject is a clause that describes something; a name that holds one ("The Who") is given in quotation marks."""
_PREPOSITION = re.compile(r"(?:with|by|in|at|for|to|from|as|than|alongside)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”«»](.+)[\"“”«»]", re.DOTALL)
_EDGES = " \t\r\n.,;:!?"


def speaker_question(question: str) -> Inquiry | None:
    """What ``question`` asks of all that was said; None for any other question."""
    asked = _POLITE.sub("", " ".join(question.split()), count=1).strip(_EDGES)
    halved = _TAIL.sub("", asked)
    for asks, spoken, rule in _RULES:
        for wording in dict.fromkeys((halved, _SETTING.sub("", halved), asked)):
            match = rule.fullmatch(wording.strip(_EDGES))
            found = _inquiry(asks, spoken, match.groupdict()) if match else None
            if found is not None:
                return found
    return None


def _inquiry(asks: Asks, spoken: bool, parts: dict[str, str | None]) -> Inquiry | None:
    speaker = (parts.get("speaker") or "").strip(_EDGES)
    if _ANYBODY.fullmatch(speaker):
        speaker = ""
    elif speaker and (_NO_SPEAKER.match(speaker) or len(speaker.split()) > LONGEST_SPEAKER):
        return None
    if "subject" not in parts:
        return Inquiry(asks, "", speaker, spoken=spoken) if speaker and speaker[0].isalpha() else None
    subject = subject_of(parts["subject"] or "")
    return None if subject is None else Inquiry(asks, subject, speaker, spoken=spoken)


def subject_of(words: str) -> str | None:
    """What is looked for, without where to look for it; None when it names nothing by itself."""
    quoted = _QUOTED.fullmatch(words.strip(_EDGES))
    if quoted:
        return quoted[1].strip() or None
    subject = words.strip(_EDGES)
    while (shorter := _SETTING.sub("", subject).strip(_EDGES)) != subject:
        subject = shorter
    if _PREPOSITION.match(subject):
        return None
    if _NO_SUBJECT.fullmatch(subject) or _CLAUSE.search(subject) or len(subject.split()) > LONGEST_SUBJECT:
        return None
    return subject
