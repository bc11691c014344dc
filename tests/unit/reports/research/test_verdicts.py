"""Claims against one sentence or row: what bears them out, and what is at odds with them by name."""

from __future__ import annotations

from datetime import date

import pytest

from ascertain.models.ports import Support
from ascertain.reports.research.verdicts.conflicts import list_conflicts
from ascertain.reports.research.verdicts.judging import Piece, compare_piece, rate_support, settle_claim
from ascertain.reports.research.verdicts.quantities import Outcome, compare_quantities
from ascertain.reports.research.verdicts.rows import Row
from ascertain.reports.research.verdicts.wording import read_wording

SURE = (Support(0.9, 0.05), Support(0.9, 0.05))
BRIDGE = "The contractor Halvers repaired 14 of the arches for 3 million euros and now maintains 22."


def compare(claim: str, sentence: str, **around):
    return compare_piece(read_wording(claim), Piece(sentence, **around))


@pytest.mark.parametrize(
    ("claim", "sentence", "outcome"),
    [
        ("At least 250 guests came.", "About the door: 300 guests came.", Outcome.HELD),
        ("More than 300 guests came.", "On Sunday 300 guests came.", Outcome.AT_ODDS),
        ("Fewer than 200 guests came.", "On Sunday 300 guests came.", Outcome.AT_ODDS),
        ("Nearly 40,000 copies were sold.", "The house sold 39,212 copies.", Outcome.HELD),
        ("Nearly 40,000 copies were sold.", "The house sold 21,212 copies.", Outcome.AT_ODDS),
        ("Less than half of the members voted.", "In all 71 percent of the members voted.", Outcome.AT_ODDS),
        ("The fee rises by at least 2 percent.", "The fee rises by no more than 2 percent.", Outcome.AT_ODDS),
        ("The fee rises by no more than 2 percent.", "The fee rises by no more than 2 percent.", Outcome.HELD),
        ("Halvers maintains more than 20 arches.", BRIDGE, Outcome.HELD),
        ("Halvers maintains fewer than 20 arches.", BRIDGE, Outcome.AT_ODDS),
        ("The outage lasted more than four hours.", "The outage lasted four hours and ten minutes.", Outcome.HELD),
        ("The fund has 12 patents.", "The fund has 300 employees.", Outcome.MISSING),
    ],
)
def test_figures_are_compared_with_what_is_said_of_them(claim, sentence, outcome):
    (found,) = compare_quantities(read_wording(claim), read_wording(sentence), ())
    assert found.outcome is outcome


@pytest.mark.parametrize(
    ("claim", "sentence", "kind"),
    [
        ("The council raised the water fee.", "The council lowered the water fee on Monday.", "opposite"),
        (
            "The harbour keeps the last ticket of each day.",
            "The harbour keeps the first ticket of each day.",
            "opposite",
        ),
        ("Opened bottles can be returned.", "Opened bottles cannot be returned.", "denial"),
        ("The hall may be let without consent.", "Letting the hall needs written consent.", "denial"),
        ("Members paid the fine.", "The court set a fine, which the members refused to pay.", "denial"),
        ("Sale books can be refunded but not exchanged.", "Sale books can be exchanged but not refunded.", "denial"),
        ("All of the stock was timber.", "Timber makes up 71 percent and glass 9 percent of the stock.", "part"),
        ("The town has already taxed boats.", "The town plans to tax boats.", "plan"),
        ("Guests must bring their own towels.", "Guests need not bring their own towels.", "duty"),
        ("Norrvik sued the insurer Calder.", "The insurer Calder sued Norrvik over the fire.", "exchange"),
        ("Norrvik was sued by Calder.", "Norrvik sued the insurer Calder over the fire.", "exchange"),
        (
            "Nets are a special case of traps.",
            "The traps of the lake, which are a special case of nets, were sold.",
            "exchange",
        ),
        ("The crew shrinks from nine to seven.", "They are enlarging the crew from seven to nine.", "reversal"),
        ("The rent rose in May.", "In May the rent stayed at 800 euros.", "standing"),
        ("Ada Holm designed the lighthouse.", "Per Lund designed the lighthouse in 1901.", "name"),
        ("The ferry sank on 5 July 2019.", "The ferry sank on 5 June off the island.", "day"),
    ],
)
def test_what_is_at_odds_is_named(claim, sentence, kind):
    conflict = compare(claim, sentence, published=date(2019, 6, 6)).conflict
    assert conflict is not None, "nothing was found"
    kinds = {each.kind for each in list_conflicts(read_wording(claim), read_wording(sentence), ())} | {conflict.kind}
    assert kind in kinds


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The line produced no cars for a week.", "The line stopped producing cars for a week."),
        ("Theft from the hall is covered.", "Theft from the yard is not covered, theft from the hall is."),
        ("Members did not pay the fine.", "The court set a fine, which the members refused to pay."),
        ("Calder was sued by Norrvik.", "Norrvik sued the insurer Calder over the fire."),
        ("The oldest ticket is never dropped.", "The oldest ticket is always kept."),
        (
            "Cleaning runs on its own every Sunday.",
            "They are removed by the cleaning, which runs by itself every Sunday.",
        ),
        (
            "Cleaning lets version 2 no longer open the box.",
            "Version 3 reads boxes of version 2; version 3 cleans the box, after which version 2 cannot open it.",
        ),
        ("Not all bottles can be returned.", "Unopened bottles can be returned."),
        ("On Monday the council cut the fee.", "The council cut the fee on Monday."),
        ("A new lamp costs 86 euros.", "A new lamp costs 86 euros, a new mast 4,300."),
    ],
)
def test_what_says_the_same_otherwise_is_not_at_odds(claim, sentence):
    assert compare(claim, sentence).conflict is None


