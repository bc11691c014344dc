"""Which tier of chat models is worth having."""

from pathlib import Path

import pytest

from ascertain.evaluation.experiments.tiers import TierResult, mark_worth


def make_tier(tier, quality, dollars, seconds):
    return TierResult(
        tier=tier,
        models={},
        questions=10,
        main="answer_in_text",
        figures={"answer_in_text": (quality, (quality, quality))},
        dollars=dollars,
        calls=1,
        tokens=100,
        seconds=seconds,
        seconds_p95=seconds,
        chance=None,
        run=Path("run.json"),
    )


@pytest.mark.parametrize(
    ("tiers", "worth"),
    [
        ({"offline": (0.8, 0, 0.1), "premium": (0.8, 2, 0.3)}, ["offline"]),
        ({"offline": (0.8, 0, 0.3), "premium": (0.8, 2, 0.1)}, ["offline", "premium"]),
        ({"offline": (0.7, 0, 0.1), "premium": (0.9, 2, 0.3)}, ["offline", "premium"]),
        ({"offline": (0.9, 0, 0.1), "budget": (0.8, 1, 0.2), "premium": (0.9, 2, 0.3)}, ["offline"]),
        ({"budget": (0.8, 1, 0.2), "premium": (0.8, 1, 0.2)}, ["budget", "premium"]),
    ],
    ids=["dearer and slower", "dearer and quicker", "dearer and better", "beaten twice", "alike"],
)
def test_a_tier_is_worth_having_when_none_is_as_good_as_cheap_and_as_quick(tiers, worth):
    marked = mark_worth([make_tier(name, *figures) for name, figures in tiers.items()])
    assert [tier.tier for tier in marked if tier.is_worth_having] == worth
