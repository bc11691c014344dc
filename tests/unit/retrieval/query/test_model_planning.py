import pytest

from ascertain.core.errors import ModelError
from ascertain.core.plans import Complexity, GraphQuery, Intent, Plan, QuestionType, Sources
from ascertain.retrieval.query.planning import ModelPlanner, RulePlanner

RULES = Plan(Intent.KNOWLEDGE, QuestionType.GENERAL, Complexity.SIMPLE, "by rules")
QUESTION = "Did the Elm Bridge or the Oak Bridge in Oakford cost more to build?"


class FixedPlanner:
    def plan(self, question, run):
        return RULES


class NoChat:
    def ask(self, task, messages, answer, run):
        raise AssertionError("asked")


def a_reply(**changes):
    plain = {"intent": "knowledge", "type": "comparative", "complexity": "complex", "reason": "two bridges"}
    return {**plain, **changes}


def a_part(text, priority=1, type="factual"):
    return {"text": text, "type": type, "priority": priority}


@pytest.fixture
def plan(prompts, run):
    return lambda chat, question=QUESTION: ModelPlanner(chat, prompts, FixedPlanner()).plan(question, run)


def test_splits_a_complex_question_by_priority(scripted, plan):
    parts = [a_part("What did the Oak Bridge cost?", 2), a_part("What did the Elm Bridge cost?", 1)]
    made = plan(scripted(a_reply(parts=parts, expand=True)))
    assert (made.intent, made.type, made.complexity) == (Intent.KNOWLEDGE, QuestionType.COMPARATIVE, Complexity.COMPLEX)
    assert [(part.text, part.priority) for part in made.sub_queries] == [
        ("What did the Elm Bridge cost?", 1),
        ("What did the Oak Bridge cost?", 2),
    ]
    assert made.expand


@pytest.mark.parametrize(
    "parts",
    [
        [a_part("What did the Elm Bridge cost?")],
        [a_part("What did the Elm Bridge cost?"), a_part("what did the elm bridge cost")],
        [a_part("What did the Elm Bridge cost?"), a_part(QUESTION)],
        [a_part("What did the Elm Bridge cost?"), a_part("How are cakes baked?")],
        [a_part("What did the Elm Bridge cost?"), a_part("  ")],
        [a_part("What did the Elm Bridge cost?"), a_part("Elm " * 200)],
    ],
)
def test_does_not_split_where_fewer_than_two_parts_are_worth_a_search(scripted, plan, parts):
    assert plan(scripted(a_reply(parts=parts))).sub_queries == ()


def test_splits_only_complex_questions(scripted, plan):
    parts = [a_part("What did the Oak Bridge cost?"), a_part("What did the Elm Bridge cost?")]
    assert plan(scripted(a_reply(complexity="moderate", parts=parts))).sub_queries == ()


def test_searches_five_parts_at_most(scripted, plan):
    parts = [a_part(f"What did bridge number {n} of Oakford cost?", n) for n in range(9)]
    assert len(plan(scripted(a_reply(parts=parts))).sub_queries) == 5


def test_asks_the_graph_only_for_a_kind_of_graph_query(scripted, plan):
    assert plan(scripted(a_reply(sources="both"))).sources is Sources.PASSAGES
    made = plan(scripted(a_reply(sources="both", graph_query="multi_hop")))
    assert (made.sources, made.graph_query) == (Sources.BOTH, GraphQuery.MULTI_HOP)
    assert plan(scripted(a_reply(sources="passages", graph_query="entity"))).graph_query is GraphQuery.NONE


def test_does_not_take_a_question_for_a_greeting(scripted, plan, run):
    assert plan(scripted(a_reply(intent="greeting"))) is RULES
    assert "greeting" in run.take_notes()[0].reason


@pytest.mark.parametrize("intent", ["greeting", "out_of_scope"])
@pytest.mark.parametrize("question", ["What is the weather in Paris?", "bridges?", "Elm Bridge", "thanks to whom?"])
def test_believes_that_nothing_is_asked_only_where_the_rules_say_so_too(scripted, plan, run, intent, question):
    assert plan(scripted(a_reply(intent=intent)), question) is RULES
    assert intent in run.take_notes()[0].reason


@pytest.mark.parametrize(
    ("message", "intent"), [("hello there", Intent.GREETING), ("book a flight", Intent.OUT_OF_SCOPE)]
)
def test_what_the_rules_are_sure_of_needs_no_model(prompts, run, message, intent):
    rules = RulePlanner(())
    made = ModelPlanner(NoChat(), prompts, rules).plan(message, run)
    assert made.intent is intent


def test_leaves_a_failed_call_to_the_rules(scripted, plan, run):
    assert plan(scripted(ModelError("HTTP 500"))) is RULES
    assert run.take_notes()[0].outcome == "fell back to rules"
