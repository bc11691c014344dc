"""What every conversation store must do."""

import os
import random
import signal
import string
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.requests import ConversationLabel, StoredTurn, Turn, TurnState
from ascertain.core.errors import StoreError, UsageError
from ascertain.stores.ports.conversations import MAX_ID_BYTES
from ascertain.stores.registry import embedding_of, open_conversations, open_store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

START = """
import os, sys, time
from datetime import UTC, datetime
from pathlib import Path
from ascertain.core.asking.answers import AnswerType
from ascertain.core.settings import StoreSettings
from ascertain.stores.ports.conversations import StoredTurn
from ascertain.core.settings import StoreSettings
from ascertain.core.asking.requests import StoredTurn
from ascertain.stores.registry import open_conversations

noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
store = open_conversations(StoreSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
def say(line):
    print(line, flush=True)
    sys.stdin.readline()
"""

BEGIN_AND_WAIT = "store.begin('c', 'lost', 'what was lost?', noon)\nsay('begun')\n"

TALK = """
name = sys.argv[3]
for number in range(25):
    store.begin("c", f"{name}{number}", f"question {name}{number}", noon)
    answer = StoredTurn(f"question {name}{number}", f"answer {name}{number}", AnswerType.SUMMARY, noon)
    store.finish("c", f"{name}{number}", answer)
"""

TALK_FOREVER = """
import itertools
for number in itertools.count(int(sys.argv[3])):
    store.begin("c", str(number), f"question {number}", noon)
    store.finish("c", str(number), StoredTurn(f"question {number}", f"answer {number}", AnswerType.SUMMARY, noon))
    print(number, flush=True)
"""


@pytest.fixture
def process(run_script):
    """Start a script in another process, which has ``store`` and ``say`` (print a line, wait for one)."""
    return lambda script, *arguments: run_script(START + script, *arguments)


def an_answer(question="why?", text="because.", **fields):
    return StoredTurn(question, text, fields.pop("type", AnswerType.SUMMARY), fields.pop("finished_at", NOON), **fields)


def exchange(store, question, text, *, conversation="c", turn=None, **fields):
    """A turn from beginning to end."""
    turn = turn or question
    tenant = {"tenant": fields.pop("tenant")} if "tenant" in fields else {}
    store.begin(conversation, turn, question, NOON, **tenant)
    store.finish(conversation, turn, an_answer(question, text, **fields), **tenant)


def messages(store, conversation="c", **arguments):
    return [turn.text for turn in store.history(conversation, **arguments)]


def states(store, conversation="c"):
    return [record.state for record in store.turns(conversation)]


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def eventually(holds):
    """A server takes a moment to see that a process is gone."""
    end = time.monotonic() + 20
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_a_finished_turn_is_two_messages(conversations):
    exchange(conversations, "why?", "because.")
    assert conversations.history("c") == [Turn("user", "why?"), Turn("assistant", "because.")]


def test_an_unknown_conversation_is_empty(conversations):
    assert conversations.history("c") == []
    assert conversations.turns("c") == []
    assert conversations.conversations() == []
    assert conversations.delete("c") == 0


def test_a_running_turn_is_on_record_but_no_history(conversations):
    conversations.begin("c", "1", "why?", NOON)
    assert conversations.history("c") == []
    (record,) = conversations.turns("c")
    assert (record.question, record.asked_at, record.state) == ("why?", NOON, TurnState.RUNNING)
    assert record.outcome is None


def test_everything_of_a_finished_turn_comes_back(reopen_conversations):
    whole = {"question": "and who?", "citations": [{"n": 1, "quote": "„so“ 🎉"}], "score": 0.25, "caveat": None}
    answer = an_answer(
        "and who?",
        "Ada did.",
        type=AnswerType.FOLLOWUP_ANSWER,
        finished_at=NOON + timedelta(microseconds=7),
        standalone="and who wrote it?",
        answer=whole,
    )
    first = reopen_conversations()
    first.begin("c", "1", "and who?", NOON)
    first.finish("c", "1", answer)
    first.close()
    (record,) = reopen_conversations().turns("c")
    assert record.state is TurnState.FINISHED
    assert record.outcome == answer


def test_a_label_is_shown_until_the_conversation_is_deleted(conversations):
    exchange(conversations, "why?", "because.")
    exchange(conversations, "who?", "Ada.", conversation="d", tenant="other")
    conversations.label("c", ConversationLabel("Reasons 🎉", is_pinned=True))
    conversations.label("none", ConversationLabel("nothing"))
    conversations.label("d", ConversationLabel("Ada"), tenant="default")
    (summary,) = conversations.conversations()
    assert summary.label == ConversationLabel("Reasons 🎉", is_pinned=True)
    assert [each.label for each in conversations.conversations("other")] == [ConversationLabel()]
    conversations.label("c", ConversationLabel())
    assert conversations.conversations()[0].label == ConversationLabel()
    conversations.label("c", ConversationLabel("again"))
    conversations.delete("c")
    exchange(conversations, "why?", "because.")
    assert conversations.conversations()[0].label == ConversationLabel()


