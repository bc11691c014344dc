from pathlib import Path

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import load_settings
from ascertain.core.settings.profiles import load_profile, profile_names

BUILT_IN = ["docs", "news", "papers", "podcasts"]


def own(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


def test_four_profiles_are_built_in():
    assert profile_names() == BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_profiles_load_and_their_settings_are_valid(name: str, tmp_path: Path):
    profile = load_profile(name)
    assert profile.name == name
    assert profile.description
    assert profile.entity_types
    load_settings(home=tmp_path, config_file=None, environ={}, arguments={"profile": name})


def test_news_and_podcasts_name_the_things_their_graphs_hold():
    assert load_profile("news").entity_types == ("Organisation", "Person", "Product/Asset", "Place", "Event")
    assert load_profile("podcasts").entity_types[:3] == ("Concept", "Practice", "Outcome")


def test_no_alias_is_both_strong_and_ambiguous():
    for name in BUILT_IN:
        for table in load_profile(name).aliases.values():
            assert not table.strong.keys() & table.ambiguous.keys()
            assert not table.ambiguous.keys() & set(table.context)


def test_own_file_adds_to_a_built_in_profile(tmp_path: Path):
    folder = own(
        tmp_path, "news", '[aliases.crypto]\ncontext = ["degen"]\n[aliases.crypto.strong]\npepe = "Pepe coin"\n'
    )
    crypto = load_profile("news", folder).aliases["crypto"]
    assert crypto.strong["pepe"] == "Pepe coin"
    assert crypto.strong["btc"] == "Bitcoin"
    assert "degen" in crypto.context
    assert "bitcoin" in crypto.context
    assert "pepe" not in load_profile("news").aliases["crypto"].strong


def test_own_file_with_a_new_name_is_a_profile(tmp_path: Path):
    folder = own(
        tmp_path, "legal", 'description = "Contracts."\n[aliases.law.strong]\nNDA = "non-disclosure agreement"\n'
    )
    assert profile_names(folder) == sorted([*BUILT_IN, "legal"])
    assert load_profile("legal", folder).aliases["law"].strong == {"nda": "non-disclosure agreement"}


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("odd", "descripton = 'x'\n", ["odd.toml", "descripton", "did you mean description?"]),
        ("odd", "[aliases.a]\nstrnog = {}\n", ["aliases.a.strnog", "did you mean strong?"]),
        ("odd", "[aliases.a.strong]\nx = ''\n", ["aliases.a.strong", "both sides need a word"]),
        ("odd", "[aliases\n", ["odd.toml:1:"]),
    ],
)
def test_faulty_own_files_are_refused_in_one_line(tmp_path: Path, name: str, text: str, parts: list[str]):
    with pytest.raises(ConfigurationError) as caught:
        load_profile(name, own(tmp_path, name, text))
    assert "\n" not in str(caught.value)
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize("name", ["nwes", "../news", "", "news.toml"])
def test_unknown_profile_is_refused(name: str, tmp_path: Path):
    with pytest.raises(ConfigurationError, match="unknown profile"):
        load_profile(name, tmp_path)
