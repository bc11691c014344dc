"""Questions about the documents as a whole: their themes, what comes up most, an overview of all of them (KG-4).

No passage answers these, so they are recognised strictly: what is asked for must be themes or an overview, and what it is asked of must be
the documents as a whole. A question about one document, chapter or thing goes the ordinary way, and so does one about an unknown whole:
"the main themes of Hamlet" names a subject, not the collection.
"""

from __future__ import annotations

import re
from functools import cache

from ascertain.core.plans import Survey

READ = 400
"""Characters of a message that are read; a question about everything is short."""

_POLITE = r"(?:(?:please|so|ok|okay|hi|hello|hey|now|and|well)\b[\s,!:]*|(?:can|could|would|will)\s+you\s+(?:please\s+)?|i(?:['’]d|\s+would)\s+like\s+(?:you\s+)?(?:to\s+(?:know|see)\s+)?|i\s+(?:want|need)\s+(?:you\s+)?(?:to\s+(?:know|see)\s+)?|tell\s+me\s*[,:]?\s*|show\s+me\s+|do\s+you\s+know\s+)*"
_ALL = r"(?:(?:(?:all|any|each|every|most|many)\s+(?:of\s+)?)?(?:(?:the|these|those|this|that|my|our|your|its|their)\s+)?(?:(?:whole|entire|full|complete|given|available|stored|indexed|uploaded|ingested|added|different|various|whole\s+set\s+of|set\s+of|collection\s+of|body\s+of)\s+)*)"
_MANY = r"(?:documents|docs|files|texts|notes|articles|papers|episodes|podcasts|transcripts|interviews|reports|pages|publications|sources|materials|records|stories|posts|news\s+articles|news\s+items|podcast\s+episodes|research\s+papers|conversations|discussions|passages|books|emails|pdfs|writings|contents)"
_WHOLE = r"(?:corpus|corpora|knowledge\s*base|kb|collection|library|archive|data\s?set|data|document\s+(?:set|collection|base)|database|material|content|repository\s+of\s+documents|text\s+collection|news(?:\s+coverage)?|coverage)"
_COLLECTION = rf"(?:{_ALL}(?:{_MANY}|{_WHOLE})|(?:all\s+of\s+)?(?:this|these|them|it\s+all|all\s+of\s+it|everything)|here|there|what\s+(?:you|we|i)\s+have(?:\s+(?:here|got|stored|added))?|everything(?:\s+(?:you|we|i)\s+have|\s+(?:here|there\s+is))?)"
_OF = rf"(?:of|in|from|across|throughout|within|among|amongst|between|over|for|by|running\s+through|behind)\s+{_COLLECTION}"
_ADDED = r"(?:\s+(?:that\s+)?(?:(?:i|we|you)(?:['’]ve|\s+have)?\s+)?(?:added|uploaded|given|have|got|stored|indexed|ingested)(?:\s+(?:you|here|so\s+far))?)?"
_MAIN = r"(?:(?:main|major|key|central|core|principal|primary|biggest|largest|most|top|important|common|frequent|prominent|recurring|recurrent|dominant|overarching|general|broad|overall|big|leading|chief|essential|different|various|other|new|\d{1,2}|two|three|four|five|six|seven|ten)\s+|(?:most|more)\s+\w+\s+(?:\w+ed\s+)?)*"
_THEME = r"(?:themes|topics|subjects|subject\s+areas|subject\s+matters?|topic\s+areas|thematic\s+(?:areas|clusters)|(?:common|recurring|thematic)\s+(?:threads|strands))"
_THEMES = rf"{_THEME}(?:\s*(?:,|,?\s+(?:and|or)|/)\s*{_THEME})*"
_ONE_THEME = r"(?:theme|topic|subject(?:\s+matter)?|thrust|gist)"
_OFTEN = r"(?:come[s]?\s+up|occur[s]?|recur[s]?|appear[s]?|are\s+(?:mentioned|discussed|covered|addressed|talked\s+about|treated|dealt\s+with|touched\s+on|written\s+about|represented|included|there)|dominate[s]?|get\s+(?:covered|discussed|mentioned)|run[s]?\s+through|exist[s]?|emerge[s]?)"
_MOST = r"(?:\s+(?:the\s+)?(?:most|most\s+often|most\s+frequently|(?:more|most)\s+commonly|again\s+and\s+again|repeatedly|frequently|often|mostly|mainly|regularly|time\s+and\s+again))?"
_SAY = r"(?:talk\s+about|speak\s+(?:of|about)|cover|discuss|address|deal\s+with|treat|contain|include|touch\s+on|write\s+about)"
_SUMMARY = r"(?:(?:(?:short|brief|quick|high[- ]level|general|broad|concise|executive|rough|good|thematic|full|complete|overall|bird['’]s[- ]eye)\s+)*(?:overview|summary|synopsis|digest|outline|survey|picture|tl;?dr|impression|idea))"
_ABOUT = r"(?:\s+(?P<link>about|on|regarding|concerning|around|relating\s+to|related\s+to|with\s+(?:regard|respect)\s+to|in\s+terms\s+of)\s+(?P<focus>[^?.!;]{2,120}?))?"
_WHEN = r"(?:\s*,?\s*(?:(?:published|written|from|in|of|since|during|over|within|for)\s+)?(?:(?:the\s+)?(?:last|past|previous|this|today|yesterday|recent|latest|early|late|mid)[^?.!;]{0,40}|(?:january|february|march|april|may|june|july|august|september|october|november|december|q[1-4]|\d{4})[^?.!;]{0,30}))?"
_END = r"\s*,?\s*(?:overall|in\s+general|so\s+far|please|right\s+now|at\s+the\s+moment|as\s+a\s+whole|altogether)?\s*[?.!]*\s*$"

