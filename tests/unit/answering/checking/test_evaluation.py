from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.answering.checking.evaluation import RuleEvaluator
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment, confidence_of
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.asking.judgements import (
    SUFFICIENT_AFTER_GOOD,
    SUFFICIENT_AFTER_POOR,
    AnswerIssue,
    CheckedClaim,
    Gap,
    GapKind,
    Groundedness,
    RetrievalQuality,
    Sufficiency,
    wanted_score,
)
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, SubQuery, SubQueryType
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Place, Span
from ascertain.language.languages import ENGLISH
from ascertain.language.tables import label_row
from ascertain.questions.reading.question import read_question
from ascertain.workflow.ask.finish import describe_issue

RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
GOOD = Verdict(VerdictLabel.SUPPORTED, 1.0)
BAD = Verdict(VerdictLabel.NOT_IN_SOURCES, 0.1)
BRIDGE = "Ada Stone built the Elm Bridge in 1912."


def a_plan(*parts, type=QuestionType.FACTUAL, complexity=Complexity.SIMPLE):
    queries = tuple(SubQuery(part, SubQueryType.FACTUAL, 1) for part in parts)
    return Plan(Intent.KNOWLEDGE, type, complexity, "", queries)


@pytest.fixture
def an_answer(a_document, a_passage):
    def build(question, text, read=(BRIDGE,), verdict=GOOD, confidence=80):
        documents = [a_document(part, id=f"d{i}", title="") for i, part in enumerate(read)]
        citation = Citation(1, "d0", "", None, None, read[0], Span(0, len(read[0])), Place())
        made = Composition(
            text,
            (AnswerSentence(text, verdict, (1,)),),
            (citation,),
            confidence_of(confidence, 30, ENGLISH),
            (),
            AnswerType.SUMMARY,
        )
        return Assessment(
            read_question(question),
            made,
            tuple(a_passage(d) for d in documents),
            RetrievalQuality(80, (), ""),
            Sufficiency(True, (), ""),
            Groundedness((CheckedClaim(text, 0, verdict),)),
        )

    return build


def evaluated(answer, plan=None):
    return RuleEvaluator().evaluate(plan or a_plan(), answer, RUN)


def test_an_answer_that_says_what_was_asked_is_sufficient_and_without_issue(an_answer):
    evaluation = evaluated(an_answer("When was the Elm Bridge built?", BRIDGE))
    assert evaluation.issues == ()
    assert evaluation.score >= SUFFICIENT_AFTER_GOOD
    assert (evaluation.completeness, evaluation.accuracy) == (100, 100)


def test_each_issue_has_its_sign(an_answer):
    question = "When was the Elm Bridge built?"
    poor = replace(an_answer(question, BRIDGE), quality=RetrievalQuality(30, (), ""))
    gappy = replace(an_answer(question, BRIDGE), sufficiency=Sufficiency(False, (Gap(GapKind.NAME, "Eve"),), ""))
    both = a_plan("When was the Elm Bridge built?", "What do penguins eat?")
    comparative = a_plan(type=QuestionType.COMPARATIVE)
    two = (BRIDGE, "The Oak Bridge was built in 1950.")
    cases = [
        (poor, a_plan(), AnswerIssue.RETRIEVAL_LIMITED),
        (gappy, a_plan(), AnswerIssue.CONTEXTUAL_GAPS),
        (an_answer(question, BRIDGE, verdict=BAD), a_plan(), AnswerIssue.UNSUPPORTED_CLAIMS),
        (an_answer(question, "Cats sleep on the parapet."), a_plan(), AnswerIssue.WRONG_FOCUS),
        (an_answer(question, "Ada Stone built the Elm Bridge."), a_plan(), AnswerIssue.LACKS_SPECIFICITY),
        (an_answer(question, BRIDGE), both, AnswerIssue.PARTIAL_ANSWER),
        (an_answer("Is the Elm Bridge older?", BRIDGE, two), comparative, AnswerIssue.INCOMPLETE_SYNTHESIS),
        (
            an_answer("When was the Zorblax Elm Bridge built?", BRIDGE, (BRIDGE + " Zorblax.",)),
            a_plan(),
            AnswerIssue.MISSING_DETAILS,
        ),
    ]
    assert {issue for _, _, issue in cases} == set(AnswerIssue)
    for answer, plan, issue in cases:
        assert issue in evaluated(answer, plan).issues, issue