def test_a_turn_is_taken_back_with_those_after_it(conversations):
    for number in range(4):
        exchange(conversations, f"question {number}", f"answer {number}")
    exchange(conversations, "question 2", "other", conversation="d")
    assert conversations.take_back("c", "question 2") == ["question 2", "question 3"]
    assert messages(conversations) == ["question 0", "answer 0", "question 1", "answer 1"]
    assert messages(conversations, "d") == ["question 2", "other"]
    assert conversations.take_back("c", "question 2") == []
    exchange(conversations, "question 2", "another answer")
    assert messages(conversations)[-1] == "another answer"


def test_history_is_in_order_and_limited_to_the_last_turns(conversations):
    for number in range(5):
        exchange(conversations, f"q{number}", f"a{number}")
    assert messages(conversations) == [f"{kind}{number}" for number in range(5) for kind in "qa"]
    assert messages(conversations, limit=2) == ["q3", "a3", "q4", "a4"]
    assert messages(conversations, limit=0) == []
    assert len(messages(conversations, limit=99)) == 10


def test_a_failed_turn_is_on_record_with_its_reason_but_no_history(conversations):
    conversations.begin("c", "1", "why?", NOON)
    conversations.fail("c", "1", "the model was unplugged")
    assert conversations.history("c") == []
    (record,) = conversations.turns("c")
    assert (record.state, record.reason) == (TurnState.FAILED, "the model was unplugged")


def test_failing_leaves_finished_and_unknown_turns_alone(conversations):
    exchange(conversations, "q", "a")
    conversations.fail("c", "q", "too late")
    conversations.fail("c", "unknown", "never begun")
    assert states(conversations) == [TurnState.FINISHED]


def test_a_turn_sent_twice_is_one_turn_with_its_first_answer(conversations):
    exchange(conversations, "q", "first", turn="1")
    exchange(conversations, "q", "second", turn="1")
    assert messages(conversations) == ["q", "first"]


def test_a_turn_begun_twice_while_it_runs_is_one_turn(reopen_conversations):
    one, other = reopen_conversations(), reopen_conversations()
    one.begin("c", "1", "q", NOON)
    other.begin("c", "1", "q", NOON)
    other.finish("c", "1", an_answer("q", "from the other"))
    one.finish("c", "1", an_answer("q", "from the one"))
    assert messages(one) == ["q", "from the other"]
    assert len(one.turns("c")) == 1


def test_a_failed_turn_asked_again_is_the_latest(conversations):
    conversations.begin("c", "1", "q1", NOON)
    conversations.fail("c", "1", "no luck")
    exchange(conversations, "q2", "a2")
    exchange(conversations, "q1", "a1", turn="1")
    assert messages(conversations) == ["q2", "a2", "q1", "a1"]
    assert states(conversations) == [TurnState.FINISHED] * 2


def test_turns_are_in_the_order_in_which_they_were_begun(conversations):
    conversations.begin("c", "1", "first", NOON)
    exchange(conversations, "second", "a2")
    conversations.finish("c", "1", an_answer("first", "a1"))
    assert messages(conversations) == ["first", "a1", "second", "a2"]


def test_conversations_do_not_see_each_other(conversations):
    exchange(conversations, "q", "of c", turn="1")
    exchange(conversations, "q", "of d", turn="1", conversation="d")
    assert (messages(conversations), messages(conversations, "d")) == (["q", "of c"], ["q", "of d"])
    assert conversations.delete("c") == 1
    assert (messages(conversations), messages(conversations, "d")) == ([], ["q", "of d"])


def test_tenants_do_not_see_each_other(conversations):
    exchange(conversations, "q", "mine", turn="1")
    exchange(conversations, "q", "yours", turn="1", tenant="other")
    conversations.begin("c", "2", "q2", NOON, "other")
    conversations.fail("c", "2", "wrong tenant")
    assert messages(conversations) == ["q", "mine"]
    assert messages(conversations, tenant="other") == ["q", "yours"]
    assert [len(conversations.turns("c", tenant)) for tenant in ("default", "other", "third")] == [1, 2, 0]
    assert [summary.turns for summary in conversations.conversations()] == [1]
    assert conversations.delete("c", "third") == 0
    assert conversations.delete("c") == 1
    assert messages(conversations, tenant="other") == ["q", "yours"]
    with pytest.raises(StoreError, match="not on record"):
        conversations.finish("c", "2", an_answer())


