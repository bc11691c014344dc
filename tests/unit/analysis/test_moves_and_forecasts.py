from datetime import date

import pytest

from ascertain.analysis.forecasts import find_forecast
from ascertain.analysis.moves import Setting, find_moves
from ascertain.core.analysis import Direction, Quote
from ascertain.core.documents import Span

PUBLISHED = date(2025, 5, 11)


def moves_of(text: str) -> list[tuple[object, ...]]:
    setting = Setting("Solana", PUBLISHED, lambda name: {"BTC": "Bitcoin"}.get(name, name))
    quote = Quote("d", Span(0, len(text)), text)
    return [(m.subject, m.direction.value, m.percent, m.level, m.unit, m.day) for m in find_moves(quote, setting)]


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
        ("Cardano could slide next year.", "Harbour Post", False, "Cardano", "down"),
    ],
)
def test_tells_who_expects_what(text: str, speaker: str, is_named: bool, subject: str, direction: str):
    found = find_forecast(Quote("d", Span(0, len(text)), text), "Solana", "Harbour Post", lambda name: name)
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
    assert find_forecast(Quote("d", Span(0, len(text)), text), "Solana", "Harbour Post", lambda name: name) is None