def test_unsupported_claims_cost_accuracy_and_score(an_answer):
    question = "When was the Elm Bridge built?"
    good, bad = evaluated(an_answer(question, BRIDGE)), evaluated(an_answer(question, BRIDGE, verdict=BAD))
    assert (bad.accuracy, bad.relevance) == (0, good.relevance)
    assert bad.score < good.score


def test_a_rejection_scores_nothing(an_answer):
    answer = an_answer("When?", BRIDGE)
    rejected = replace(answer, composition=replace(answer.composition, type=AnswerType.REJECTION))
    assert evaluated(rejected).score == 0


KINDS = [
    # kind, question, what is read, then answers: right, without the fact asked for, about another thing
    (
        "person",
        "Who built the Elm Bridge?",
        "Ada Stone built the Elm Bridge. The Elm Bridge was built of oak. Ben Hale painted the Oak Inn.",
        "Ada Stone built the Elm Bridge.",
        "The Elm Bridge was built of oak.",
        "Ben Hale painted the Oak Inn.",
    ),
    (
        "date",
        "When was the Elm Bridge opened?",
        "The Elm Bridge was opened in May 1912. The Elm Bridge was opened by the mayor. The Oak Inn burnt down in 1950.",
        "The Elm Bridge was opened in May 1912.",
        "The Elm Bridge was opened by the mayor.",
        "The Oak Inn burnt down in 1950.",
    ),
    (
        "number with its unit",
        "How many arches does the Elm Bridge have?",
        "The Elm Bridge has nine arches. The arches of the Elm Bridge are round. In the Oak Inn there are 40 beds.",
        "The Elm Bridge has nine arches.",
        "The arches of the Elm Bridge are round.",
        "In the Oak Inn there are 40 beds.",
    ),
    (
        "money",
        "What did the Elm Bridge cost?",
        "The Elm Bridge cost 900 dollars. The Elm Bridge cost the town dear. A bed in the Oak Inn is 40 euros.",
        "The Elm Bridge cost 900 dollars.",
        "The Elm Bridge cost the town dear.",
        "A bed in the Oak Inn is 40 euros.",
    ),
    (
        "place",
        "Where is the Elm Bridge?",
        "The Elm Bridge is in Bruges. The Elm Bridge is narrow. The Oak Inn stands near Ghent.",
        "The Elm Bridge is in Bruges.",
        "The Elm Bridge is narrow.",
        "The Oak Inn stands near Ghent.",
    ),
    (
        "reason",
        "Why was the Elm Bridge closed?",
        "The Elm Bridge was closed because a pier sank. The Oak Inn lost guests because of a fire.",
        "The Elm Bridge was closed because a pier sank.",
        None,
        "The Oak Inn lost guests because of a fire.",
    ),
    (
        "command",
        "How do I restore the ledger?",
        "To restore the ledger, run ledger-restore.sh. The ledger was restored last year. Paint the inn with lime.",
        "To restore the ledger, run ledger-restore.sh.",
        "The ledger was restored last year.",
        "Paint the inn with lime.",
    ),
    (
        "yes or no",
        "Is the Elm Bridge open to lorries?",
        "The Elm Bridge is closed to lorries. Dogs may not enter the Oak Inn.",
        "The Elm Bridge is closed to lorries.",
        None,
        "Dogs may not enter the Oak Inn.",
    ),
    (
        "list",
        "Which materials were used for the Elm Bridge?",
        "The materials of the Elm Bridge are oak, iron and lime. The Oak Inn serves trout, ale and bread.",
        "The materials of the Elm Bridge are oak, iron and lime.",
        None,
        "The Oak Inn serves trout, ale and bread.",
    ),
    (
        "comparison",
        "Is the Elm Bridge longer than the Ash Bridge?",
        "At 90 metres the Elm Bridge is longer than the Ash Bridge. The Oak Inn is older than its cellar.",
        "At 90 metres the Elm Bridge is longer than the Ash Bridge.",
        None,
        "The Oak Inn is older than its cellar.",
    ),
]
RIGHT = [(question, read, right) for _, question, read, right, _, _ in KINDS]
ABSENT = [(question, read, absent) for _, question, read, _, absent, _ in KINDS if absent]
ELSEWHERE = [(question, read, elsewhere) for _, question, read, _, _, elsewhere in KINDS]
NONSENSE = ["It depends on many things.", "There is a lot to say about this.", "Much has been written."]


