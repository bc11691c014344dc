import re
from pathlib import Path

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import Settings
from ascertain.core.settings.layers import (
    LoadedSettings,
    flatten_settings,
    leaves_by_key,
    load_settings,
    parse_value,
    variable_of,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(
    *, home: Path | None = None, config: Path | None = None, env: dict[str, str] | None = None, **arguments: object
) -> LoadedSettings:
    dotted = {key.replace("__", "."): value for key, value in arguments.items()}
    return load_settings(home=home, config_file=config, environ=env or {}, arguments=dotted)


def refusal(**given: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(**given)  # type: ignore[arg-type]  # a table of keyword arguments
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_everything_has_a_default_and_an_origin():
    loaded = load()
    assert loaded.settings == Settings()
    assert set(loaded.origins) == set(leaves_by_key()) == set(flatten_settings(loaded.settings))
    assert set(loaded.origins.values()) == {"default"}


def test_each_layer_overrides_the_one_before(folder: Path):
    news_floor = load(profile="news")
    assert news_floor.settings.retrieval.similarity_floor == 0.35
    assert news_floor.origins["retrieval.similarity_floor"] == "profile news"

    (folder / "ascertain.toml").write_text(
        'profile = "news"\n[retrieval]\nsimilarity_floor = 0.2\ntop_k = 3\n', encoding="utf-8"
    )
    from_file = load()
    assert from_file.settings.retrieval.similarity_floor == 0.2
    assert from_file.settings.retrieval.rerank == "heuristic"
    assert from_file.origins["profile"] == from_file.origins["retrieval.top_k"] == "ascertain.toml"

    env = {"ASCERTAIN_RETRIEVAL__TOP_K": "5"}
    from_environment = load(env=env)
    assert from_environment.settings.retrieval.top_k == 5
    assert from_environment.origins["retrieval.top_k"] == "environment ASCERTAIN_RETRIEVAL__TOP_K"

    from_argument = load(env=env, retrieval__top_k=7, retrieval__candidates=None)
    assert from_argument.settings.retrieval.top_k == 7
    assert from_argument.origins["retrieval.top_k"] == "argument --top-k"
    assert from_argument.origins["retrieval.candidates"] == "default"


def test_profile_from_the_environment_yields_to_the_argument():
    env = {"ASCERTAIN_PROFILE": "news"}
    assert load(env=env).settings.profile == "news"
    papers = load(env=env, profile="papers")
    assert papers.settings.profile == "papers"
    assert papers.origins["retrieval.similarity_floor"] == "default"


def test_config_in_the_home_is_read_when_the_current_folder_has_none(folder: Path):
    home = folder / "kb"
    home.mkdir()
    (home / "ascertain.toml").write_text("[answers]\nmax_sentences = 2\n", encoding="utf-8")
    assert load(home=home).settings.answers.max_sentences == 2
    (folder / "ascertain.toml").write_text("[answers]\nmax_sentences = 4\n", encoding="utf-8")
    assert load(home=home).settings.answers.max_sentences == 4


def test_relative_home_in_a_file_starts_from_that_file(folder: Path):
    (folder / "sub").mkdir()
    config = folder / "sub" / "mine.toml"
    config.write_text('home = "kb"\n', encoding="utf-8")
    assert load(config=config).settings.home == folder / "sub" / "kb"


def test_home_comes_from_argument_then_environment(folder: Path):
    env = {"ASCERTAIN_HOME": "elsewhere"}
    assert load(env=env).settings.home == Path("elsewhere")
    assert load(env=env, home=folder).settings.home == folder


def test_own_profile_in_the_home_is_found(folder: Path):
    profiles = folder / "kb" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "legal.toml").write_text("[settings.retrieval]\ntop_k = 4\n", encoding="utf-8")
    loaded = load(home=folder / "kb", profile="legal")
    assert loaded.settings.retrieval.top_k == 4
    assert loaded.origins["retrieval.top_k"] == "profile legal"


def test_other_variables_and_empty_ones_are_left_alone():
    env = {"ASCERTAIN_BENCH": "/data", "ASCERTAIN_PROFILE": " ", "PATH": "/bin", "_ASCERTAIN_COMPLETE": "x"}
    assert load(env=env).settings == Settings()


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"env": {"ASCERTAIN_RETRIEVAL__TOPK": "5"}}, ["ASCERTAIN_RETRIEVAL__TOPK", "ASCERTAIN_RETRIEVAL__TOP_K?"]),
        ({"retrieval__topk": 5}, ["retrieval.topk", "--topk", "retrieval.top_k?"]),
        ({"top_k": 5}, ["top_k: unknown", "retrieval.top_k?"]),
        ({"env": {"ASCERTAIN_RETRIEVAL__TOP_K": "many"}}, ["retrieval.top_k = 'many'", "environment", "1 to 1,000"]),
        ({"retrieval__top_k": 0}, ["retrieval.top_k = 0", "--top-k", "1 to 1,000"]),
        ({"retrieval__strategy": "best"}, ["'best'", "semantic | keyword | hybrid"]),
        ({"profile": "new"}, ["'new'", "did you mean news?", "--profile"]),
        ({"config": Path("absent.toml")}, ["absent.toml", "--config"]),
        (
            {"ingest__chunker__overlap": 900, "ingest__chunker__size": 500},
            ["ingest.chunker", "overlap (900) must be smaller than size (500)", "--overlap"],
        ),
    ],
)
def test_wrong_settings_are_refused_in_one_line(given: dict[str, object], parts: list[str]):
    message = refusal(**given)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[retrieval]\ntopk = 3\n", ["retrieval.topk", "ascertain.toml", "did you mean retrieval.top_k?"]),
        ("[retreival]\n", ["retreival", "did you mean retrieval?"]),
        ("retrieval = 3\n", ["retrieval", "[retrieval]"]),
        ("[retrieval]\ntop_k 3\n", ["ascertain.toml:2:"]),
        ("[retrieval]\ntop_k = 'x'\n", ["retrieval.top_k = 'x'", "ascertain.toml", "whole number"]),
        ("[retrieval]\ntop_k = 0\ncandidates = 0\n", ["and 1 more"]),
    ],
)
def test_faulty_files_are_refused_in_one_line(folder: Path, text: str, parts: list[str]):
    (folder / "ascertain.toml").write_text(text, encoding="utf-8")
    message = refusal()
    for part in parts:
        assert part in message