def test_conversations_are_listed_the_last_used_first(conversations):
    exchange(conversations, "first of c", "a", finished_at=NOON)
    exchange(conversations, "first of d", "a", conversation="d")
    conversations.begin("c", "2", "again", NOON + timedelta(hours=1))
    listed = conversations.conversations()
    assert [(each.id, each.first_question, each.turns) for each in listed] == [
        ("c", "first of c", 1),
        ("d", "first of d", 1),
    ]
    assert [each.last_used for each in listed] == [NOON + timedelta(hours=1), NOON]


def test_a_deleted_conversation_is_not_brought_back_by_an_answer(conversations):
    conversations.begin("c", "1", "q", NOON)
    assert conversations.delete("c") == 1
    with pytest.raises(StoreError, match=r"'1' is not on record.*deleted meanwhile"):
        conversations.finish("c", "1", an_answer())
    assert conversations.conversations() == []


ODD_IDS = ["'; DROP TABLE turns; --", '"', "ünï 🎉", "a\0b", "\n", "%", "x" * MAX_ID_BYTES, "\udc80", " c "]


@pytest.mark.parametrize("odd", ODD_IDS, ids=ascii)
def test_ids_are_free_text(conversations, odd):
    exchange(conversations, "q", "a", conversation=odd, turn=odd)
    assert messages(conversations, odd) == ["q", "a"]
    assert messages(conversations, "c") == []
    assert [record.turn_id for record in conversations.turns(odd)] == [odd]
    assert [each.id for each in conversations.conversations()] == [odd]
    assert conversations.delete(odd) == 1


@pytest.mark.parametrize(("wrong", "message"), [("", "must not be empty"), ("ü" * 600, "1,200 bytes")])
def test_an_empty_or_endless_id_is_refused(conversations, wrong, message):
    for call in (
        lambda: conversations.begin(wrong, "1", "q", NOON),
        lambda: conversations.begin("c", wrong, "q", NOON),
        lambda: conversations.finish("c", wrong, an_answer()),
        lambda: conversations.fail(wrong, "1", "r"),
        lambda: conversations.history(wrong),
        lambda: conversations.turns(wrong),
        lambda: conversations.delete(wrong),
    ):
        with pytest.raises(UsageError, match=message):
            call()


TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(question=TEXT, text=TEXT, standalone=st.none() | TEXT, answer=st.dictionaries(TEXT, JSON, max_size=4))
def test_any_text_comes_back_to_the_character(conversations, question, text, standalone, answer):
    conversations.delete("c")
    exchange(conversations, question, text, turn="1", standalone=standalone, answer=answer)
    assert messages(conversations) == [question, text]
    (record,) = conversations.turns("c")
    assert record.outcome == an_answer(question, text, standalone=standalone, answer=answer)


def test_whole_answers_are_kept_of_the_latest_turns_only(reopen_conversations):
    store = reopen_conversations(kept_turns=2)
    for number in range(4):
        exchange(store, f"q{number}", f"a{number}", answer={"n": number})
        exchange(store, "other", "b", conversation=f"d{number}", answer={"n": number})
    kept = [record.outcome.answer for record in store.turns("c")]
    assert kept == [None, None, {"n": 2}, {"n": 3}]
    assert len(messages(store)) == 8
    assert all(store.turns(f"d{number}")[0].outcome.answer for number in range(4))


def a_realistic_answer(seed):
    """In the shape and size of ``ask --json`` with ten citations; the words vary, so that it packs like prose."""
    words = random.Random(seed)

    def prose(length):
        return " ".join("".join(words.choices(string.ascii_lowercase, k=words.randint(2, 9))) for _ in range(length))

    citation = {"document_id": "f" * 20, "title": "A title", "url": "https://example.org/some/page", "place": {}}
    return {
        "question": prose(15),
        "answer": prose(250),
        "sentences": [{"text": prose(25), "verdict": "supported", "score": words.random()} for _ in range(10)],
        "citations": [{"n": n, "quote": prose(60), **citation} for n in range(10)],
        "decisions": [{"node": "n", "reason": prose(12), "scores": {"s": words.random()}} for _ in range(40)],
    }


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1, 1000], ids=["one conversation", "a thousand conversations"])
def test_a_thousand_turns_stay_under_50_mb(conversations, bytes_used, spread):
    answers = [a_realistic_answer(seed) for seed in range(20)]
    for number in range(1000):
        whole = answers[number % len(answers)]
        exchange(
            conversations,
            whole["question"],
            whole["answer"],
            turn=str(number),
            conversation=f"c{number % spread}",
            answer=whole,
        )
    assert bytes_used() < 50_000_000