@pytest.mark.parametrize(("question", "read", "text"), RIGHT, ids=[kind for kind, *_ in KINDS])
def test_an_answer_that_tells_what_was_asked_passes_without_issue(an_answer, question, read, text):
    evaluation = evaluated(an_answer(question, text, (read,)))
    assert evaluation.score >= SUFFICIENT_AFTER_GOOD
    assert evaluation.issues == ()


@pytest.mark.parametrize(("question", "read", "text"), ABSENT)
def test_an_answer_without_the_fact_asked_for_fails_and_says_which_is_missing(an_answer, question, read, text):
    evaluation = evaluated(an_answer(question, text, (read,)))
    assert evaluation.score < SUFFICIENT_AFTER_POOR
    assert AnswerIssue.LACKS_SPECIFICITY in evaluation.issues
    assert describe_issue(AnswerIssue.LACKS_SPECIFICITY, read_question(question)).startswith("No ")


@pytest.mark.parametrize(("question", "read", "text"), ELSEWHERE)
def test_an_answer_about_another_thing_fails(an_answer, question, read, text):
    evaluation = evaluated(an_answer(question, text, (read,)))
    assert evaluation.score < SUFFICIENT_AFTER_POOR
    assert AnswerIssue.WRONG_FOCUS in evaluation.issues


@pytest.mark.parametrize("nonsense", NONSENSE)
@pytest.mark.parametrize(("question", "read", "_"), RIGHT)
def test_empty_words_fail(an_answer, question, read, _, nonsense):
    assert evaluated(an_answer(question, nonsense, (read,))).score < SUFFICIENT_AFTER_POOR


@pytest.mark.parametrize(("question", "read", "_"), RIGHT)
def test_the_question_echoed_is_no_answer(an_answer, question, read, _):
    evaluation = evaluated(an_answer(question, question.replace("?", "."), (read,)))
    assert evaluation.score == 0
    assert AnswerIssue.WRONG_FOCUS in evaluation.issues


def test_a_heading_is_no_answer(an_answer, a_document, a_passage):
    answer = an_answer("What is said of the Elm Bridge?", "The Elm Bridge and its history")
    headed = a_passage(a_document(BRIDGE, title="The Elm Bridge and its history"))
    assert evaluated(replace(answer, passages=(headed,))).score == 0


def test_a_title_alone_does_not_make_the_sentence_under_it_an_answer(an_answer):
    answer = an_answer("What is the Elm Bridge made of?", "Trout, ale and bread are served until nine.")
    titled = tuple(replace(citation, title="The Elm Bridge") for citation in answer.composition.citations)
    answer = replace(answer, composition=replace(answer.composition, citations=titled))
    assert evaluated(answer).score < SUFFICIENT_AFTER_POOR


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("chief operating officer of Brel Pay", "Ada Stone is the chief technology officer of Brel Pay."),
        ("finance chief of Brel Pay", "Gideon Marsh resigned as chief executive of Brel Pay."),
        ("vice president of Brel Pay", "Ada Stone is the president of Brel Pay."),
        ("sales manager of Brel Pay", "Bo Lind is the travel manager of Brel Pay."),
    ],
)
def test_who_holds_another_office_is_no_answer(an_answer, asked, text):
    evaluation = evaluated(an_answer(f"Who is the {asked}?", text, (text,)))
    assert evaluation.score == 0
    assert AnswerIssue.WRONG_FOCUS in evaluation.issues
    assert "another office" in evaluation.reason


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("chief executive officer of Brel Pay", "Gideon Marsh is chief executive of Brel Pay."),
        ("new finance chief of Brel Pay", "Bo Lind was named chief financial officer of Brel Pay."),
        ("CTO of Brel Pay", "Ada Stone is the chief technology officer of Brel Pay."),
        ("French finance minister", "Ada Stone, finance minister of France, agreed."),
        ("current chief of the harbour", "Bo Lind is the chief of the harbour."),
    ],
)
def test_an_office_may_be_told_in_other_words(an_answer, asked, text):
    assert evaluated(an_answer(f"Who is the {asked}?", text, (text,))).score >= SUFFICIENT_AFTER_GOOD


def test_a_sentence_may_leave_out_what_its_title_says(an_answer):
    answer = an_answer("When was the Elm Bridge built?", "It was built in 1912.")
    titled = tuple(replace(citation, title="The Elm Bridge") for citation in answer.composition.citations)
    answer = replace(answer, composition=replace(answer.composition, citations=titled))
    assert evaluated(answer).score >= SUFFICIENT_AFTER_GOOD