def test_profile_may_not_move_the_home(folder: Path):
    profiles = folder / ".ascertain" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "odd.toml").write_text('[settings]\nhome = "x"\n', encoding="utf-8")
    assert "profile odd must not set it" in refusal(profile="odd")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tavily,rss", ("tavily", "rss")),
        (" tavily , rss, ", ("tavily", "rss")),
        ("rss", ("rss",)),
        ('["tavily", "rss"]', ("tavily", "rss")),
        (" []", ()),
        (",", ()),
    ],
)
def test_a_list_in_the_environment_has_commas_or_is_an_array(text: str, expected: tuple[str, ...]):
    loaded = load(env={"ASCERTAIN_NEWS__PROVIDERS": text})
    assert loaded.settings.news.providers == expected
    assert loaded.origins["news.providers"] == "environment ASCERTAIN_NEWS__PROVIDERS"


def test_addresses_with_commas_stand_in_an_array():
    urls = '["https://example.org/a,b.xml", "https://example.org/c.xml"]'
    loaded = load(env={"ASCERTAIN_NEWS__RSS__URLS": urls})
    assert loaded.settings.news.rss.urls == ("https://example.org/a,b.xml", "https://example.org/c.xml")


@pytest.mark.parametrize("key", [key for key, leaf in leaves_by_key().items() if leaf.is_list])
def test_every_list_is_read_from_the_file_and_from_the_environment(folder: Path, key: str):
    table, _, name = key.rpartition(".")
    (folder / "ascertain.toml").write_text(f'[{table}]\n{name} = ["a.example", "b.example"]\n')
    assert flatten_settings(load().settings)[key] == ("a.example", "b.example")
    assert flatten_settings(load(env={variable_of(key): "c.example"}).settings)[key] == ("c.example",)


@pytest.mark.parametrize("text", ["[1, 2]", '["a"', '[["a"]]', "[" * 5000])
def test_a_faulty_list_is_refused_with_its_key(text: str):
    message = refusal(env={"ASCERTAIN_NEWS__PROVIDERS": text})
    assert message.startswith("news.providers = ")
    assert "list of texts, with commas or as an array" in message


def test_a_text_in_place_of_an_array_is_refused(folder: Path):
    (folder / "ascertain.toml").write_text('[news]\nproviders = "tavily"\n')
    assert "expected list of texts" in refusal()


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("retrieval.top_k", "5", 5),
        ("news.fallback", "false", False),
        ("news.providers", "gnews,rss", ("gnews", "rss")),
        ("web.timeout_seconds", "2.5", 2.5),
        ("profile", "news", "news"),
        ("news.time_range", "30d", "30d"),
    ],
)
def test_a_value_given_as_text_becomes_one_of_the_settings_type(key: str, text: str, expected: object):
    assert parse_value(key, text) == expected


@pytest.mark.parametrize(
    ("key", "text", "part"),
    [
        ("news.provider", "rss", "did you mean news.providers?"),
        ("news.max_articles", "0", "expected whole number, 1 to 100"),
        ("news.time_range", "fortnight", "such as any, day, week, month, year, 7d, 24h"),
        ("news", "rss", "news in the command is a section"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused(key: str, text: str, part: str):
    with pytest.raises(ConfigurationError, match=re.escape(part)):
        parse_value(key, text)


@pytest.mark.parametrize(
    "key", [key for key in leaves_by_key() if key.endswith("key_variable") and leaves_by_key()[key].default]
)
def test_a_secret_may_be_where_a_setting_says_it_is(key):
    assert load(env={str(leaves_by_key()[key].default): "s3cret"})
    assert load(env={"ASCERTAIN_OUR_SECRET": "s3cret", variable_of(key): "ASCERTAIN_OUR_SECRET"})
    assert "ASCERTAIN_OUR_SECRET: unknown" in refusal(env={"ASCERTAIN_OUR_SECRET": "s3cret"})


@pytest.mark.parametrize("strategy", ["rrf", "mmr", "rrf_mmr"])
def test_the_reranking_strategy_has_a_short_variable_of_its_own(strategy: str) -> None:
    loaded = load(env={"RERANKING_STRATEGY": strategy})
    assert loaded.settings.retrieval.reranking_strategy == strategy
    assert loaded.origins["retrieval.reranking_strategy"] == "environment RERANKING_STRATEGY"


def test_the_long_variable_wins_over_the_short_one() -> None:
    env = {"RERANKING_STRATEGY": "mmr", "ASCERTAIN_RETRIEVAL__RERANKING_STRATEGY": "rrf_mmr"}
    for given in (env, dict(reversed(env.items()))):
        assert load(env=given).settings.retrieval.reranking_strategy == "rrf_mmr"
    assert load(env={"RERANKING_STRATEGY": " "}).origins["retrieval.reranking_strategy"] == "default"


def test_a_strategy_that_there_is_not_is_refused_by_the_name_of_the_variable() -> None:
    message = refusal(env={"RERANKING_STRATEGY": "borda"})
    assert "RERANKING_STRATEGY" in message
    assert "rrf_mmr" in message
