from dataclasses import replace

import pytest

from ascertain.core.asking.judgements import Gap, GapKind, RetrievalIssue, RetrievalQuality, Sufficiency
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType
from ascertain.core.asking.runs import FAILED_A_CONTROL, FELL_BACK
from ascertain.core.errors import ModelError
from ascertain.language.languages import ENGLISH
from ascertain.retrieval import model_judging
from ascertain.retrieval.model_judging import ModelPassageJudge, RulePassageJudge

PLAN = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "")
RULES = RetrievalQuality(55, (RetrievalIssue.MIXED_RELEVANCE,), "by rules", {"similarity": 0.5})
TIME_GAP = Gap(GapKind.TIME, "May 2024")
NAME_GAP = Gap(GapKind.NAME, "Elm")
CONTROLLED = "Who built the Elm Bridge?"
"""A question with words enough for a passage about something else to be mixed in."""


class Rules:
    def __init__(self, gaps=(), quality=RULES):
        self.gaps = tuple(gaps)
        self.quality = quality

    def judge(self, question, language, plan, passages, run):
        return self.quality

    def check(self, question, plan, passages, filter, run, *, language):
        return Sufficiency(not self.gaps, self.gaps, "by rules", {"chunks": 3.0})


@pytest.fixture
def passages(a_found_passage):
    return tuple(a_found_passage(f"Passage number {i}.", f"c{i}") for i in range(1, 7))


@pytest.fixture
def judge(prompts, run, passages):
    def ask(chat, found=passages, *, rules=RULES, gaps=(), question="Which?", at_once=8):
        own = Rules(gaps, rules)
        step = ModelPassageJudge(chat, prompts, RulePassageJudge(own, own), at_once)
        return step.judge(question, PLAN, found, Filter(), run, language=ENGLISH)

    return ask


def judged(*values, score=80, note="", **rest):
    passages = [{"key": f"P{i}", "score": value, "note": note} for i, value in enumerate(values, 1)]
    return {"passages": passages, "score": score, **rest}


def ids(judgement):
    return [passage.chunk.id for passage in judgement.evidence]


def test_one_call_says_which_passages_help_how_good_they_are_and_what_is_missing(scripted, judge, run):
    missing = [{"kind": "concept", "what": "why it closed"}]
    chat = scripted(judged(10, 60, 90, 70, 80, 60, score=65, issues=["partial_coverage"], missing=missing, note="N."))
    judgement = judge(chat)
    assert ids(judgement) == ["c3", "c5", "c4", "c2"]
    assert [passage.score for passage in judgement.evidence] == [0.9, 0.8, 0.7, 0.6]
    assert judgement.evidence[0].scores == {"dense": 0.6, "judge": 0.9}
    assert judgement.evidence[0].note == "N."
    assert (judgement.quality.score, judgement.quality.issues) == (65, (RetrievalIssue.PARTIAL_COVERAGE,))
    assert judgement.quality.signals == {"similarity": 0.5, "rules": 55.0, "off_topic": 0.0}
    assert judgement.sufficiency.gaps == (Gap(GapKind.CONCEPT, "why it closed"),)
    assert len(chat.asked) == 1


def test_shows_each_passage_with_title_date_and_the_name_of_its_file(scripted, judge, passages):
    chat = scripted(judged(50))
    chunk = replace(passages[0].chunk, source="/home/ada/private papers/bridge.md")
    judge(chat, [replace(passages[0], chunk=chunk)])
    assert 'key="P1" title="A title" date="2024-05-17" source="bridge.md"' in chat.prompt
    assert "/home/ada" not in chat.prompt


def test_a_long_passage_is_cut_at_the_end_of_a_sentence_and_says_so(scripted, judge, a_found_passage, passages):
    chat = scripted(judged(50, 50))
    text = "The bridge spans the river in one arch of stone. " * 600
    judge(chat, [a_found_passage(text.strip(), "long"), passages[0]])
    shown = chat.prompt.partition('key="P1"')[2].partition("</passage")[0]
    assert f"of {len(text.strip())} characters" in shown
    assert shown.rstrip().endswith("in one arch of stone.")
    assert "Passage number 1." in chat.prompt


def test_drops_what_is_below_the_floor(scripted, judge, run):
    assert ids(judge(scripted(judged(10, 60, 90, 49, 0, 0)))) == ["c3", "c2"]
    assert "2 of 6 passages judged relevant" in run.take_notes()[0].reason