_WORDINGS = (
    # what are the main themes (of these documents) (about x)?
    rf"(?:what|which)(?:['’]re|\s+(?:are|were|might\s+be|would\s+be))\s+(?:(?:the|some|some\s+of\s+the|all\s+the)\s+)?{_MAIN}{_THEMES}(?:\s+(?:(?:that\s+)?{_OFTEN}|discussed|covered|addressed|mentioned|treated|present|represented|here){_MOST})?(?:\s+{_OF}{_ADDED})?",
    rf"what(?:['’]s|\s+(?:is|was))\s+the\s+{_MAIN}{_ONE_THEME}\s+{_OF}{_ADDED}",
    # which topics come up most (in the corpus)?
    rf"(?:what|which)\s+{_MAIN}{_THEMES}\s+{_OFTEN}{_MOST}(?:\s+{_OF}{_ADDED})?{_MOST}",
    rf"(?:what|which)\s+{_MAIN}{_THEMES}\s+(?:run\s+through|dominate|pervade|connect|unite|shape)\s+{_COLLECTION}{_ADDED}",
    rf"(?:what|which)\s+{_MAIN}{_THEMES}\s+(?:do|does|did)\s+{_COLLECTION}{_ADDED}\s+(?:\w+ly\s+)?{_SAY}{_MOST}",
    rf"(?:what|which)\s+{_MAIN}{_THEMES}\s+(?:are|were)\s+(?:there|{_COLLECTION}\s+about)(?:\s+{_OF}{_ADDED})?",
    rf"(?:what|which)\s+{_MAIN}{_THEMES}\s+(?:can|could|may|should)\s+(?:i|we|you|one)\s+(?:ask|find|read|learn|search)(?:\s+(?:you|about|on|out))*(?:\s+(?:{_OF}{_ADDED}|here))?",
    # what are these documents about?
    rf"what(?:['’]s|['’]re|\s+(?:is|are))\s+{_COLLECTION}{_ADDED}\s+(?:\w+ly\s+|all\s+)?about",
    rf"what\s+(?:do|does)\s+{_ALL}(?:{_MANY}|{_WHOLE}){_ADDED}\s+(?:\w+ly\s+)?{_SAY}{_MOST}",
    rf"what(?:['’]s|\s+is)\s+(?:all\s+)?(?:in|inside)\s+{_ALL}(?:{_MANY}|{_WHOLE})",
    # list / identify / summarise the themes
    rf"(?:list|name|identify|find|enumerate|extract|give(?:\s+me|\s+us)?|outline|describe|summari[sz]e|show(?:\s+me|\s+us)?|tell\s+me|explain)\s+(?:(?:the|some|all(?:\s+the)?)\s+)?{_MAIN}{_THEMES}(?:\s+(?:(?:that\s+)?{_OFTEN}|discussed|covered|addressed|mentioned){_MOST})?(?:\s+{_OF}{_ADDED})?",
    rf"(?:the\s+)?(?:main|major|key|central|recurring|dominant|overarching|most\s+common|most\s+important)\s+{_THEMES}(?:\s+{_OF}{_ADDED})?",
    # give an overview of the corpus
    rf"(?:(?:give|write|provide|make|create|prepare|get|show|offer|present|produce)(?:\s+(?:me|us))?\s+)?(?:an?\s+|the\s+)?{_SUMMARY}\s+{_OF}{_ADDED}",
    rf"(?:(?:give|write|provide|make|create|prepare|get|show|offer|present|produce)(?:\s+(?:me|us))?\s+)?(?:an?\s+|the\s+)?{_SUMMARY}\s+of\s+(?:(?:the|all|all\s+the)\s+)?{_MAIN}{_THEMES}(?:\s+{_OF}{_ADDED})?",
    rf"(?:(?:give|write|provide|make|show)(?:\s+(?:me|us))?\s+)?(?:an?\s+)?{_SUMMARY}\s+of\s+what\s+{_COLLECTION}{_ADDED}\s+(?:{_SAY}|say|hold|is\s+about|are\s+about)",
    # summarise the corpus
    rf"(?:summari[sz]e|sum\s+up|outline|characteri[sz]e|survey|describe|give\s+a\s+summary\s+of)\s+{_COLLECTION}{_ADDED}",
)
_SIGNS = re.compile(
    rf"{_THEME}|{_ONE_THEME}|{_SUMMARY}|{_MANY}|{_WHOLE}|about|summari[sz]e|sum\s+up|outline|characteri[sz]e|survey|describe",
    re.IGNORECASE,
)
"""One of these is in each of the wordings."""
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_NUMBER = re.compile(rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?:\w+\s+){{0,3}}{_THEME}", re.IGNORECASE)
_BARE = re.compile(
    r"^(?:summari[sz]e|sum\s+up|outline|describe|survey)\s+(?:this|these|them|here|there)\W*$", re.IGNORECASE
)
"""Means what was shown a moment ago, not everything."""


@cache
def _compile_question() -> re.Pattern[str]:
    """All wordings as one pattern; most questions have no sign of any and spare its 40 ms."""
    wordings = "|".join(f"(?:{wording})" for wording in _WORDINGS)
    return re.compile(rf"^[\W_]*{_POLITE}(?:{wordings}){_WHEN}{_ABOUT}{_WHEN}{_END}", re.IGNORECASE)


def global_question(question: str) -> Survey | None:
    """What a question about the documents as a whole asks; None for any other."""
    text = " ".join(question.split())
    if len(text) > READ or not _SIGNS.search(text) or _BARE.match(text):
        return None
    found = _compile_question().match(text)
    if found is None:
        return None
    number = _NUMBER.search(text[: found.start("focus")] if found["focus"] else text)
    most = (_NUMBERS.get(number[1].lower()) or int(number[1])) if number else 0
    return Survey((found["focus"] or "").strip(" ,\"'“”‘’"), most)