def test_a_turn_whose_process_was_killed_is_interrupted_and_the_next_one_works(conversations, process):
    exchange(conversations, "before", "a")
    other = process(BEGIN_AND_WAIT)
    assert other.stdout.readline() == "begun\n"
    assert states(conversations) == [TurnState.FINISHED, TurnState.RUNNING]
    kill(other)
    assert eventually(lambda: states(conversations) == [TurnState.FINISHED, TurnState.INTERRUPTED])
    assert messages(conversations) == ["before", "a"]
    exchange(conversations, "after", "b")
    assert states(conversations) == [TurnState.FINISHED, TurnState.INTERRUPTED, TurnState.FINISHED]
    assert "process ended" in conversations.turns("c")[1].reason
    assert messages(conversations) == ["before", "a", "after", "b"]


def test_an_interrupted_turn_can_be_asked_again(conversations, process):
    other = process(BEGIN_AND_WAIT)
    other.stdout.readline()
    kill(other)
    exchange(conversations, "what was lost?", "the keys", turn="lost")
    assert messages(conversations) == ["what was lost?", "the keys"]
    assert states(conversations) == [TurnState.FINISHED]


def test_a_turn_running_in_a_living_process_is_left_alone(conversations, process):
    other = process(BEGIN_AND_WAIT + "store.finish('c', 'lost', StoredTurn('q', 'a', AnswerType.SUMMARY, noon))\n")
    other.stdout.readline()
    conversations.begin("c", "mine", "mine", NOON)
    assert states(conversations) == [TurnState.RUNNING] * 2
    other.communicate("\n")
    assert other.returncode == 0
    assert states(conversations) == [TurnState.FINISHED, TurnState.RUNNING]


def test_two_processes_on_one_conversation_lose_nothing(conversations, process):
    talkers = [process(TALK, name) for name in "ab"]
    for talker in talkers:
        talker.communicate()
        assert talker.returncode == 0
    questions = messages(conversations)[::2]
    assert len(questions) == 50
    for name in "ab":
        own = [question for question in questions if question.startswith(f"question {name}")]
        assert own == [f"question {name}{number}" for number in range(25)]


def test_a_kill_at_any_moment_loses_no_finished_turn(conversations, process):
    chance = random.Random(5)
    reached = 0
    for _ in range(6):
        talker = process(TALK_FOREVER, reached)
        done = [int(talker.stdout.readline()) for _ in range(chance.randint(1, 20))][-1]
        kill(talker)
        history = messages(conversations)
        finished = len(history) // 2
        assert history == [f"{kind} {n}" for n in range(finished) for kind in ("question", "answer")]
        assert finished > done
        reached = finished


def test_threads_share_a_store(conversations):
    def talk(name):
        for number in range(10):
            exchange(conversations, f"{name}{number}", "a")

    threads = [threading.Thread(target=talk, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(messages(conversations)) == 80


def test_conversations_are_kept_while_another_writer_holds_the_store(conversations, settings, home):
    ingesting = open_store(settings, home, "model-a", 8)
    with ingesting.writing():
        exchange(conversations, "q", "a")
    ingesting.close()
    assert messages(conversations) == ["q", "a"]


def test_documents_and_conversations_leave_each_other_alone(conversations, settings, home):
    exchange(conversations, "q", "a")
    store = open_store(settings, home, "model-a", 8)
    assert store.check().problems == ()
    assert store.stats().documents == 0
    store.close()


def test_there_are_none_without_a_knowledge_base(settings, tmp_path):
    with pytest.raises(StoreError, match="no knowledge base"):
        open_conversations(settings, tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    assert embedding_of(settings, tmp_path / "nowhere") is None


def test_a_closed_store_says_so(conversations):
    conversations.close()
    with pytest.raises(StoreError, match="closed"):
        conversations.history("c")


def test_a_conversation_belongs_to_whom_claims_it_first(conversations):
    assert conversations.claim("c", "kim") == ConversationLabel(owner="kim")
    assert conversations.claim("c", "lee") == ConversationLabel(owner="kim")
    assert conversations.claim("c", "lee", tenant="other") == ConversationLabel(owner="lee")
    assert conversations.find_label("c") == ConversationLabel(owner="kim")
    assert conversations.find_label("none") == ConversationLabel()
    shared = ConversationLabel("Reasons", owner="kim", is_shared=True)
    conversations.label("c", shared)
    assert conversations.labels() == {"c": shared}
    conversations.begin("c", "t", "Why?", NOON)
    assert conversations.conversations()[0].label == shared
    conversations.delete("c")
    assert conversations.claim("c", "lee") == ConversationLabel(owner="lee")


def test_a_conversation_that_nobody_claimed_before_its_first_turn_is_nobodys(conversations):
    conversations.begin("c", "t", "Why?", NOON)
    assert conversations.claim("c", "kim") == ConversationLabel()
    assert conversations.labels() == {}
