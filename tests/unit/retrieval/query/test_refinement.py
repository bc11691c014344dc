import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.judgements import Gap, GapKind, RetrievalIssue, RetrievalQuality, Shortfall, Sufficiency
from ascertain.core.asking.passages import Passage, Strategy
from ascertain.core.asking.plans import Refinement
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms
from ascertain.retrieval.query.refinement import GUIDANCE, RuleRefiner


def a_passage(text: str) -> Passage:
    chunk = Chunk(
        id=text[:20],
        document_id="d",
        index=0,
        span=Span(0, max(len(text), 1)),
        text=text,
        heading="",
        title="",
        kind=DocumentKind.PROSE,
        source="test",
    )
    return Passage(chunk, 0.5)


def refined(
    question: str,
    *issues: RetrievalIssue,
    gaps: Sequence[Gap] = (),
    passages: Sequence[str] = (),
    strategy: Strategy = Strategy.HYBRID,
) -> Refinement:
    shortfall = Shortfall(
        question,
        ENGLISH,
        strategy,
        tuple(map(a_passage, passages)),
        RetrievalQuality(30, issues, "poor"),
        Sufficiency(not gaps, tuple(gaps), "gaps"),
    )
    run = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
    return RuleRefiner([load_profile("news"), load_profile("docs")]).refine(shortfall, run)


def test_every_issue_has_guidance_of_its_own() -> None:
    assert set(GUIDANCE) == set(RetrievalIssue)
    assert len(set(GUIDANCE.values())) == len(RetrievalIssue)


def test_a_missing_name_comes_first_and_whole() -> None:
    gaps = [Gap(GapKind.NAME, "Zoltan"), Gap(GapKind.NAME, "Kodaly")]
    refinement = refined("When did Zoltan Kodaly visit the festival?", gaps=gaps)
    assert refinement.query.startswith('"Zoltan Kodaly"')
    assert "festival" in refinement.query
    assert "Kodaly" in refinement.reason


def test_a_search_by_meaning_gets_no_quotes() -> None:
    gaps = [Gap(GapKind.NAME, "Zoltan"), Gap(GapKind.NAME, "Kodaly")]
    query = refined("When did Zoltan Kodaly visit?", gaps=gaps, strategy=Strategy.SEMANTIC).query
    assert '"' not in query


def test_missing_concepts_come_first_and_nothing_is_lost() -> None:
    query = refined("How is the turbine blade cooled?", gaps=[Gap(GapKind.CONCEPT, "cooled")]).query
    assert query.split()[0] == "cooled"
    assert {"turbine", "blade"} <= set(query.split())


@pytest.mark.parametrize(
    ("issue", "question", "held", "expected"),
    [
        (RetrievalIssue.PARTIAL_COVERAGE, "battery range and charging time", "battery range", "time"),
        (RetrievalIssue.MISSING_KEY_INFO, "boiling point of neon", "point of no return", "neon"),
        (RetrievalIssue.INCOMPLETE_CONTEXT, "boiling point of neon", "neon boiling point", "overview"),
        (RetrievalIssue.DOMAIN_MISALIGNMENT, "how to fix slow login", "login", "troubleshoot"),
        (RetrievalIssue.WRONG_DOMAIN, "What moves bitcoin wallets?", "leather wallets", "crypto"),
        (RetrievalIssue.LOW_CONFIDENCE, "Could you tell me about neon lights", "x", "neon lights"),
    ],
)
def test_each_issue_has_its_remedy(issue: RetrievalIssue, question: str, held: str, expected: str) -> None:
    refinement = refined(question, issue, passages=[held])
    assert expected in refinement.query
    assert refinement.query != question
    assert refinement.reason.startswith(issue.replace("_", " "))


def test_off_topic_puts_the_name_first() -> None:
    assert refined("the big apple in Kent", RetrievalIssue.OFF_TOPIC).query.startswith("Kent")


def test_mixed_passages_lend_the_words_of_the_best() -> None:
    best = "Rotor blades spin. The rotor turns the generator, and the rotor hums."
    query = refined("wind power", RetrievalIssue.MIXED_RELEVANCE, passages=[best, "wind instruments", "power"]).query
    assert query.startswith("wind power")
    assert "rotor" in query.lower()


@pytest.mark.parametrize("issue", list(RetrievalIssue))
@pytest.mark.parametrize(
    "question", ["BTC news", "Krellion fine", "bitcoin and BTC price", "any Paul Atkins news?", "BTC", "fix a bug"]
)
@pytest.mark.parametrize("passages", [(), ("Bitcoin rose. Bitcoin news.", "The fine of Krellion", "Ether")])
def test_no_word_is_said_twice(question: str, issue: RetrievalIssue, passages: Sequence[str]) -> None:
    wording = question
    for _ in range(3):
        wording = refined(wording, issue, passages=passages).query
        stems = content_terms(wording, ENGLISH)
        assert len(stems) == len(set(stems)), wording


@given(
    words=st.lists(st.sampled_from("BTC news fine Krellion price ether bitcoin rose".split()), min_size=1, max_size=6),
    issues=st.lists(st.sampled_from(list(RetrievalIssue)), max_size=3),
    gaps=st.lists(st.builds(Gap, st.sampled_from(list(GapKind)), st.sampled_from(["BTC", "fine"])), max_size=3),
)
def test_no_word_is_said_more_often_than_it_was_asked(
    words: list[str], issues: list[RetrievalIssue], gaps: list[Gap]
) -> None:
    asked = Counter(content_terms(" ".join(words), ENGLISH))
    said = Counter(
        content_terms(refined(" ".join(words), *issues, gaps=gaps, passages=["Bitcoin news"]).query, ENGLISH)
    )
    assert all(count <= max(1, asked[stem]) for stem, count in said.items())


@pytest.mark.parametrize("issue", list(RetrievalIssue))
def test_every_further_wording_is_another(issue: RetrievalIssue) -> None:
    wordings = ["How is the turbine blade of the Boeing 747 cooled?"]
    for _ in range(4):
        wordings.append(refined(wordings[-1], issue, passages=["A turbine is a turbine.", "Boeing"]).query)
    assert all(one != other for one, other in itertools.pairwise(wordings))
    assert len(set(wordings[:4])) == 4


@given(
    question=st.one_of(
        st.text(max_size=200),
        st.sampled_from(["a" * 10_000, "it " * 3400, '"' * 10_000, "thanks, " * 1300, "a_1" * 3333]),
    ),
    issues=st.lists(st.sampled_from(list(RetrievalIssue)), max_size=3),
    gaps=st.lists(st.builds(Gap, st.sampled_from(list(GapKind)), st.text(max_size=30)), max_size=3),
    passages=st.lists(st.text(max_size=100), max_size=4),
)
def test_never_empty_and_never_the_same(
    question: str, issues: list[RetrievalIssue], gaps: list[Gap], passages: list[str]
) -> None:
    query = refined(question, *issues, gaps=gaps, passages=passages).query
    assert query.strip()
    assert " ".join(query.casefold().split()) != " ".join(question.casefold().split())
