import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.app.choosing.settings_file import set_values
from ascertain.core.errors import ConfigurationError

THRESHOLD = {"answers.rejection_threshold": 35}


def test_a_missing_file_is_made_with_its_folder(tmp_path):
    path = tmp_path / "home" / "ascertain.toml"
    set_values(path, {**THRESHOLD, "retrieval.fusion.dense_weight": 0.6})
    assert tomllib.loads(path.read_text()) == {
        "answers": {"rejection_threshold": 35},
        "retrieval": {"fusion": {"dense_weight": 0.6}},
    }


def test_everything_else_stays_as_it_was_written(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text(
        'profile = "news"  # ours\n\n[answers]\n# why 20: a bold tone\nrejection_threshold = 20  # bold\n'
        "max_sentences = 2\n\n[retrieval]\ntop_k = 5\n"
    )
    set_values(path, THRESHOLD)
    assert path.read_text() == (
        'profile = "news"  # ours\n\n[answers]\n# why 20: a bold tone\nrejection_threshold = 35  # bold\n'
        "max_sentences = 2\n\n[retrieval]\ntop_k = 5\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["ascertain.toml"]


def test_a_new_value_goes_under_its_table_and_a_new_table_to_the_end(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text("[answers]\nmax_sentences = 2")
    set_values(path, {**THRESHOLD, "retrieval.fusion.dense_weight": 0.5})
    assert path.read_text() == (
        "[answers]\nmax_sentences = 2\nrejection_threshold = 35\n\n[retrieval.fusion]\ndense_weight = 0.5\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("answers = { max_sentences = 2 }\n", "answers = { max_sentences = 2, rejection_threshold = 35}\n"),
        ("answers.rejection_threshold = 20\n", "answers.rejection_threshold = 35\n"),
        ('["answers"]\nmax_sentences = 2\n', '["answers"]\nmax_sentences = 2\nrejection_threshold = 35\n'),
    ],
)
def test_a_value_is_set_however_its_section_is_written(tmp_path, before, after):
    path = tmp_path / "ascertain.toml"
    path.write_text(before)
    set_values(path, THRESHOLD)
    assert path.read_text() == after


def test_a_value_in_place_of_a_section_is_told_and_left_alone(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text("answers = 3\n")
    with pytest.raises(ConfigurationError, match=r"answers is a section: write \[answers\]"):
        set_values(path, THRESHOLD)
    assert path.read_text() == "answers = 3\n"


def test_a_broken_file_is_not_touched(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text("[answers\n")
    with pytest.raises(ConfigurationError, match=r"ascertain\.toml:1: not valid TOML"):
        set_values(path, THRESHOLD)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        set_values(tmp_path / "file" / "ascertain.toml", THRESHOLD)


@given(
    before=st.dictionaries(st.sampled_from(["max_sentences", "rejection_threshold", "passages"]), st.integers(0, 99)),
    value=st.integers(0, 100),
)
def test_only_the_value_changes(tmp_path_factory, before, value):
    path = tmp_path_factory.mktemp("home") / "ascertain.toml"
    path.write_text("[answers]\n" + "".join(f"{key} = {number}\n" for key, number in before.items()))
    set_values(path, {"answers.rejection_threshold": value})
    assert tomllib.loads(path.read_text()) == {"answers": {**before, "rejection_threshold": value}}


@given(
    before=st.text(st.characters(exclude_characters='"\\', exclude_categories=("Cc", "Cs"))),
    after=st.text(st.characters(exclude_categories=("Cs",))),
)
def test_text_is_replaced_whatever_stands_in_it(tmp_path_factory, before, after):
    path = tmp_path_factory.mktemp("home") / "ascertain.toml"
    path.write_text(f'[store]\nurl = "{before}"  # "our" server\nname = "team"\n', encoding="utf-8")
    set_values(path, {"store.url": after})
    text = path.read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"store": {"url": after, "name": "team"}}
    assert '# "our" server' in text


def test_a_setting_of_no_table_goes_before_the_first_one(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text("[answers]\nmax_sentences = 2\n")
    set_values(path, {"profile": "news"})
    assert path.read_text() == 'profile = "news"\n\n[answers]\nmax_sentences = 2\n'
    set_values(path, {"profile": "docs", "home": "kb"})
    assert path.read_text() == 'profile = "docs"\nhome = "kb"\n\n[answers]\nmax_sentences = 2\n'


def test_a_setting_of_no_table_makes_a_file(tmp_path):
    set_values(tmp_path / "ascertain.toml", {"profile": "news"})
    assert (tmp_path / "ascertain.toml").read_text() == 'profile = "news"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[news]\nproviders = ["rss", "a,b"]\n'),
        ("[news]\nproviders = []\n", '[news]\nproviders = ["rss", "a,b"]\n'),
        ('[news]\nproviders = ["tavily", \'x]#"\'] # "why"\n', '[news]\nproviders = ["rss", "a,b"] # "why"\n'),
    ],
)
def test_a_list_is_written_as_an_array(tmp_path, before, after):
    path = tmp_path / "ascertain.toml"
    path.write_text(before)
    set_values(path, {"news.providers": ["rss", "a,b"]})
    assert path.read_text() == after


def test_an_array_over_several_lines_is_replaced(tmp_path):
    path = tmp_path / "ascertain.toml"
    path.write_text('[news]\nproviders = [\n  "tavily",  # first\n]\nlanguage = "en"\n')
    set_values(path, {"news.providers": ["rss"]})
    assert path.read_text() == '[news]\nproviders = ["rss"]\nlanguage = "en"\n'


@given(before=st.lists(st.text(max_size=20), max_size=4), after=st.lists(st.text(max_size=20), max_size=4))
def test_any_list_is_replaced_by_any_other(tmp_path_factory, before, after):
    path = tmp_path_factory.mktemp("home") / "ascertain.toml"
    set_values(path, {"news.providers": before, "news.language": "en"})
    set_values(path, {"news.providers": after})
    assert tomllib.loads(path.read_text("utf-8")) == {"news": {"providers": after, "language": "en"}}
