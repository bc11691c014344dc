"""English words that say nothing of what a text is about."""

from __future__ import annotations

STOP_WORDS = frozenset(
    "a about above after again against all also am an and any are aren't as at be because been before being below between"
    " both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else ever"
    " few for from further get gets got had hadn't has hasn't have haven't having he he's her here hers herself him himself"
    " his how i i'd i'll i'm i've if in into is isn't it it's its itself just let's like may me might more most must my myself"
    " no nor not of off on once one only onto or other ought our ours ourselves out over own please s same shall she she's"
    " should shouldn't so some such t tell than that that's the their theirs them themselves then there there's these they"
    " they're this those though through thus to too under until up upon us very was wasn't we we're were weren't what what's"
    " when where which while who who's whom whose why will with within without won't would wouldn't yet you you're your"
    " yours yourself yourselves".split()
)
