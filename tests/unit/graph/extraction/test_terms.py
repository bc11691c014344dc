import pytest

from ascertain.core.documents.documents import DocumentKind


def test_phrases_that_a_document_comes_back_to_are_terms(names):
    text = (
        "The rate limit of the service is low. You can raise a rate limit, but rate limits of others stay. "
        "A green field is there."
    )
    assert names(text, profile="docs") == ["rate limit", "rate limit", "rate limits"]


def test_a_passage_that_is_there_twice_says_nothing_new(names):
    passage = "the salty brine of the deep sea."
    assert names(f"It is {passage} It is {passage}") == []


def test_verbs_end_a_term(names):
    text = "The server sends web pages. Any server sends web pages quickly. To send web pages costs little."
    assert set(names(text)) == {"web pages"}


def test_a_term_inside_a_longer_one_counts_only_for_itself(names):
    text = "The prompt cache key is set. A prompt cache key, too. For the prompt cache key he pays."
    assert set(names(text)) == {"prompt cache key"}


def test_a_term_may_hold_a_name(names):
    text = "They use a Fourier transform here. The Fourier transform of it is known to Fourier."
    assert names(text) == ["Fourier", "Fourier transform", "Fourier", "Fourier transform", "Fourier"]


@pytest.mark.parametrize(
    "text", ["the very same. the very same!", "every other day, every other day; of every other day"]
)
def test_words_that_name_nothing_make_no_term(names, text):
    assert names(text) == []


def test_terms_are_compared_in_the_singular(read):
    graph = read("The file systems differ. Each file system is checked by a tool. Of file systems we speak.")
    assert {m.name.key for m in graph.mentions} == {"file system"}


def _talk(text, names):
    return set(names(text, profile="podcasts", kind=DocumentKind.TRANSCRIPT, speaker="Ana", author="Ana, Bo"))


def test_in_a_conversation_a_term_is_what_several_speakers_use(names):
    text = "Ana: We did a code review. It had purple hair.\n\nBo: Any code review is hard, with purple hair."
    assert _talk(text, names) == {"code review", "purple hair"}
    alone = "Ana: We did a code review. It had purple hair. With purple hair, then.\n\nBo: Any code review is hard."
    assert _talk(alone, names) == {"code review"}


def test_a_practice_of_one_word_is_a_term_where_several_speakers_use_it(kinds):
    text = "Ana: The onboarding was long.\n\nBo: An onboarding of a week is long."
    found = kinds(text, profile="podcasts", kind=DocumentKind.TRANSCRIPT, speaker="Ana", author="Ana, Bo")
    assert found == {"onboarding": "Practice"}
