import pytest

from ascertain.core.errors import did_you_mean

KEYS = [
    "home",
    "profile",
    "retrieval.top_k",
    "retrieval.fusion.dense_weight",
    *(f"store.option_{n}" for n in range(20)),
]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("retrieval.topk", "; did you mean retrieval.top_k?"),
        ("RETRIEVAL.TOP_K", "; did you mean retrieval.top_k?"),
        ("top_k", "; did you mean retrieval.top_k?"),
        ("fusion.dense_weight", "; did you mean retrieval.fusion.dense_weight?"),
        ("zzz", "; see ascertain config show for all of them"),
    ],
)
def test_names_the_nearest(name: str, expected: str):
    assert did_you_mean(name, KEYS) == expected


def test_lists_a_few_names_when_none_is_near():
    assert did_you_mean("zzz", ["docs", "news"]) == "; known are docs, news"
