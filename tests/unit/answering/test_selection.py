import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.answering.evidence import weigh_choice
from ascertain.answering.extractive import TIED, choose_sentences
from ascertain.answering.units.candidates import gather_candidates
from ascertain.language.languages import ENGLISH
from ascertain.language.sentences import leans_on_previous
from ascertain.models.logistic_model import share_chances


@pytest.fixture
def candidates(a_document, a_passage):
    def build(*texts):
        documents = {f"d{i}": a_document(text, id=f"d{i}") for i, text in enumerate(texts)}
        return gather_candidates([a_passage(d) for d in documents.values()], documents.get, ENGLISH).candidates

    return build


def picked(candidates, scores, limit=3):
    return [
        candidates[c.candidate].text
        for c in choose_sentences(candidates, np.array(scores, dtype=float), limit, ENGLISH)
    ]


def test_the_best_sentence_comes_first_and_the_rest_of_its_document_behind_it(candidates):
    found = candidates("Cats sleep long. Dogs bark loudly.", "Birds sing early. Fish swim deep.")
    assert picked(found, [1, 0, 0.5, 3]) == ["Fish swim deep.", "Birds sing early.", "Cats sleep long."]


@pytest.mark.parametrize(
    ("scores", "enough", "count"),
    [
        ([6, 1, 0, 0], 0.9, 1),
        ([2, 1, 0, 0], 0.9, 3),
        ([2, 1, 0, 0], 0.6, 1),
        ([6, 1, 2, 2], 1.0, 3),
        ([-np.inf, -np.inf, 1, -np.inf], 0.9, 1),
    ],
)
def test_no_further_sentence_once_it_is_sure_enough(candidates, scores, enough, count):
    found = candidates("Cats sleep long. Dogs bark loudly.", "Birds sing early. Fish swim deep.")
    assert len(choose_sentences(found, np.array(scores, dtype=float), 3, ENGLISH, enough=enough)) == count


def test_a_sentence_without_the_kind_of_thing_asked_for_makes_nothing_sure(candidates):
    found = candidates("It was a cold year. They met in 1988. Nobody else came.", "Birds sing early.")
    scores = np.array([6.0, 3, 2, 1])
    chosen = choose_sentences(
        found, scores, 3, ENGLISH, enough=0.9, offers_kind_asked=lambda candidate: "1988" in candidate.text
    )
    assert "They met in 1988." in [found[c.candidate].text for c in chosen]


def test_does_not_say_the_same_twice(candidates):
    found = candidates("The bridge opened in May 1912.", "In May 1912, the bridge opened!", "Trams crossed it daily.")
    assert picked(found, [3, 2, 1]) == ["The bridge opened in May 1912.", "Trams crossed it daily."]


@pytest.mark.parametrize(
    "text",
    [
        # the summary of an article and its first sentence, which says more
        "Bitcoin rose 4.1 percent as thin weekend trading exaggerated the moves.\n\n"
        "Bitcoin rose 4.1 percent to $96,471 on 1 June, as thin weekend trading exaggerated the moves.",
        # the other way round
        "Bitcoin rose 4.1 percent to $96,471 on 1 June, as thin weekend trading exaggerated the moves.\n\n"
        "Bitcoin rose 4.1 percent as thin weekend trading exaggerated the moves.",
    ],
)
@pytest.mark.parametrize("scores", [[3, 2, 1], [2, 3, 1]])
def test_of_two_sentences_of_a_document_that_say_the_same_the_fuller_is_quoted(candidates, text, scores):
    found = candidates(text, "Trams crossed the bridge daily.")
    assert picked(found, scores) == [
        "Bitcoin rose 4.1 percent to $96,471 on 1 June, as thin weekend trading exaggerated the moves.",
        "Trams crossed the bridge daily.",
    ]


def test_of_two_wordings_in_one_document_the_better_is_quoted(candidates):
    found = candidates(
        "Attackers drained about $48 million from the cross-chain bridge Halcyon early on Wednesday, first estimates show."
        "\n\nThe cross-chain bridge Halcyon lost about $48 million to attackers early on Wednesday, estimates of $48 "
        "million show."
    )
    assert picked(found, [1, 3]) == [found[1].text]


@pytest.mark.parametrize(
    "texts",
    [
        # two that deny each other
        ("The exit codes of Click are fully documented. The exit codes of Click are not fully documented.",),
        # other figures
        ("Shares of Larkspur rose 2 percent on Monday. Shares of Larkspur rose 3 percent on Tuesday.",),
        # two documents each say it for themselves
        ("The Elm Bridge opened in May 1912.", "The stone Elm Bridge of Oakford opened in sunny May 1912 for trams."),
        # two words in common are not the same
        ("Founder Lindholm rang the bell. The founder Lindholm holds 34 percent of the shares.",),
    ],
)
def test_sentences_that_say_something_else_are_both_quoted(candidates, texts):
    found = candidates(*texts)
    assert len(picked(found, [2.0, 1.0])) == 2


