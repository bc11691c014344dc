import random
import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from analysis_documents import MAPPER, NEWS, a_map, an_article
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.reports.analysis import Direction
from ascertain.reports.analysis.reducing import find_turns, reduce_maps
from ascertain.reports.analysis.subject import read_subject

ALL = read_subject("", "", [NEWS])


def test_shares_list_their_documents():
    maps = [
        a_map("Good news", "The upgrade was a great success and users are happy."),
        a_map("Bad news", "The crash was a disaster."),
    ]
    found = reduce_maps(maps, ALL, None)
    assert [(each.mood.value, each.share, len(each.documents)) for each in found.shares] == [
        ("positive", 0.5, 1),
        ("neutral", 0.0, 0),
        ("negative", 0.5, 1),
    ]
    assert sum(len(each.documents) for each in found.trend) == 2


def test_the_order_of_documents_changes_nothing():
    maps = [
        a_map(
            f"Report {n}",
            f"Bitcoin {'rose' if n % 2 else 'fell'} {n} % to ${90 + n},000.",
            f"Source {n % 3}",
            f"2025-05-{n:02d}",
        )
        for n in range(1, 15)
    ]
    shuffled = maps[:]
    random.Random(3).shuffle(shuffled)
    assert reduce_maps(maps, ALL, None) == reduce_maps(shuffled, ALL, None)


def test_ids_which_hang_on_where_a_folder_lies_change_nothing():
    told = [f"The upgrade number {n} of Bitcoin was a great success." for n in range(6)]
    articles = [an_article(f"Report {n}", text, f"Source {n}") for n, text in enumerate(told)]
    named = []
    for order in (range(6), reversed(range(6))):
        moved = [replace(article, id=f"<{place}>") for place, article in zip(order, articles, strict=True)]
        found = repr(reduce_maps([MAPPER.map_document(each) for each in moved], ALL, None))
        named.append(re.sub("<[0-9]>", lambda id_: next(d.title for d in moved if d.id == id_[0]), found))  # noqa: B023
    assert named[0] == named[1]


def test_finds_the_day_on_which_a_price_turned():
    start = date(2025, 5, 1)
    levels = [100, 110, 121, 133, 146, 130, 118, 105, 95]
    maps = [
        a_map(
            f"Day {n}",
            f"Litecoin {'rose' if n < 5 else 'fell'} to ${level}.",
            day=(start + timedelta(days=n)).isoformat(),
        )
        for n, level in enumerate(levels)
    ]
    found = reduce_maps(maps, ALL, None)
    assert [(each.what, each.first, each.before) for each in found.turning_points] == [
        ("Litecoin", date(2025, 5, 5), Direction.UP)
    ]
    (course,) = found.courses
    assert (course.first.level, course.highest.level, course.lowest.level, course.last.level) == (100, 146, 95, 95)


@given(st.lists(st.floats(-1, 1), max_size=40), st.floats(0.05, 1))
def test_turns_change_direction_each_time(values: list[float], least: float):
    turns = find_turns(values, least)
    assert all(one[1] is not other[1] for one, other in pairwise(turns))
    assert all(one[0] < other[0] for one, other in pairwise(turns))


@pytest.mark.parametrize(
    ("focus", "expanded", "title", "text", "is_on"),
    [
        ("crypto", "cryptocurrency", "Bitcoin rises", "It was a good day.", True),
        ("crypto", "cryptocurrency", "US inflation slows", "Stocks and bitcoin rose after the figures.", False),
        ("crypto", "cryptocurrency", "How to prune a tree", "Cut in winter.", False),
        ("solana", "Solana", "A network halts", "Solana stopped for five hours.", True),
        (
            "xyz123 quantum chain",
            "xyz123 quantum chain",
            "A chain of quantum shops",
            "The quantum chain opens in Porto.",
            False,
        ),
        ("", "", "Anything", "Whatever it says.", True),
    ],
)
def test_a_document_is_on_a_subject_that_it_speaks_of(focus: str, expanded: str, title: str, text: str, is_on: bool):
    assert read_subject(focus, expanded, [NEWS]).names_document(a_map(title, text)) is is_on


def test_the_mood_is_that_of_the_sentences_on_the_subject():
    both = a_map("The week", "Solana is a wonderful success. Cardano is a terrible failure and a disaster.")
    solana = reduce_maps([both], read_subject("Solana", "Solana", [NEWS]), None)
    cardano = reduce_maps([both], read_subject("Cardano", "Cardano", [NEWS]), None)
    assert solana.trend[0].mood > both.mood > cardano.trend[0].mood


@pytest.mark.parametrize(("title", "count"), [("Veridon after the storm", 1), ("A week of storms", 0)])
def test_what_a_company_earns_concerns_it_where_the_document_is_about_it(title: str, count: int):
    maps = [a_map(title, "Veridon is calm. Jonas Wirth expects revenue to grow by June.")]
    found = reduce_maps(maps, read_subject("Veridon", "Veridon", [NEWS]), None)
    assert [each.subject for each in found.forecasts] == ["revenue"] * count
