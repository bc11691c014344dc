from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.plans import Variant
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner
from ascertain.retrieval.query.expansion import RuleExpander

PROFILES = [load_profile("news")]


def expanded(question: str, strategy: Strategy = Strategy.HYBRID, *, expand: bool = True) -> tuple[Variant, ...]:
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    plan = replace(RulePlanner(PROFILES).plan(question, ENGLISH, run), expand=expand)
    return RuleExpander(PROFILES).expand(question, ENGLISH, plan, strategy, run)


@pytest.mark.parametrize("strategy", list(Strategy))
def test_three_wordings_each_another(strategy: Strategy) -> None:
    variants = expanded("Why did ETH crash?", strategy)
    assert [variant.kind for variant in variants] == ["technical", "simple", "aspect"]
    assert len({variant.text for variant in variants}) == 3


def test_none_where_the_plan_does_without() -> None:
    assert expanded("Why did ETH crash?", expand=False) == ()


def test_the_technical_wording_writes_abbreviations_out() -> None:
    assert "Ethereum" in expanded("Why did ETH crash?")[0].text


def test_everyday_words_become_technical_ones() -> None:
    text = expanded("how to fix slow login")[0].text
    assert "troubleshoot" in text
    assert "authentication" in text


def test_keyword_wordings_lead_with_what_must_be_found_exactly() -> None:
    assert expanded('error TB-4031 in "safe mode"', Strategy.KEYWORD)[0].text.startswith('"safe mode" TB-4031')


def test_semantic_wordings_do_without_codes() -> None:
    assert all("TB-4031" not in v.text for v in expanded("printer error TB-4031", Strategy.SEMANTIC))
    assert all("TB-4031" in v.text for v in expanded("printer error TB-4031", Strategy.HYBRID))


@given(
    question=st.one_of(st.text(max_size=200), st.sampled_from(["a" * 10_000, "it " * 3400, '"' * 10_000, "{}" * 5000])),
    strategy=st.sampled_from(list(Strategy)),
)
def test_no_wording_is_empty_or_the_question(question: str, strategy: Strategy) -> None:
    variants = expanded(question, strategy)
    assert variants == expanded(question, strategy)
    assert all(variant.text.strip() for variant in variants)
    texts = [" ".join(text.casefold().split()) for text in (question, *(v.text for v in variants))]
    assert len(set(texts)) == len(texts)
