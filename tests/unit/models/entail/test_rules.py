from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import ModelError
from ascertain.language.languages import ENGLISH
from ascertain.models.embed.cards import BUILT_IN
from ascertain.models.entail.alignment import is_negation
from ascertain.models.entail.rules import CEILING, LIKELY, RuleEntailment
from ascertain.models.onnx import OnnxEmbedder
from ascertain.models.ports import ClaimPair, Support
from ascertain.models.reader import BUILT_IN_CLAIMS as READER
from ascertain.models.reader import DamagedReader, Reader

EVIDENCE = (
    "The Harbour Bridge was opened on 19 March 1932 by Premier Jack Lang. It carries eight lanes of traffic. "
    "The council rejected the plan to add a cycle path. Tolls rose by 12 percent last year."
)


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder.load(BUILT_IN, threads=1)


@pytest.fixture(scope="module")
def check(embedder):
    def ask(claim, evidence=EVIDENCE, language=ENGLISH):
        return RuleEntailment(embedder).check(
            [ClaimPair(claim, evidence, language=language)], Run(Budget(0, 0, 60, 0))
        )[0]

    return ask


@pytest.mark.parametrize(
    "claim",
    [
        "The Harbour Bridge was opened on 19 March 1932 by Premier Jack Lang.",
        "The Harbour Bridge was opened in March 1932.",
        "Tolls rose by 12% last year.",
        "The council rejected the plan.",
    ],
)
def test_what_the_evidence_says_is_entailed(check, claim):
    assert check(claim).entailed > 0.7


@pytest.mark.parametrize(
    ("claim", "named"),
    [
        ("The Harbour Bridge was opened on 19 March 1935.", "“1935”"),
        ("Premier Joseph Cahill opened the Harbour Bridge.", "“Joseph”"),
        ("The council accepted the plan to add a cycle path.", "“accepted”"),
        ("The council did not reject the plan to add a cycle path.", "denies"),
        ("Bananas are rich in potassium.", "nothing"),
    ],
)
def test_what_it_does_not_say_is_less_entailed_than_what_it_says_and_the_reason_names_it(check, claim, named):
    support = check(claim)
    assert support.entailed < check("The council rejected the plan.").entailed
    assert named in support.reason


def test_an_opposite_is_denied_rather_than_unknown(check):
    denied = check("The council accepted the plan to add a cycle path.")
    unknown = check("Bananas are rich in potassium.")
    assert denied.contradicted > unknown.contradicted


@pytest.mark.parametrize(
    "claim",
    [
        "The Harbour Bridge was opened on 20 March 1932 by Premier Jack Lang.",
        "Tolls rose by 13 percent last year.",
        "The council did not reject the plan to add a cycle path.",
        "The Harbour Bridge was not opened on 19 March 1932 by Premier Jack Lang.",
    ],
)
def test_a_wrong_number_or_a_turned_statement_is_held_at_the_ceiling_however_alike_the_rest_is(check, claim):
    """By their words alone these claims reach 0.62 to 0.72."""
    assert check(claim).entailed <= 0.6


LAKE = {
    "de": "Der Rat lehnte den Radweg ab. Die Brücke wurde im Jahr 1932 für den Verkehr geöffnet.",
    "es": "El consejo rechazó el carril para bicicletas. El puente fue abierto al tráfico en el año 1932.",
}


@pytest.mark.parametrize(
    ("language", "said", "denied"),
    [
        ("de", "Die Brücke wurde im Jahr 1932 geöffnet.", "Die Brücke wurde im Jahr 1932 nicht geöffnet."),
        ("de", "Die Brücke wurde für den Verkehr geöffnet.", "Die Brücke wurde niemals für den Verkehr geöffnet."),
        ("es", "El puente fue abierto en el año 1932.", "El puente nunca fue abierto en el año 1932."),
        ("es", "El puente fue abierto al tráfico.", "El puente jamás fue abierto al tráfico."),
    ],
)
def test_a_denial_in_the_language_spoken_is_none_of_what_is_said(check, language, said, denied):
    support, other = check(denied, LAKE[language], language), check(said, LAKE[language], language)
    assert support.entailed <= 0.6 < other.entailed
    assert support.contradicted > other.contradicted
    assert check(denied, LAKE[language]).entailed > support.entailed


@pytest.mark.parametrize(
    ("language", "word", "turns"),
    [
        ("en", "not", True), ("en", "nicht", False), ("de", "nicht", True), ("de", "unless", False), ("fr", "n'est", True),
        ("es", "jamas", True), ("pt", "nao", True), ("pt", "no", False), ("pt", "never", True), ("nl", "geen", True),
        ("it", "nessuno", True), ("ja", "not", True),
    ],
)  # fmt: skip
def test_words_that_deny_are_those_of_the_language_spoken(language, word, turns):
    assert is_negation(word, language) is turns


RISE = (
    "Bitcoin fell 2.0 percent to $90,735 on 15 June 2025, after $92,540 the day before, as thin trading exaggerated the "
    "moves. The fee is 7 percent."
)