@pytest.mark.parametrize(
    ("question", "text"),
    [("When was the Elm Bridge built?", "In 1912."), ("Who built the Elm Bridge?", "By Ada Stone.")],
)
def test_a_terse_answer_is_completed_by_the_quotation_that_holds_it(an_answer, question, text):
    assert evaluated(an_answer(question, text)).score >= SUFFICIENT_AFTER_GOOD
    assert evaluated(an_answer(question, text, ("Cats sleep.",))).score < SUFFICIENT_AFTER_POOR


def test_a_figure_in_the_column_asked_for_is_the_fact_though_its_unit_stands_in_the_header(an_answer):
    header, row = "sku | name | qty | unit_price_eur", "BR-8 | Brake lever | 140 | 17.90"
    answer = an_answer("What does the brake lever BR-8 cost?", label_row(header, row), (f"{header}\n{row}",))
    spans = (Span(0, len(header)), Span(len(header) + 1, len(header) + 1 + len(row)))
    citations = tuple(
        Citation(n, "d0", "", None, None, quote, span, Place())
        for n, (quote, span) in enumerate(zip((header, row), spans, strict=True), 1)
    )
    sentences = tuple(replace(sentence, citations=(1, 2)) for sentence in answer.composition.sentences)
    composition = replace(answer.composition, citations=citations, sentences=sentences)
    assert evaluated(replace(answer, composition=composition)).issues == ()


def test_what_is_announced_and_not_quoted_is_not_answered(an_answer):
    question, read = "Which materials does the Elm Bridge need?", ("The Elm Bridge needs these materials: oak, lime.",)
    whole, cut = (evaluated(an_answer(question, text, read)) for text in (read[0], read[0].split(" oak")[0]))
    assert cut.score < whole.score


WORDS = st.lists(st.from_regex(r"[bdfghklmnprstvz]{2}[aeiou][qxz]{2,4}", fullmatch=True), min_size=1, max_size=12)


@given(words=WORDS, quality=st.integers(0, 100), confidence=st.integers(0, 100))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_answer_that_shares_no_word_and_offers_no_fact_never_passes(an_answer, words, quality, confidence):
    for question in (
        "When was the Elm Bridge built?",
        "How many arches has the Elm Bridge?",
        "Is the Elm Bridge open?",
    ):
        answer = replace(
            an_answer(question, " ".join(words), confidence=confidence), quality=RetrievalQuality(quality, (), "")
        )
        assert evaluated(answer).score < wanted_score(answer.quality)


@given(
    question=st.text(min_size=1),
    text=st.text(min_size=1),
    read=st.text(min_size=1),
    parts=st.lists(st.text(), max_size=3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_scores_lie_in_0_to_100_whatever_is_said(an_answer, question, text, read, parts):
    evaluation = evaluated(an_answer(question, text, (read,)), a_plan(*parts))
    assert all(
        0 <= score <= 100
        for score in (evaluation.score, evaluation.relevance, evaluation.completeness, evaluation.accuracy)
    )


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who built it?", "No person or organisation is named, though the question asks for one."),
        ("Where is it?", "No place is given, though the question asks for one."),
        ("When was it built?", "No date is given, though the question asks for one."),
        ("How much did it cost?", "No sum of money is given, though the question asks for one."),
        ("How long is it kept?", "No length of time or age is given, though the question asks for one."),
        ("How do I open it?", "No step or command is given, though the question asks how to do something."),
        ("How many failed?", "No number is given, though the question asks for one."),
        ("Why did it fail?", "No reason is given, though the question asks for one."),
        ("Tell me of the bridge", "The answer stays general, though the question asks for something particular."),
    ],
)
def test_an_absent_fact_is_told_by_its_kind(question, told):
    assert describe_issue(AnswerIssue.LACKS_SPECIFICITY, read_question(question)) == told


@pytest.mark.parametrize("issue", AnswerIssue)
def test_every_issue_is_told_in_one_short_sentence(issue):
    told = describe_issue(issue, read_question("How is the bridge?"))
    assert told[0].isupper() and told.endswith(".") and told.count(".") == 1
    assert len(told) < 90


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Dogs are not allowed on the cliffs during the breeding season.", True),
        ("Are dogs allowed on the cliffs during the breeding season?", False),
    ],
)
def test_what_may_be_denied_is_answered_in_the_words_of_the_question(an_answer, text, passes):
    evaluation = evaluated(an_answer("Are dogs allowed on the cliffs during the breeding season?", text, (text,)))
    assert (evaluation.score >= SUFFICIENT_AFTER_GOOD) is passes
