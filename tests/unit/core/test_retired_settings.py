import importlib
from pathlib import Path

import pytest

from ascertain.core.errors import ConfigurationError
from ascertain.core.settings import load_settings
from ascertain.core.settings.layers import leaves_by_key, parse_value, retired_settings, sections_by_key, variable_of

RETIRED = retired_settings()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(env: dict[str, str] | None = None, **arguments: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(environ=env or {}, arguments=arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("key", RETIRED)
def test_a_retired_key_says_what_became_of_it(key: str):
    fate = RETIRED[key]
    assert key not in leaves_by_key()
    assert key not in sections_by_key()
    if "new" in fate:
        assert fate["new"] in leaves_by_key()
    else:
        assert fate["why"]
        assert "value" in fate


@pytest.mark.parametrize("key", [key for key, fate in RETIRED.items() if "constant" in fate])
def test_the_value_named_is_the_one_in_force(key: str):
    module, _, name = RETIRED[key]["constant"].rpartition(".")
    assert getattr(importlib.import_module(module), name) == RETIRED[key]["value"]


@pytest.mark.parametrize("key", RETIRED)
def test_it_is_never_ignored_wherever_it_stands(folder: Path, key: str):
    told = RETIRED[key].get("why", RETIRED[key].get("new", ""))
    table, _, name = key.rpartition(".")

    assert f"argument --{name.replace('_', '-')}" in (message := refusal(**{key: 1}))
    assert told in message

    message = refusal({variable_of(key): "1"})
    assert message.startswith(f"{variable_of(key)}: ")
    assert (variable_of(told) if "new" in RETIRED[key] else told) in message

    (folder / "ascertain.toml").write_text(f"[{table}]\n{name} = 1\n", encoding="utf-8")
    assert f"{key} in ascertain.toml: " in (message := refusal())
    assert told in message
    (folder / "ascertain.toml").unlink()

    profiles = folder / ".ascertain" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "own.toml").write_text(f"[settings.{table}]\n{name} = 1\n", encoding="utf-8")
    assert f"{key} in profile own: " in (message := refusal(profile="own"))
    assert told in message

    with pytest.raises(ConfigurationError, match=r"no setting any more|is called"):
        parse_value(key, "1")


def test_a_message_names_the_value_and_the_reason():
    assert refusal({"ASCERTAIN_RETRIEVAL__FUSION__RRF_K": "30"}) == (
        "ASCERTAIN_RETRIEVAL__FUSION__RRF_K: no setting any more, it is fixed at 60 (Cormack, Clarke & Büttcher, "
        "SIGIR 2009); remove it"
    )