@pytest.mark.parametrize(
    ("claim", "sentence", "doubt"),
    [
        ("The council bought the mill.", "The council visited the mill.", "does not say “bought”"),
        ("Every guest got a towel.", "A guest got a towel.", "does not say “every”"),
        (
            "Clerks open the safe.",
            "A clerk keeps the books, a warden opens the safe.",
            "says it of “warden”, not of “Clerks”",
        ),
        ("Guests must bring towels.", "Guests bring towels.", "does not say “must”"),
        ("The mill closed in March 2031.", "The mill closed.", "does not say “March”"),
        ("Guests came in 14 boats.", "Guests came in boats.", "does not say “14”"),
    ],
)
def test_what_a_sentence_does_not_say_is_no_support(claim, sentence, doubt):
    judgement = compare(claim, sentence)
    assert judgement.doubt == doubt
    assert rate_support(judgement, SURE) == 0.0


def test_a_claim_without_a_word_of_meaning_is_not_supported():
    assert rate_support(compare("At least £ 5", "The fee is £ 5."), SURE) == 0.0


def test_a_sentence_is_never_at_odds_with_itself():
    text = "If the clerk knows nothing, she asks the warden, who says: I do not know."
    judgement = compare(text, text)
    assert judgement.conflict is None
    assert rate_support(judgement, SURE) > 0.5


def test_the_year_of_a_claim_may_stand_in_the_date_of_the_document():
    judgement = compare("The ferry sank on 5 June 2019.", "The ferry sank on 5 June.", published=date(2019, 6, 6))
    assert judgement.conflict is None
    assert rate_support(judgement, SURE) > 0.5


def test_a_claim_that_the_reader_is_plainly_against_is_not_supported():
    judgement = compare("The council cut the fee.", "The council cut the fee on Monday.")
    assert rate_support(judgement, SURE) > 0.5
    assert rate_support(judgement, (Support(0.05, 0.9), Support(0.05, 0.9))) == 0.0


def test_without_a_reader_only_what_has_every_word_is_support():
    assert rate_support(compare("The council cut the fee.", "The council cut the fee on Monday."), ()) > 0.0
    part = compare("The council cut the fee.", "It cut the fee.", context=("Minutes",), near="The council met.")
    assert rate_support(part, ()) == 0.0


def test_the_reader_is_shown_the_figure_in_the_place_of_the_bound_that_holds_it():
    claim = read_wording("Nearly 40,000 copies were sold.")
    held = compare_quantities(claim, read_wording("The house sold 39,212 copies."), ())
    assert settle_claim(claim, held) == "39,212 copies were sold."


PRICES = ("Place", "Days", "Cost", "Free from")
BUDGET = ("Item", "Q1", "Q2", "Year")


@pytest.mark.parametrize(
    ("claim", "names", "cells", "outcome"),
    [
        ("Delivery to Norway costs 19 euros.", PRICES, ("Norway", "5-7", "19.00 €", "never"), Outcome.HELD),
        ("Delivery to Norway costs 9.50 euros.", PRICES, ("Norway", "5-7", "19.00 €", "never"), Outcome.AT_ODDS),
        ("Delivery to Malta is free from 120 euros on.", PRICES, ("Malta, Italy", "3", "7 €", "120 €"), Outcome.HELD),
        ("Delivery to Norway costs 19 euros.", PRICES, ("Iceland", "5-7", "19.00 €", "never"), Outcome.MISSING),
        ("Paint cost 31 thousand euros in the second quarter.", BUDGET, ("Paint", "12", "31", "65"), Outcome.HELD),
        ("Paint cost 12 thousand euros in the second quarter.", BUDGET, ("Paint", "12", "31", "65"), Outcome.AT_ODDS),
        ("Ole works no nights.", ("Name", "Rate", "Nights"), ("Ole", "21.5", "yes"), Outcome.AT_ODDS),
        ("Ole works nights.", ("Name", "Rate", "Nights"), ("Ole", "21.5", "yes"), Outcome.HELD),
    ],
)
def test_a_row_is_compared_by_the_cell_that_the_claim_speaks_of(claim, names, cells, outcome):
    judgement = compare(claim, " | ".join(cells), context=("Budget in thousand euros",), row=Row(names, cells))
    assert judgement.row is not None
    assert judgement.row.outcome is outcome
    assert (judgement.conflict is not None) == (outcome is Outcome.AT_ODDS)
