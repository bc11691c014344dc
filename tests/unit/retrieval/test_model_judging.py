import pytest

from ascertain.core.errors import ModelError
from ascertain.core.judgements import Gap, GapKind, RetrievalIssue, RetrievalQuality, Sufficiency
from ascertain.core.passages import Filter
from ascertain.core.plans import Complexity, Intent, Plan, QuestionType
from ascertain.retrieval.model_judging import ModelRetrievalJudge, ModelSufficiency

PLAN = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "")
RULES = RetrievalQuality(55, (RetrievalIssue.MIXED_RELEVANCE,), "by rules", {"similarity": 0.5})
TIME_GAP = Gap(GapKind.TIME, "May 2024")
NAME_GAP = Gap(GapKind.NAME, "Elm")


class Rules:
    def __init__(self, gaps=(), quality=RULES):
        self.gaps = tuple(gaps)
        self.quality = quality

    def judge(self, question, plan, passages, run, gathered=()):
        return self.quality

    def check(self, question, plan, passages, filter, run):
        return Sufficiency(not self.gaps, self.gaps, "by rules", {"chunks": 3.0})


@pytest.fixture
def passages(a_found_passage):
    return [a_found_passage("The Elm Bridge opened in 1912."), a_found_passage("Cats sleep.", "c2")]


@pytest.fixture
def judge(prompts, run, passages):
    def ask(chat, found=passages, rules=RULES):
        return ModelRetrievalJudge(chat, prompts, Rules(quality=rules)).judge("When did it open?", PLAN, found, run)

    return ask


@pytest.fixture
def check(prompts, run, passages):
    def ask(chat, gaps=(), found=passages):
        step = ModelSufficiency(chat, prompts, Rules(gaps))
        return step.check("When did it open?", PLAN, found, Filter(), run)

    return ask


def test_takes_score_and_issues_from_the_model_and_signals_from_the_rules(scripted, judge):
    quality = judge(scripted({"score": 45, "issues": ["partial_coverage", "partial_coverage"], "reason": "half"}))
    assert (quality.score, quality.issues) == (45, (RetrievalIssue.PARTIAL_COVERAGE,))
    assert quality.signals == {"similarity": 0.5, "rules": 55.0, "off_topic": 0.0}


def test_shows_each_passage_with_title_date_and_source(scripted, judge):
    chat = scripted({"score": 70})
    judge(chat)
    assert 'key="P1" title="A title" date="2024-05-17" source="c1.md"' in chat.prompt


def test_flawless_passages_have_no_issues(scripted, judge):
    assert judge(scripted({"score": 95, "issues": ["low_confidence"]})).issues == ()


def test_poor_passages_have_an_issue(scripted, judge):
    assert judge(scripted({"score": 10})).issues == RULES.issues


def test_does_not_believe_a_contradiction(scripted, judge, run):
    assert judge(scripted({"score": 95, "issues": ["off_topic"]})) is RULES
    assert run.take_notes()[0].outcome == "fell back to rules"


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
    quality = judge(scripted({"score": 5, "issues": ["off_topic"], "reason": "none"}), rules=rules)
    assert (quality.score, quality.issues) == (5, issues)
    assert ("the rules find passages on the subject" in quality.reason) is (OFF not in issues)


def test_passages_that_are_good_are_on_the_subject(scripted, judge, run):
    assert judge(scripted({"score": 60, "issues": ["off_topic"]})) is RULES
    assert run.take_notes()[0].outcome == "fell back to rules"


def test_makes_no_call_where_nothing_was_found(scripted, judge, check):
    chat = scripted()
    assert judge(chat, []) is RULES
    assert check(chat, [NAME_GAP], []).gaps == (NAME_GAP,)
    assert not chat.asked


@pytest.mark.parametrize("failure", [ModelError("HTTP 500"), ModelError("no JSON")])
def test_leaves_a_failed_call_to_the_rules(scripted, judge, check, run, failure):
    assert judge(scripted(failure)) is RULES
    assert check(scripted(failure)).reason == "by rules"
    assert [note.node for note in run.take_notes()] == ["judge", "judge"]


def test_names_what_the_model_misses(scripted, check):
    sufficiency = check(scripted({"is_sufficient": False, "gaps": [{"kind": "concept", "what": "why it closed"}]}))
    assert (sufficiency.is_sufficient, sufficiency.gaps) == (False, (Gap(GapKind.CONCEPT, "why it closed"),))


def test_a_gap_that_was_measured_stands(scripted, check):
    sufficiency = check(scripted({"is_sufficient": True}), [TIME_GAP])
    assert (sufficiency.is_sufficient, sufficiency.gaps) == (False, (TIME_GAP,))


def test_the_model_may_find_a_name_that_the_rules_missed(scripted, check):
    sufficiency = check(scripted({"is_sufficient": True}), [NAME_GAP])
    assert (sufficiency.is_sufficient, sufficiency.gaps) == (True, ())


def test_does_not_believe_in_a_lack_of_nothing(scripted, check, run):
    assert check(scripted({"is_sufficient": False, "gaps": []})).is_sufficient
    assert "named nothing missing" in run.take_notes()[0].reason