def test_the_same_sentence_in_two_documents_is_one_with_two_sources(candidates):
    found = candidates("The bridge opened in May 1912.", "The bridge  opened in May 1912.")
    (chosen,) = choose_sentences(found, np.array([2.0, 1.0]), 3, ENGLISH)
    assert (chosen.candidate, chosen.echoes) == (0, (1,))


def test_prefers_a_sentence_to_a_heading(candidates):
    found = candidates("# Opening of the bridge\n\nThe bridge opened in May.")
    assert picked(found, [-np.inf, 1]) == ["The bridge opened in May."]


def test_a_heading_is_better_than_nothing(candidates):
    assert picked(candidates("# Opening of the bridge"), [1]) == ["# Opening of the bridge"]


def test_no_further_sentence_that_hardly_holds_the_answer(candidates):
    found = candidates("Cats sleep long here. Dogs bark loudly there. Birds sing early there.")
    scores = np.array([2.0, 1.0, -1.0])

    def count(likely):
        return len(choose_sentences(found, scores, 3, ENGLISH, likely=likely))

    assert [count(0.0), count(0.1), count(0.5)] == [3, 2, 1]


def test_candidates_without_a_score_are_never_taken(candidates):
    found = candidates("Cats sleep long here. Dogs bark loudly there.")
    assert picked(found, [-np.inf, 0]) == ["Dogs bark loudly there."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opened.", True),
        ("However, it closed.", True),
        ("“They left.”", True),
        ("Italy won.", False),
        ("The bridge fell.", False),
    ],
)
def test_knows_openings_that_lean(text, expected):
    assert leans_on_previous(text) is expected


@given(scores=st.lists(st.floats(-20, 20), min_size=6, max_size=6), limit=st.integers(1, 8))
def test_never_more_than_the_limit_and_never_twice(a_document, a_passage, scores, limit):
    texts = ("Cats sleep long. It is warm. Dogs bark.", "Birds sing. Fish swim in deep water. Ants dig.")
    documents = {f"d{i}": a_document(text, id=f"d{i}") for i, text in enumerate(texts)}
    found = gather_candidates([a_passage(d) for d in documents.values()], documents.get, ENGLISH).candidates
    chosen = [c.candidate for c in choose_sentences(found, np.array(scores), limit, ENGLISH)]
    assert 1 <= len(chosen) <= limit
    assert len(set(chosen)) == len(chosen)
    # those about as good as the best come by their place
    assert max(scores[i] for i in chosen) >= max(scores) - TIED


def test_a_fact_that_stands_beside_the_chosen_takes_the_place_of_the_weakest(candidates):
    found = candidates("The year was 1988. I worked there and got my name. It was odd then. Nobody else used it.")
    chosen = choose_sentences(
        found, np.array([-9.0, 3, 2, 1]), 3, ENGLISH, offers_fact=lambda candidate: "1988" in candidate.text
    )
    assert [found[c.candidate].text for c in chosen] == [
        "The year was 1988.",
        "I worked there and got my name.",
        "It was odd then.",
    ]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_sentence_that_makes_room_for_another_is_not_shown_all_the_same(candidates, limit):
    found = candidates(
        "The year was 1988. I saw my city burn then, by far the worst of days. It was odd then. Nobody else came home. "
        "So argues Ada Stone in her book."
    )
    scores = np.array([-9.0, 3, 2, 1, -9.0])
    chosen = choose_sentences(found, scores, limit, ENGLISH, offers_fact=lambda candidate: "1988" in candidate.text)
    assert len(chosen) <= limit


@given(st.lists(st.one_of(st.floats(-30, 30), st.just(-np.inf)), min_size=1, max_size=20))
def test_a_choice_is_the_surer_the_further_it_stands_out(scores):
    scores = np.array(scores)
    choice, best = weigh_choice(scores), int(np.argmax(scores))
    assert abs(choice) <= 4 + 1e-9
    assert share_chances(scores).sum() == pytest.approx(float(np.isfinite(scores).any()))
    assert weigh_choice(scores + (np.arange(len(scores)) == best)) >= choice - 1e-9
    assert weigh_choice(np.append(scores, scores[best])) <= choice + 1e-9
    assert weigh_choice(scores, own=[best]) == pytest.approx(choice)
    assert weigh_choice(scores, own=range(min(3, len(scores)))) <= choice + 1e-9


def test_a_choice_among_two_alike_is_even():
    assert weigh_choice(np.array([2.0, 2.0, -np.inf])) == pytest.approx(0)
