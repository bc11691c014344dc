"""What a chat model is said to be good for, from a real server that plays models of several kinds."""

import tomllib

import pytest
from scripted_chat_server import fails, pauses, says

from ascertain.app.choosing.trial import CLAIMS, NEEDS, PASSAGES, try_model
from ascertain.core.asking.runs import Task
from ascertain.core.service.model_choice import TrialName
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.structured import model_names

FIELDS = {"city": "Lyon", "year": 1998, "is_open_on_sundays": True, "shows": ["maps", "clocks", "telescopes"]}
QUOTED = {
    "passage": "P2",
    "quote": "After a grace period of 72 hours - counted from the last write, not from the deletion - they are removed for good",
}


def judge(*wrong):
    truths = enumerate((truth for _, truth in CLAIMS), start=1)
    return {"verdicts": [{"number": n, "is_supported": truth is not (n in wrong)} for n, truth in truths]}


@pytest.fixture
def play(scripted_chat_server, unknown_chat_servers):
    """Try a model that answers as given; what the trial came to."""

    def try_played(structure=FIELDS, reading=QUOTED, judging=None, **settings):
        replies = {"Fields": structure, "Quotation": reading, "Verdicts": judging or judge()}
        scripted_chat_server.reply_by(lambda request: replies[request.schema])
        return try_model("tiny", ChatSettings(base_url=scripted_chat_server.base_url, **settings))

    return try_played


def use(trial):
    """The model of each task by the settings that the trial proposes."""
    return set(model_names(ChatSettings.model_validate(tomllib.loads(trial.configuration)["models"]["chat"])))


def test_a_good_model_is_good_for_everything(play, scripted_chat_server):
    trial = play()
    assert [result.finding for result in trial.results] == [
        "each field is right",
        "quotes exactly",
        "5 of 5 claims right",
    ]
    assert set(trial.good_for) == set(NEEDS) == use(trial) & set(NEEDS)
    assert trial.advice == []
    assert [(result.calls, result.input_tokens, result.output_tokens) for result in trial.results] == [(1, 20, 10)] * 3
    assert tomllib.loads(trial.configuration)["models"]["chat"]["base_url"] == scripted_chat_server.base_url
    assert "this machine" in trial.where


@pytest.mark.parametrize(
    ("reading", "finding"),
    [
        ({"passage": "P2", "quote": "Removed after 72 hours."}, "is not in any passage"),
        ({"passage": "P1", "quote": PASSAGES["P1"]}, "quotes P1, which does not answer"),
        ({"passage": "P2", "quote": "Deleted projects stay in the bin."}, "does not hold the answer"),
        ({"passage": "P2", "quote": ""}, "is not in any passage"),
    ],
)
def test_a_model_that_does_not_quote_is_not_for_writing(play, reading, finding):
    trial = play(reading=reading)
    assert finding in trial.results[1].finding and not trial.results[1].is_passed
    assert not {Task.WRITE, Task.EXTRACT} & set(trial.good_for)
    assert {Task.REWRITE, Task.PLAN, Task.VERIFY} <= set(trial.good_for) == use(trial)
    assert "Leave write, extract to the rules, or to another model." in trial.advice


@pytest.mark.parametrize(
    ("wrong", "is_passed"), [((), True), ((3,), True), ((1, 3), False), ((2,), False), ((5,), False)]
)
def test_a_control_that_is_believed_ends_the_trust_in_a_judge(play, wrong, is_passed):
    trial = play(judging=judge(*wrong))
    assert trial.results[2].is_passed is is_passed
    assert (Task.VERIFY in trial.good_for) is is_passed
    assert f"{5 - len(wrong)} of 5 claims right" in trial.results[2].finding


def test_a_model_that_says_yes_to_everything_is_no_judge(play):
    trial = play(judging={"verdicts": [{"number": n, "is_supported": True} for n in range(1, 6)]})
    assert "finds certainly false claims supported (2, 5)" in trial.results[2].finding


def test_a_model_that_gives_no_structure_is_of_no_use(play):
    trial = play(structure="I think it opened in 1998!", reading="P2", judging="all fine")
    assert trial.good_for == [] and trial.configuration == ""
    assert trial.advice[0].startswith("Of no use")
    assert "asked twice" in trial.results[0].finding and trial.results[0].calls == 2


def test_prose_around_a_reply_is_forgiven(play):
    assert set(play(structure=f"Sure! ```json\n{FIELDS}```".replace("'", '"').replace("True", "true")).good_for) == set(
        NEEDS
    )


def test_a_server_that_takes_no_schema_is_asked_in_another_way_and_the_setting_is_proposed(scripted_chat_server, play):
    def answer(request):
        if request.structured == "json_schema":
            return fails(400, "response_format is not supported")
        return {"Fields": FIELDS, "Quotation": QUOTED, "Verdicts": judge()}[request.schema]

    scripted_chat_server.reply_by(answer)
    trial = try_model("tiny", ChatSettings(base_url=scripted_chat_server.base_url))
    assert tomllib.loads(trial.configuration)["models"]["chat"]["structured"] == "json_object"
    assert any("json_schema" in line for line in trial.advice)
    assert trial.results[0].calls == 2 and not any("second try" in line for line in trial.advice)


def test_a_model_that_needs_a_second_try_for_its_form_is_said_to(scripted_chat_server, play):
    replies = iter(["it opened in 1998", FIELDS, QUOTED, judge()])
    scripted_chat_server.reply_by(lambda request: next(replies))
    trial = try_model("tiny", ChatSettings(base_url=scripted_chat_server.base_url))
    assert trial.results[0].finding == "each field is right, at the second try"
    assert any("second try" in line for line in trial.advice) and set(trial.good_for) == set(NEEDS)


def test_a_key_that_is_refused_is_tried_once(scripted_chat_server, unknown_chat_servers):
    scripted_chat_server.script(fails(401, "wrong key"))
    trial = try_model("tiny", ChatSettings(base_url=scripted_chat_server.base_url))
    assert "the server refused the key" in trial.results[0].finding and len(scripted_chat_server.requests) == 1
    assert trial.advice == ["It gave no reply, so its abilities are unknown."]


def test_a_slow_model_gets_more_time(play):
    trial = play(structure=pauses(0.3, says(FIELDS)), timeout_seconds=1)
    held = tomllib.loads(trial.configuration)
    assert held["models"]["chat"]["timeout_seconds"] == 10
    assert held["budget"]["seconds"] == 50


def test_a_server_that_fails_is_asked_once(scripted_chat_server, unknown_chat_servers):
    scripted_chat_server.script(fails(500, "broken"))
    trial = try_model("tiny", ChatSettings(base_url=scripted_chat_server.base_url))
    assert [result.name for result in trial.results] == list(TrialName)
    assert "broken" in trial.results[0].finding
    assert {result.finding for result in trial.results[1:]} == {"not tried: it gave no reply before"}
    assert len(scripted_chat_server.requests) == 1
