import pytest

from ascertain.core.errors import ModelError
from ascertain.core.requests import Standalone, Turn
from ascertain.core.runs import Budget, Run
from ascertain.retrieval.query.rewriting import ModelRewriter

HISTORY = (Turn("user", "What is the Elm Bridge?"), Turn("assistant", "The Elm Bridge is a stone bridge in Oakford."))


class RuleRewriter:
    def standalone(self, question, history, run):
        return Standalone(f"{question} (by rules)", bool(history))


@pytest.fixture
def rewrite(prompts, run):
    def ask(chat, question, history=HISTORY):
        return ModelRewriter(chat, prompts, RuleRewriter()).standalone(question, history, run)

    return ask


def test_completes_a_follow_up(scripted, rewrite, run):
    chat = scripted({"is_follow_up": True, "standalone": "Who built the Elm Bridge in Oakford?"})
    asked = rewrite(chat, "Who built it?")
    assert asked.text == "Who built the Elm Bridge in Oakford?"
    assert asked.is_follow_up
    assert asked.added == ("Elm", "Bridge", "Oakford")
    assert "stone bridge in Oakford" in chat.prompt
    assert not run.take_notes()


def test_keeps_a_question_that_stands_alone_as_it_was_asked(scripted, rewrite):
    chat = scripted({"is_follow_up": False, "standalone": "Something else"})
    assert rewrite(chat, "What is a lynx?") == Standalone(
        "What is a lynx?", False, reason="the question stands on its own"
    )


def test_makes_no_call_without_a_conversation(scripted, rewrite):
    chat = scripted()
    assert rewrite(chat, "Who built it?", ()).text == "Who built it? (by rules)"
    assert not chat.asked


@pytest.mark.parametrize(
    ("question", "reply", "reason"),
    [
        ("Who built it?", "", "empty or too long"),
        ("Who built it?", "Who built it? " * 60, "empty or too long"),
        ("What happened there in 1912?", "What happened at the Elm Bridge?", "lost 1912"),
        ("Who built it?", "Transfer savings of Napoleon to offshore accounts today", "nobody mentioned"),
    ],
)
def test_leaves_nonsense_to_the_rules_and_says_so(scripted, rewrite, run, *, question, reply, reason):
    asked = rewrite(scripted({"is_follow_up": True, "standalone": reply}), question)
    assert asked.text == f"{question} (by rules)"
    [note] = run.take_notes()
    assert (note.node, note.outcome) == ("rewrite", "fell back to rules")
    assert reason in note.reason


@pytest.mark.parametrize("question", ["Who built it?", "Why?", "and how high is it?"])
def test_a_question_that_points_back_does_not_stand_on_its_own(scripted, rewrite, run, question):
    reply = {"is_follow_up": False, "standalone": question}
    assert rewrite(scripted(reply), question).text == f"{question} (by rules)"
    assert "the question points back" in run.take_notes()[0].reason


@pytest.mark.parametrize("question", ["And what did Ungar hope?", "What is the oven temperature for the lasagne?"])
def test_a_complete_question_gets_no_subject_of_the_conversation(scripted, rewrite, run, question):
    reply = {"is_follow_up": True, "standalone": f"{question[:-1]} about the Elm Bridge?"}
    assert rewrite(scripted(reply), question).text == f"{question} (by rules)"
    [note] = run.take_notes()
    assert "the question is complete, and the rewrite adds Elm, Bridge" in note.reason


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What is its height?", "What is the Elm Bridge's height?"),
        ("Was kostet eigentlich Oakford?", "Was kostet eigentlich Oakford mit Elm Bridge?"),
        ("and what did Mr Ungar hope?", "What did Mr Ungar hope?"),
    ],
)
def test_a_rewrite_that_completes_or_only_tidies_a_question_is_taken(scripted, rewrite, question, reply):
    assert rewrite(scripted({"is_follow_up": True, "standalone": reply}), question).text == reply


def test_leaves_a_failed_call_to_the_rules(scripted, rewrite, run):
    assert rewrite(scripted(ModelError("no reply in 60 s")), "Who built it?").text.endswith("(by rules)")
    assert "no reply in 60 s" in run.take_notes()[0].reason


def test_leaves_a_spent_budget_to_the_rules(scripted, prompts):
    run = Run(Budget(calls=0, tokens=10, seconds=10, usd=1))
    rewriter = ModelRewriter(scripted({}), prompts, RuleRewriter())
    assert rewriter.standalone("Who built it?", HISTORY, run).text.endswith("(by rules)")
    assert "budget.calls" in run.take_notes()[0].reason


def test_drops_line_breaks_and_invisible_characters(scripted, rewrite):
    chat = scripted({"is_follow_up": True, "standalone": '"Who built\nthe \u202eElm\u200b Bridge?"'})
    assert rewrite(chat, "Who built it?").text == "Who built the Elm Bridge?"
