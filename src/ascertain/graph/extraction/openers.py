"""Words whose capital says nothing: what English sentences open with, and dates."""

from __future__ import annotations

CALENDAR = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep"
    " sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun bc bce ad ce am pm"
    " utc gmt est pst st nd rd th of and".split()
)
"""Words of dates; a name has others besides."""

MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
OPENERS = frozenset(
    "according actually additional additionally afterwards all almost along already also although among amongst and another any"
    " anyone anything apart approximately around aside away back based beautiful before behind below beneath beside besides better"
    " beyond big both brief briefly broadly but by call certain check clear click common compare compared complete congratulations"
    " consequently consider contact content copy correct create current despite different directly during each early easy either"
    " ensure enter especially essentially even eventually every everyone everything evidence exactly example examples except"
    " fewer final find first five follow following follows for former formerly four free full fully further furthermore future"
    " general generally get give given go good great greater had half hence here high higher how however ideally if important in"
    " include included includes indeed initial initially inside instead is it its just keep key large larger largest last late later"
    " latest learn least less let like likewise local long longer look low lower main major make many maybe meanwhile members mine"
    " modern more moreover most much multiple native natural near nearly neither never nevertheless new newer next nine no nobody"
    " none nonetheless nor not note nothing notice now number numerous obviously often oh ok okay old older once one ones only open"
    " opposite original originally other others otherwise our outside over overall own part parts people per perhaps please plus"
    " popular possible post pre previous previously prior put quite rather read recent recently regardless remember"
    " requires respectively right run same save second see seen select set seven several shall she should show similar similarly"
    " simple simply since six small smaller so some someone something sometimes soon sorry start still such sure take ten than"
    " thank thanks that the their then there thereafter therefore these they thing things think third this those though three"
    " through throughout thus to today together tomorrow too toward towards traditional try two typical typically under unfortunately"
    " unless unlike until up upon use used useful using usually various versus very via was we well were what whatever when whenever"
    " where whereas wherever whether which whichever while who whoever whole whom whose why wide will with within without would"
    " yeah yes yesterday yet you young your zero absolutely again ago alright anyway as at be because become began being born built"
    " can could did do does done due eight else few from has have having he her him his i into may might must my of off on or"
    " us until hi hello hey right wow exactly interesting cool nice true false yep nope hmm um uh basically awesome listen total hang phew gosh great sweet absolutely totally literally".split()
)
"""Common first words of sentences that are no names; lower case. Chosen by reading documentation, news, Wikipedia and transcripts."""

SECTIONS = frozenset(
    "abstract acknowledgements acknowledgments appendix background bibliography conclusion conclusions contents discussion evaluation"
    " experiments figure introduction methods method note overview references related results section summary table warning tip".split()
)
"""Headings of parts of any text."""