def test_constants_say_how_many_and_how_good(scripted, judge, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(model_judging, "KEPT", 1)
        assert ids(judge(scripted(judged(10, 60, 90, 49, 0, 0)))) == ["c3"]
    monkeypatch.setattr(model_judging, "RELEVANT", 0.1)
    assert ids(judge(scripted(judged(10, 60, 90, 49, 0, 0)))) == ["c3", "c2", "c4", "c1"]


def test_keeps_the_best_when_none_is_relevant_and_says_so(scripted, judge, run):
    assert ids(judge(scripted(judged(1, 2, 3, 4, 5, 6)))) == ["c6", "c5", "c4", "c3"]
    assert run.take_notes()[0].outcome == "no passage judged relevant"


def test_unknown_keys_count_for_nothing_and_the_lowest_of_two_scores_counts(scripted, judge):
    reply = judged(10, 60, 90, 70, 80, 60)
    reply["passages"] += [{"key": "P99", "score": 100}, {"key": "x", "score": 100}, {"key": "[p3]", "score": 20}]
    assert ids(judge(scripted(reply))) == ["c5", "c4", "c2", "c6"]


def test_a_passage_that_the_model_says_nothing_of_is_kept_behind_those_that_help(scripted, judge):
    judgement = judge(scripted(judged(10, 60)))
    assert ids(judgement) == ["c2", "c3", "c4", "c5"]
    assert "judge" not in judgement.evidence[1].scores


@pytest.mark.parametrize("reply", [ModelError("slow"), {"passages": [{"key": "Q", "score": 1}], "score": 1}])
def test_keeps_the_order_given_when_the_model_does_not_tell(scripted, judge, run, passages, reply):
    judgement = judge(scripted(reply))
    assert judgement.evidence == passages
    assert judgement.quality is RULES
    assert run.take_notes()[0].outcome == FELL_BACK


@pytest.mark.parametrize("stray", [50, 100])
def test_a_model_that_finds_a_text_about_something_else_relevant_is_not_believed(scripted, judge, run, passages, stray):
    judgement = judge(scripted(judged(10, 60, 90, 70, 80, 60, stray)), question=CONTROLLED)
    assert (judgement.evidence, judgement.quality) == (passages, RULES)
    [note] = run.take_notes()
    assert (note.node, note.outcome) == ("judge", FAILED_A_CONTROL)
    assert f"gave {stray} of 100 to a passage about something else" in note.reason
    assert run.is_distrusted


def test_a_model_that_says_nothing_of_any_passage_is_no_judge(scripted, judge, run, passages):
    assert judge(scripted(judged())).evidence == passages
    [note] = run.take_notes()
    assert (note.outcome, "said nothing of 6 passages" in note.reason) == (FAILED_A_CONTROL, True)
    assert run.is_distrusted


def test_the_highest_of_two_scores_of_that_text_counts(scripted, judge, run, passages):
    reply = judged(10, 60, 90, 70, 80, 60, 0)
    reply["passages"].append({"key": "P7", "score": 100})
    assert judge(scripted(reply), question=CONTROLLED).evidence == passages
    assert run.is_distrusted


def test_that_text_is_never_kept(scripted, judge, run):
    assert ids(judge(scripted(judged(10, 10, 10, 10, 10, 10, 49)), question=CONTROLLED)) == ["c1", "c2", "c3", "c4"]
    assert not run.is_distrusted


def test_after_that_nothing_more_is_asked(scripted, judge, run, passages):
    run.distrust("judge", "it praised what it should not")
    chat = scripted()
    assert judge(chat, question=CONTROLLED).evidence == passages
    assert not chat.asked
    assert [note.outcome for note in run.take_notes()] == [FAILED_A_CONTROL]


def test_makes_no_call_where_nothing_was_found(scripted, judge):
    chat = scripted()
    judgement = judge(chat, [], gaps=[NAME_GAP])
    assert (judgement.evidence, judgement.quality, judgement.sufficiency.gaps) == ((), RULES, (NAME_GAP,))
    assert not chat.asked


def test_flawless_passages_have_no_issues(scripted, judge):
    assert judge(scripted(judged(90, score=95, issues=["low_confidence"]))).quality.issues == ()


def test_poor_passages_have_an_issue(scripted, judge):
    assert judge(scripted(judged(10, score=10))).quality.issues == RULES.issues


@pytest.mark.parametrize("score", [60, 95])
def test_does_not_believe_a_contradiction(scripted, judge, run, score):
    judgement = judge(scripted(judged(90, score=score, issues=["off_topic"])))
    assert (judgement.quality.score, judgement.quality.issues) == (RULES.score, RULES.issues)
    assert run.take_notes()[-1].outcome == FELL_BACK


OFF = RetrievalIssue.OFF_TOPIC


@pytest.mark.parametrize(
    ("rules", "issues"),
    [
        # the rules see nothing on the subject either, or next to nothing
        (RetrievalQuality(38, (OFF,), "by rules"), (OFF,)),
        (RetrievalQuality(45, (OFF,), "by rules"), (OFF,)),
        (RetrievalQuality(39, (), "by rules"), (OFF,)),
        # a search by words that found a name and nothing of what is asked of it
        (RetrievalQuality(59, (), "by rules", {"subject": 0.0}), (OFF,)),
        (RetrievalQuality(59, (), "by rules", {"subject": 0.0, "similarity": 0.5}), (RetrievalIssue.LOW_CONFIDENCE,)),
        (RetrievalQuality(59, (), "by rules", {"subject": 0.5}), (RetrievalIssue.LOW_CONFIDENCE,)),
        # a model that says so of everything is not believed
        (RetrievalQuality(40, (), "by rules"), (RetrievalIssue.LOW_CONFIDENCE,)),
        (RetrievalQuality(85, (), "by rules"), (RetrievalIssue.LOW_CONFIDENCE,)),
    ],
)
def test_that_no_passage_is_on_the_subject_is_believed_unless_the_rules_find_one(scripted, judge, rules, issues):
    quality = judge(scripted(judged(5, score=5, issues=["off_topic"], reason="none")), rules=rules).quality
    assert (quality.score, quality.issues) == (5, issues)
    assert ("the rules find passages on the subject" in quality.reason) is (OFF not in issues)


def test_a_gap_of_time_that_was_measured_stands(scripted, judge):
    sufficiency = judge(scripted(judged(90)), gaps=[TIME_GAP]).sufficiency
    assert (sufficiency.is_sufficient, sufficiency.gaps) == (False, (TIME_GAP,))


def test_the_model_may_find_a_name_that_the_rules_missed(scripted, judge):
    sufficiency = judge(scripted(judged(90)), gaps=[NAME_GAP]).sufficiency
    assert (sufficiency.is_sufficient, sufficiency.gaps) == (True, ())


@pytest.mark.parametrize(
    ("note", "kept"), [("It has 60 employees.", ""), ("It says what it is.", "It says what it is.")]
)
def test_a_note_with_a_figure_that_its_passage_lacks_never_reaches_the_writer(judge, scripted, note, kept):
    judgement = judge(scripted(judged(90, 90, 90, 90, 90, 90, note=note)))
    assert {passage.note for passage in judgement.evidence} == {kept}


def test_a_small_model_sees_few_passages_at_once_and_its_best_judgement_counts(judge, scripted):
    def about(*keys, score):
        return {"passages": [{"key": key, "score": score} for key in keys], "score": score}

    chat = scripted(about("P1", "P2", score=20), about("P3", "P4", score=90), about("P5", "P6", score=40))
    judgement = judge(chat, at_once=2)
    shown = [[f'key="P{n}"' in prompt for n in range(1, 7)] for _, prompt in chat.asked]
    assert [row.count(True) for row in shown] == [2, 2, 2]
    assert all(map(any, zip(*shown, strict=True)))
    assert ids(judgement) == ["c3", "c4"]
    assert judgement.quality.score == 90


def test_what_was_read_before_is_not_shown_again(scripted, prompts, run, passages):
    own = Rules()
    chat = scripted(judged(80, 70))
    step = ModelPassageJudge(chat, prompts, RulePassageJudge(own, own), 8)
    judgement = step.judge("Which?", PLAN, passages, Filter(), run, read={"c1", "c2", "c3", "c5"}, language=ENGLISH)
    assert ids(judgement) == ["c4", "c6"]
    assert "Passage number 4." in chat.prompt and "Passage number 1." not in chat.prompt
