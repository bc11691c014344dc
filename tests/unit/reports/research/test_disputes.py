"""Which sentences can deny each other."""

from __future__ import annotations

import pytest

from ascertain.reports.research.disputes import can_dispute

BRIDGE = "The Northgate bridge was opened in 1932."
FINE = "The regulator BaFin fined Krellion 41 million euros for failing to report 2,300 transfers."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (BRIDGE, "The Northgate bridge was opened in 1934, said the archivist."),
        ("The Northgate bridge was opened on 3 May 1932.", "The Northgate bridge was opened on 4 May 1932."),
        (FINE, "The exchange Krellion faces a fine of about 45 million euros by the regulator BaFin."),
        ("Krellion will appeal against the fine of 41 million euros.", "Krellion will not appeal against the fine."),
        ("Solana rose 5 percent on 3 May.", "Solana fell 5 percent on 3 May."),
        ("The court approved the fine of 41 million euros.", "The court rejected the fine of 41 million euros."),
        ("Experience is required.", "No experience is required."),
    ],
)
def test_figures_days_and_denials_of_one_thing_are_at_odds(one, other):
    assert can_dispute(one, other)
    assert can_dispute(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # another thing
        (
            "Bitcoin passed $100,000 early on 5 December 2024 and set a record just under $104,000.",
            "Ether rose to about $3,900 on 5 December 2024 as money spread from bitcoin into other coins.",
        ),
        # another day
        (
            "Bitcoin fell 2.0 percent to $90,735 on 15 June 2025.",
            "Bitcoin rose 2.9 percent to $93,151 on June 13, 2025.",
        ),
        # less said, or more
        (FINE, "BaFin fined Krellion 41 million euros on Friday."),
        ("BaFin fined Krellion 41 million euros on Friday.", FINE),
    ],
)
def test_another_thing_another_day_and_less_said_are_not_at_odds(one, other):
    assert not can_dispute(one, other)
