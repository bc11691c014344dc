from datetime import date

import pytest

from ascertain.core.documents.blocks import Span
from ascertain.core.reports.analysis import Direction, Quote
from ascertain.reports.analysis.forecasts import find_forecast
from ascertain.reports.analysis.moves import Setting, find_moves

PUBLISHED = date(2025, 5, 11)


def moves_of(text: str) -> list[tuple[object, ...]]:
    setting = Setting("Solana", PUBLISHED, lambda name: {"BTC": "Bitcoin"}.get(name, name))
    quote = Quote("d", Span(0, len(text)), text)
    return [
        (m.subject, m.direction and m.direction.value, m.percent, m.level, m.unit, m.day)
        for m in find_moves(quote, setting)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Bitcoin fell 0.9 percent to $93,145 on 10 May 2025, after $94,000 the day before.",
            [("Bitcoin", "down", 0.9, 93145.0, "$", date(2025, 5, 10))],
        ),
        ("BTC slides below $90,000", [("Bitcoin", "down", None, 90000.0, "$", PUBLISHED)]),
        ("On 1 May 2025 Litecoin advanced by 4.9 percent.", [("Litecoin", "up", 4.9, None, "", date(2025, 5, 1))]),
        ("Solana's 12 percent rally surprised traders.", [("Solana", "up", 12.0, None, "", PUBLISHED)]),
        ("A drop of 5 % in Cardano followed.", [("Cardano", "down", 5.0, None, "", PUBLISHED)]),
        ("Shares of Larkspur Pay closed down 4.5 percent.", [("Larkspur Pay", "down", 4.5, None, "", PUBLISHED)]),
        ("It dropped 12 % to $140.", [("Solana", "down", 12.0, 140.0, "$", PUBLISHED)]),
        ("Polkadot has lost 40 percent since January.", [("Polkadot", "down", 40.0, None, "", None)]),
        # somebody or something moved it
        ("Tarn shares were driven down 6.1 percent to €40.", [("Tarn", "down", 6.1, 40.0, "€", PUBLISHED)]),
        ("Cardano was pulled up 2 percent.", [("Cardano", "up", 2.0, None, "", PUBLISHED)]),
        # the size stands first
        ("Litecoin closed 0.9 percent higher on Friday.", [("Litecoin", "up", 0.9, None, "", date(2025, 5, 9))]),
        ("Tarn's stock was knocked 3 percent lower.", [("Tarn", "down", 3.0, None, "", PUBLISHED)]),
        # behind a comma it is the sentence's own subject
        (
            "Avalanche changed hands at $21.50, up 1.4 percent on the day.",
            [("Avalanche", None, None, 21.5, "$", PUBLISHED), ("Avalanche", "up", 1.4, None, "", PUBLISHED)],
        ),
        ("The token made up for its losses, gaining 7 percent.", [("Solana", "up", 7.0, None, "", PUBLISHED)]),
        # what moves is what stands before its place, and a part of something is not that
        ("House prices in Larkford rose 1.8 percent.", [("house prices", "up", 1.8, None, "", PUBLISHED)]),
        ("The issue of new ether falls by 90 percent.", [("issue of new ether", "down", 90.0, None, "", PUBLISHED)]),
        (
            "The average rent for a flat in Larkford fell 2 percent.",
            [("average rent for a flat", "down", 2.0, None, "", PUBLISHED)],
        ),
        ("Staff turnover fell to 15 percent.", [("staff turnover", "down", None, 15.0, "%", PUBLISHED)]),
        ("Shares in Bank of America rose 3 percent.", [("America", "up", 3.0, None, "", PUBLISHED)]),
        ("Tarn fell back by 9 percent within four days.", [("Tarn", "down", 9.0, None, "", None)]),
        # what the company has is of whom the text is about
        ("The company's shares fell 2 percent.", [("Solana", "down", 2.0, None, "", PUBLISHED)]),
        # a figure of a quarter is of no day; units are told as they are written
        (
            "Revenue at Tarn rose 12 percent to 5 billion rupees in the quarter.",
            [("Revenue", "up", 12.0, 5e9, "rupees", None)],
        ),
        # of how long it is the lowest is no length of the move
        (
            "The price of BTC fell below $16,000, its lowest level in two years.",
            [("Bitcoin", "down", None, 16000.0, "$", PUBLISHED)],
        ),
        ("Cardano fell 9 percent, its biggest drop in three months.", [("Cardano", "down", 9.0, None, "", PUBLISHED)]),
        ("Bitcoin's dominance rose to 64.8 percent.", [("Bitcoin's dominance", "up", None, 64.8, "%", PUBLISHED)]),
    ],
)
def test_finds_what_moved_how_far_and_when(text: str, found: list[tuple[object, ...]]):
    assert moves_of(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Bitcoin could fall 10 percent to $80,000.",
        "Bitcoin did not rise 5 percent.",
        "Petra Lindholm holds 34 percent of the shares.",
        "A spokesperson declined to comment on the 5 percent.",
        "Solana added a button.",
        "The tower rises above the town.",
        "It was 3 percent, lower than the year before.",
        "Turnout was 40 percent, up north and down south.",
    ],
)
def test_invents_no_move(text: str):
    assert moves_of(text) == []


