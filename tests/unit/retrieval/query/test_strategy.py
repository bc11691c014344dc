import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.plans import StrategyChoice
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.profiling import CorpusProfile
from ascertain.language.languages import ENGLISH
from ascertain.questions.planning import RulePlanner
from ascertain.retrieval.query.strategy import RuleStrategist


def chosen(question: str, corpus: CorpusProfile | None = None) -> StrategyChoice:
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    return RuleStrategist(corpus).choose(question, ENGLISH, RulePlanner([]).plan(question, ENGLISH, run), run)


@pytest.mark.parametrize(
    ("question", "strategy"),
    [
        ("TB-4031", Strategy.KEYWORD),
        ("max_tokens_to_sample", Strategy.KEYWORD),
        ("os.path.join()", Strategy.KEYWORD),
        ('"to be or not to be"', Strategy.KEYWORD),
        ("who are you", Strategy.SEMANTIC),
        ("What does error TB-4031 mean?", Strategy.HYBRID),
        ("What is GPT-4?", Strategy.HYBRID),
        ("COVID-19 vaccine 2021", Strategy.HYBRID),
        ("Who painted the ceiling of the Sistine Chapel?", Strategy.HYBRID),
        ('"Is the whole question in quotes?"', Strategy.HYBRID),
    ],
)
def test_one_leg_only_where_the_other_cannot_help(question: str, strategy: Strategy) -> None:
    assert chosen(question).strategy is strategy


def test_codes_tell_more_in_technical_documents() -> None:
    question = "What does error TB-4031 mean?"
    technical = CorpusProfile(documents=10, technical_density=0.9)
    assert chosen(question, technical).strategy is Strategy.KEYWORD
    assert chosen(question, CorpusProfile(documents=10, technical_density=0.1)).strategy is Strategy.HYBRID
    assert chosen(question, CorpusProfile()).strategy is Strategy.HYBRID


@given(
    st.one_of(
        st.text(max_size=200), st.sampled_from(["a.b" * 3333, "_" * 10_000, "a-1" * 3333, '"' * 10_000, "aB" * 5000])
    )
)
def test_any_text_gets_a_strategy_with_a_reason(question: str) -> None:
    choice = chosen(question)
    assert 0.0 <= choice.confidence <= 1.0
    assert choice.reason


@pytest.mark.parametrize(
    ("language", "reads_english_only", "strategy"),
    [
        ("de", True, Strategy.KEYWORD),
        ("de", False, Strategy.HYBRID),
        ("en", True, Strategy.HYBRID),
        ("zh", True, Strategy.HYBRID),
    ],
)
def test_words_come_first_where_the_embedding_model_does_not_read_the_language(
    language: str, reads_english_only: bool, strategy: Strategy
) -> None:
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    question = "Wie hoch ist der Zaun am Garten?"
    strategist = RuleStrategist(None, reads_english_only=reads_english_only)
    assert (
        strategist.choose(question, language, RulePlanner([]).plan(question, language, run), run).strategy is strategy
    )
