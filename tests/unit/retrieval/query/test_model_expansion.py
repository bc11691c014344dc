import pytest

from ascertain.core.asking.passages import Strategy
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, Variant
from ascertain.core.errors import ModelError
from ascertain.core.settings import RetrievalSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.query.expansion import STRATEGY_GUIDANCE, ModelExpander

QUESTION = "Why does the server drop connections?"
WORDINGS = {
    "technical": "server TCP connection reset causes",
    "simple": "why do I lose contact with the server",
    "aspect": "how to stop the server from dropping connections under load",
}
BY_RULES = (Variant("simple", "by rules"),)


class RuleExpander:
    def expand(self, question, language, plan, strategy, run):
        return BY_RULES if plan.expand else ()


@pytest.fixture
def expand(prompts, run):
    def ask(chat, strategy=Strategy.HYBRID, expand=True, **options):
        plan = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "", expand=expand)
        expander = ModelExpander(chat, prompts, RuleExpander(), RetrievalSettings(**options))
        return expander.expand(QUESTION, ENGLISH, plan, strategy, run)

    return ask


def test_gives_three_wordings(scripted, expand):
    assert {v.kind: v.text for v in expand(scripted(WORDINGS))} == WORDINGS


def test_makes_no_call_where_the_plan_does_without(scripted, expand):
    chat = scripted()
    assert expand(chat, expand=False) == ()
    assert not chat.asked


@pytest.mark.parametrize("strategy", Strategy)
def test_words_for_the_strategy(scripted, expand, strategy):
    chat = scripted(WORDINGS)
    expand(chat, strategy)
    assert STRATEGY_GUIDANCE[strategy] in chat.prompt


def test_imagines_a_passage_and_steps_back_only_when_told_to(scripted, expand):
    reply = {
        **WORDINGS,
        "hyde": "A server drops connections when its table is full.",
        "step_back": "How do servers work?",
    }
    assert {v.kind for v in expand(scripted(reply))} == {"technical", "simple", "aspect"}
    kinds = [v.kind for v in expand(scripted(reply), hyde=True, step_back=True)]
    assert kinds == ["technical", "simple", "aspect", "hyde", "step_back"]


def test_drops_wordings_that_repeat_or_lose_the_subject(scripted, expand):
    reply = {"technical": QUESTION, "simple": "Cakes and ale", "aspect": WORDINGS["aspect"]}
    assert [v.kind for v in expand(scripted(reply))] == ["aspect"]


def test_leaves_it_to_the_rules_when_no_wording_is_left(scripted, expand, run):
    assert expand(scripted({"technical": "", "simple": QUESTION, "aspect": "Cakes"})) == BY_RULES
    assert run.take_notes()[0].node == "expand"


def test_leaves_a_failed_call_to_the_rules(scripted, expand, run):
    assert expand(scripted(ModelError("cut off"))) == BY_RULES
    assert "cut off" in run.take_notes()[0].reason