@pytest.mark.parametrize(
    ("claim", "is_altered"),
    [
        ("Bitcoin fell 2.0 percent as thin trading exaggerated the moves.", False),
        ("Bitcoin fell as thin trading exaggerated the moves.", False),
        ("Bitcoin fell on 15 June 2025 as thin trading exaggerated the moves.", False),
        ("Bitcoin fell 15 percent as thin trading exaggerated the moves.", True),
        ("Bitcoin fell 7 percent as thin trading exaggerated the moves.", True),
        ("Bitcoin fell to $2,025 as thin trading exaggerated the moves.", True),
    ],
)
def test_a_figure_of_a_date_or_of_another_sentence_is_no_figure_of_this_one(check, claim, is_altered):
    support = check(claim, RISE)
    assert support.is_altered is is_altered
    assert (support.entailed <= 0.6) is is_altered


@pytest.mark.parametrize(("claim", "evidence"), [("", EVIDENCE), ("…", EVIDENCE)])
def test_nothing_claimed_is_entailed(check, claim, evidence):
    assert check(claim, evidence).entailed == 1


def test_without_evidence_nothing_is_entailed(check):
    assert check("The bridge is open.", " \n ").entailed == 0


def test_the_order_of_the_pairs_and_their_company_do_not_matter(embedder):
    pairs = [
        ClaimPair("Tolls rose.", EVIDENCE),
        ClaimPair("Tolls fell.", EVIDENCE),
        ClaimPair("Tolls rose.", "No tolls."),
    ]
    checker, run = RuleEntailment(embedder), Run(Budget(0, 0, 60, 0))
    together = checker.check(pairs, run)
    alone = [checker.check([pair], run)[0] for pair in pairs]
    for one, other in zip(together, alone, strict=True):
        assert one.entailed == pytest.approx(other.entailed, abs=1e-3)


def test_each_sentence_is_embedded_once_in_a_call(embedder):
    seen: list[str] = []

    class Counting:
        def embed_tokens(self, texts):
            seen.extend(texts)
            return embedder.embed_tokens(texts)

    RuleEntailment(Counting()).check(
        [ClaimPair(f"Tolls rose {i} times.", EVIDENCE) for i in range(3)], Run(Budget(0, 0, 60, 0))
    )
    assert len(seen) == len(set(seen)) == 7


def test_an_embedder_without_tokens_is_an_error():
    class Without:
        def embed_tokens(self, texts):
            return None

    with pytest.raises(ModelError, match="gives no tokens"):
        RuleEntailment(Without()).check([ClaimPair("a", "b")], Run(Budget(0, 0, 60, 0)))


class ScriptedReader:
    """Says ``support`` of every claim and remembers what it was asked."""

    def __init__(self, support):
        self.support = support
        self.asked = []

    def check(self, claim, evidences):
        self.asked.append((claim, *evidences))
        return [self.support] * len(evidences)


REWORDED = "A scheme for a bicycle lane was turned down by the council."
SURE, DENIED = Support(0.99, 0.005), Support(0.02, 0.95)


def judge(embedder, reader, claim, evidence=EVIDENCE, run=None):
    return RuleEntailment(embedder, reader).check([ClaimPair(claim, evidence)], run or Run(Budget(0, 0, 60, 0)))[0]


def test_what_the_reader_makes_of_a_claim_counts(embedder):
    assert judge(embedder, ScriptedReader(SURE), REWORDED).entailed > LIKELY
    assert judge(embedder, ScriptedReader(DENIED), REWORDED).entailed < judge(embedder, None, REWORDED).entailed


@pytest.mark.parametrize(
    "claim", ["Tolls rose by 13 percent last year.", "The council did not reject the plan to add a cycle path."]
)
def test_no_reader_lifts_a_wrong_number_or_a_turned_statement_over_the_ceiling(embedder, claim):
    assert judge(embedder, ScriptedReader(SURE), claim).entailed <= CEILING < LIKELY


def test_a_true_claim_in_other_words_is_supported_with_the_reader_that_comes_with_it(embedder):
    reader = Reader.load(READER, threads=1)
    assert judge(embedder, reader, "The plan for a cycle path was rejected by the council.").entailed > LIKELY
    assert judge(embedder, reader, "The council is paid for by tourists.").entailed < LIKELY


def test_claims_and_evidence_in_other_languages_are_left_to_the_rules(embedder):
    reader = ScriptedReader(SURE)
    german = "Die Brücke wurde von der Stadt und dem Land mit einer neuen Straße gebaut."
    judge(embedder, reader, german)
    judge(embedder, reader, "The bridge was built.", german)
    assert reader.asked == []


def test_a_reader_that_fails_leaves_the_claims_to_the_rules_and_says_so(embedder):
    run = Run(Budget(0, 0, 60, 0))
    judged = judge(embedder, DamagedReader("the file is damaged"), REWORDED, run=run)
    assert judged == judge(embedder, None, REWORDED)
    assert [(d.outcome, d.reason) for d in run.take_notes()] == [
        ("claims checked by rules alone", "the reader failed: the file is damaged")
    ]


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=120), st.text(max_size=300))
def test_any_texts_give_chances(embedder, claim, evidence):
    support = RuleEntailment(embedder).check([ClaimPair(claim, evidence)], Run(Budget(0, 0, 60, 0)))[0]
    assert 0 <= support.entailed <= 1
    assert 0 <= support.contradicted <= 1 - support.entailed + 1e-9
