"""What kind of answer a question wants, by its words (QU-4).

The first rule that fits decides. Kinds of one material only (prices, news) are tried before the general ones, where a profile
names them.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ascertain.core.plans import QuestionType

READ = 1000
"""Characters of a question that are read."""

_SPECIAL: tuple[tuple[QuestionType, re.Pattern[str]], ...] = (
    (
        QuestionType.ANALYSIS,
        re.compile(
            r"\b(?:why|outlook|forecasts?|predict\w*|expect(?:ed|ations?)|sentiment|analys[ie]s|analy[sz]e|analysts?|impact|effects?|affect\w*|implications?"
            r"|trends?|bullish|bearish|support\s+level|resistance|risks?)\b",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.PRICE,
        re.compile(
            r"\b(?:prices?|priced|trading\s+at|trade[sd]?\s+(?:at|for)|worth|market\s+cap(?:itali[sz]ation)?|valuation|quote|all[-\s]time\s+(?:high|low)"
            r"|how\s+much\s+(?:is|are|was|were|does|did))\b|[$€£¥]\s?\d",
            re.IGNORECASE,
        ),
    ),
    (
        QuestionType.NEWS,
        re.compile(
            r"\b(?:news|latest|headlines?|happen(?:ed|ing|s)?|announce[ds]?|announcements?|updates?|developments?|today|yesterday|breaking|recent(?:ly)?"
            r"|this\s+(?:week|month|morning))\b",
            re.IGNORECASE,
        ),
    ),
)
_COMPARATIVE = re.compile(
    r"""\b(?:compar(?:e|ed|ing|ison|isons)|versus|vs\.?|differ(?:s|ed|ences?|ent\s+from)?|distinguish\w*|similarit(?:y|ies)|contrast(?:s|ed)?
        |(?:better|worse|more|less|larger|smaller|older|younger|faster|slower|higher|lower|cheaper|earlier|later|longer|shorter|bigger|\w{3,}er)\s+than
        |pros\s+and\s+cons|advantages?\s+(?:of|over)\s.{1,60}\bover)\b
      | \b(?:first|more|most|less|least|better|best|worse|worst|(?!under|over|other|number|member)\w{2,}(?:er|est))\b[^?]{0,120},[^?]{1,80}\bor\b
      | ,\s*(?-i:[A-Z])[^,?]{0,60}\bor\b\s+(?:the\s+)?(?-i:[A-Z])
      | \b(?:are|were|do|did)\s+both\b | \bboth\b.{1,80}\band\b.{1,80}\bthe\s+same\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PROCEDURAL = re.compile(
    r"""\bhow\s+(?:do|can|could|should|would|might|must)\s+(?:i|we|you|one|users?|developers?|they|people|someone)\b | \bhow\s+(?:best\s+)?to\s+\w
      | \b(?:what\s+(?:are|is)\s+the\s+|list\s+the\s+|the\s+)?(?:steps?|procedures?|instructions?|process)\s+(?:to|for|of|in|involved|needed|required)\b
      | \bwhat\s+(?:should|must|do)\s+(?:i|we|you)\s+(?:do|use|need|run|change|add)\b | \b(?:best|easiest|right)\s+way\s+to\b
      | ^\W*(?:please\s+)?(?:show\s+me\s+how|walk\s+me\s+through|guide\s+me|install|configure|set\s+up|create|enable|disable|upgrade|migrate)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CONCEPTUAL = re.compile(
    r"""\b(?:why|how\s+come)\b | \bhow\s+(?:does|do|did|is|are|was|were|has|have)\s+(?!(?:many|much|old|long|far|tall|often)\b)
      | ^\W*(?:please\s+)?(?:explain|describe|define|discuss|elaborate|tell\s+me\s+about)\b | \b(?:meaning|definition|concept|idea|principle|purpose|role|significance|rationale|intuition)\s+(?:of|behind)\b
      | \bwhat\s+(?:does|do|did)\b.{1,80}\bmean\b | \bwhat\s+is\s+meant\b
      | ^\W*what(?:['’]s|\s+is|\s+are)\s+(?:an?\s+)?(?!the\b|it\b|this\b|that\b|his\b|her\b|their\b|my\b)[^\s?]+(?:\s+[^\s?]+){0,2}\s*\?*\s*$
      | \b(?:relationship|connection|link|interplay)\s+between\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKING = re.compile(
    r"\?|^\W*(?:\w+\s+){0,3}?(?:who|whom|whose|what|which|when|where|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|name|list|give)\b",
    re.IGNORECASE,
)


def question_type(question: str, special: Collection[QuestionType]) -> QuestionType:
    """The kind of ``question``; ``special`` are kinds that the material has besides the general ones."""
    read = question[:READ]
    for kind, pattern in _SPECIAL:
        if kind in special and pattern.search(read):
            return kind
    if _COMPARATIVE.search(read):
        return QuestionType.COMPARATIVE
    if _PROCEDURAL.search(read):
        return QuestionType.PROCEDURAL
    if _CONCEPTUAL.search(read):
        return QuestionType.CONCEPTUAL
    if QuestionType.GENERAL in special and not _ASKING.search(read):
        return QuestionType.GENERAL
    return QuestionType.FACTUAL