@pytest.mark.parametrize(
    ("text", "speaker", "is_named", "subject", "direction"),
    [
        (
            "Elena Brandt, chief analyst at Halden, expects Bitcoin to reach $140,000.",
            "Elena Brandt",
            True,
            "Bitcoin",
            "up",
        ),
        ("Ether will fall below $2,000, according to Samir Haddad.", "Samir Haddad", True, "Ether", "down"),
        ("“Solana could double by autumn,” said fund manager Maria Costa.", "Maria Costa", True, "Solana", "up"),
        (
            "Cardano slipped after the head of the Fed said that borrowing could become dearer and Ether might fall.",
            "the head of the Fed",
            True,
            "Ether",
            "down",
        ),
        (
            "Analyst Nils Brandt warned that the token could lose a third by June.",
            "Analyst Nils Brandt",
            True,
            "Solana",
            "down",
        ),
        ("Critics differ: Mara Sousa predicts it will fall to $90.", "Mara Sousa", True, "Solana", "down"),
        # what is to move is no more the coin than costs are
        ("Analysts at Halden said that volatility may rise soon.", "Analysts at Halden", True, "volatility", "up"),
        ("Interest rates will fall in autumn.", "Harbour Post", False, "interest rates", "down"),
        ("Jonas Wirth expects revenue to grow by June.", "Jonas Wirth", True, "revenue", "up"),
        ("The price could slide next year.", "Harbour Post", False, "Solana", "down"),
        ("It will fall below $90, Mara Sousa said.", "Mara Sousa", True, "Solana", "down"),
        ("Investor Tim Draycott repeats that solana will reach $250.", "Harbour Post", False, "solana", "up"),
        ("Cardano could slide next year.", "Harbour Post", False, "Cardano", "down"),
    ],
)
def test_tells_who_expects_what(text: str, speaker: str, is_named: bool, subject: str, direction: str):
    found = find_forecast(Quote("d", Span(0, len(text)), text), ("Solana",), "Harbour Post", lambda name: name)
    assert found is not None
    assert (found.speaker, found.is_named, found.subject) == (speaker, is_named, subject)
    assert found.direction is Direction(direction)


@pytest.mark.parametrize(
    "text",
    [
        "The fine was lower than expected.",
        "Nvidia beats forecasts with revenue of $44.1 billion.",
        "The commission will meet in October.",
        "Will Bitcoin rise next year?",
        "The number of coins will never exceed 21 million.",
        "Bitcoin rose 5 percent on 1 May.",
    ],
)
def test_takes_nothing_else_for_a_forecast(text: str):
    assert find_forecast(Quote("d", Span(0, len(text)), text), ("Solana",), "Harbour Post", lambda name: name) is None


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Pundit Alan Greave predicted that Rovers will miss the play-offs.", "Pundit Alan Greave"),
        ("The lawyer Nadia Ferrant expects a sale before the end of the season.", "The lawyer Nadia Ferrant"),
        ("Paul Atkins, who sees himself as a reformer, said nothing.", None),
    ],
)
def test_what_somebody_expects_needs_neither_a_direction_nor_a_figure(text: str, speaker: str | None):
    found = find_forecast(Quote("d", Span(0, len(text)), text), ("Rovers",), "Post", str)
    assert (found and found.speaker) == speaker
