"""Which names are taken for one thing, and that the order in which documents come does not matter."""

from __future__ import annotations

import pytest
from hand_made import a_pin
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.documents.blocks import Span
from ascertain.core.graph.nouns import AliasClaim
from ascertain.graph.resolution import Ground, normal_form, resolve_names

BANK, BOARD, ECB = "european central bank", "electric car board", "ecb"


def claim(alias, key, document="d1", reason="abbreviation"):
    return AliasClaim(alias, key, f"{document}:0", Span(0, 1), reason)


def resolved(keys, claims=(), pins=(), private=(), people=()):
    documents = {one.chunk_id: one.chunk_id.split(":")[0] for one in claims}
    return resolve_names(keys, claims, documents, pins, private=frozenset(private), people=frozenset(people))


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("j r r tolkien", "jrr tolkien"),
        ("the beatles", "beatles"),
        ("the", "the"),
        ("apple inc", "apple"),
        ("inc", "inc"),
        ("plan b", "plan b"),
        ("u2", "u2"),
    ],
)
def test_normal_forms(key, form):
    assert normal_form(key) == form
    assert normal_form(form) == form


def test_a_claim_merges_and_says_why():
    found = resolved([BANK, ECB], [claim(ECB, BANK)])
    assert found.leader[ECB] == BANK
    assert [(m.left, m.right, m.ground, m.reason) for m in found.merges] == [(ECB, BANK, Ground.CLAIM, "abbreviation")]


def test_forms_of_the_same_words_are_one():
    found = resolved(["j r r tolkien", "jrr tolkien"])
    assert len(set(found.leader.values())) == 1


def test_a_figure_stands_for_the_letters_left_out():
    found = resolved(["k8s", "kubernetes", "knots", "a16z", "andreessen horowitz", "h2o", "halo"])
    assert found.leader["k8s"] == "kubernetes"
    assert found.leader["a16z"] == "andreessen horowitz"
    assert found.leader["h2o"] == "h2o"
    assert resolved(["i18n", "internationalization"]).leader["i18n"] == "internationalization"
    two = resolved(["l10n", "localization", "legalisation", "liberalizaton"])
    assert two.leader["l10n"] == "l10n"


def test_a_short_form_of_two_things_is_each_in_its_own_document_and_neither_elsewhere():
    found = resolved([BANK, BOARD, ECB], [claim(ECB, BANK, "d1"), claim(ECB, BOARD, "d2")])
    assert found.leader[ECB] == ECB
    assert found.within == {("d1", ECB): BANK, ("d2", ECB): BOARD}
    assert {(m.right, m.document_id) for m in found.merges} == {(BANK, "d1"), (BOARD, "d2")}


def test_a_document_that_gives_two_meanings_itself_decides_nothing():
    found = resolved([BANK, BOARD, ECB], [claim(ECB, BANK), claim(ECB, BOARD)])
    assert found.leader[ECB] == ECB
    assert not found.within


@pytest.mark.parametrize("reason", ["last name", "first name"])
def test_parts_of_names_hold_within_their_document(reason):
    found = resolved(["william kahan", "kahan"], [claim("kahan", "william kahan", reason=reason)])
    assert found.leader["kahan"] == "kahan"
    assert found.within == {("d1", "kahan"): "william kahan"}


def test_what_was_fetched_for_a_conversation_merges_nothing_for_others():
    found = resolved([BANK, ECB], [claim(ECB, BANK, "web")], private=["web"])
    assert found.leader[ECB] == ECB
    assert found.within == {("web", ECB): BANK}


def test_a_pin_takes_a_merge_back():
    found = resolved([BANK, ECB], [claim(ECB, BANK)], [a_pin(ECB, BANK, same=False)])
    assert found.leader[ECB] != found.leader[BANK]
    assert [(m.left, m.right) for m in found.refused] == [(ECB, BANK)]
    assert not found.within


def test_a_pin_forbids_what_would_come_about_in_two_steps():
    claims = [claim(ECB, BANK), claim("the bank of europe", BANK, "d2")]
    found = resolved([BANK, ECB], claims, [a_pin(ECB, "the bank of europe", same=False)])
    assert found.leader[ECB] != found.leader["the bank of europe"]


def test_a_pin_merges_what_no_rule_would():
    found = resolved(["mark twain", "samuel clemens"], pins=[a_pin("Mark Twain", "Samuel Clemens", same=True)])
    assert found.leader["mark twain"] == found.leader["samuel clemens"]
    assert found.merges[0].ground is Ground.PIN


KEYS = st.sampled_from(["a b", "b c", "c d", "x", "y", "z", "the x", "a a b"])
CLAIMS = st.lists(
    st.builds(claim, KEYS, KEYS, st.sampled_from(["d1", "d2", "d3"]), st.sampled_from(["abbreviation", "last name"])),
    max_size=8,
)
PINS = st.lists(
    st.builds(a_pin, KEYS, KEYS, same=st.booleans()),
    max_size=3,
    unique_by=lambda p: {p.left, p.right} and (min(p.left, p.right), max(p.left, p.right)),
)


@given(CLAIMS, PINS, st.randoms())
def test_order_does_not_matter(claims, pins, chance):
    keys = ["x", "a b", "the x", "y"]
    first = resolved(keys, claims, pins, ["d3"])
    for shuffled in (keys, claims, pins):
        chance.shuffle(shuffled)
    again = resolved(keys, claims, pins, ["d3"])
    assert (first.leader, first.within, first.merges, first.refused) == (
        again.leader,
        again.within,
        again.merges,
        again.refused,
    )


@given(CLAIMS, PINS)
def test_what_is_pinned_apart_stays_apart(claims, pins):
    found = resolved([], claims, pins)
    for pin in pins:
        same = any(other.same and {other.left, other.right} == {pin.left, pin.right} for other in pins)
        if not pin.same and pin.left != pin.right and not same:
            assert found.leader[pin.left] != found.leader[pin.right]


@given(CLAIMS)
def test_every_leader_leads_itself(claims):
    leader = resolved(["x"], claims).leader
    assert all(leader[one] == one for one in leader.values())


def test_a_first_name_is_that_of_the_only_person_who_has_it():
    people = ["maya", "maya okonkwo", "greg"]
    found = resolved(people, people=people)
    assert (found.leader["maya"], found.leader["greg"]) == ("maya okonkwo", "greg")
    assert found.merges[0].reason == "the only person of this first name"


@pytest.mark.parametrize("other", ["maya angelou", "maya civilization"])
def test_what_else_begins_with_a_first_name_speaks_against_it(other):
    people = ["maya", "maya okonkwo", "maya angelou"]
    assert resolved(["maya", "maya okonkwo", other], people=people).leader["maya"] == "maya"


def test_two_forms_of_one_full_name_do_not_speak_against_a_first_name():
    people = ["maya", "maya okonkwo", "maya a okonkwo"]
    assert resolved(people, [claim("maya a okonkwo", "maya okonkwo")], people=people).leader["maya"] == "maya okonkwo"


def test_a_first_name_alone_stays_where_somebody_has_decided_so():
    people = ["maya", "maya okonkwo"]
    found = resolved(people, pins=[a_pin("maya", "maya okonkwo", same=False)], people=people)
    assert found.leader["maya"] == "maya"
