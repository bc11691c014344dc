import tomllib
from pathlib import Path

from ascertain.app.choosing.settings_file import switch_from
from ascertain.app.container.store_addresses import Address, parse_address
from ascertain.core.settings import Settings, load_settings


def at(text: str, home: Path) -> Address:
    return parse_address(text, Settings(home=home), {})


def test_a_home_leads_to_the_server_from_then_on(tmp_path):
    home = tmp_path / "team.kb"
    home.mkdir()
    (home / "ascertain.toml").write_text('profile = "news"\n\n[store]\nlock_seconds = 5  # ours\n', encoding="utf-8")
    change = switch_from(at(str(home), tmp_path), at("postgresql://me:s3cret@db/docs#team", home))
    assert change.write({}) == []
    text = change.file.read_text(encoding="utf-8")
    assert "s3cret" not in text and "lock_seconds = 5  # ours" in text
    assert any("ASCERTAIN_STORE_KEY" in line for line in change.remarks)
    store = load_settings(home=home, environ={}, arguments={}).settings.store
    assert (store.kind, store.url, store.name) == ("postgres", "postgresql://me@db/docs", "team")


def test_what_another_layer_overrules_is_told(tmp_path):
    change = switch_from(at(str(tmp_path / "t.kb"), tmp_path), at("qdrant+http://q:6333", tmp_path / "t.kb"))
    told = change.write({"ASCERTAIN_STORE__KIND": "embedded"})
    assert told == ["store.kind is still 'embedded', from environment ASCERTAIN_STORE__KIND"]


def test_a_folder_is_used_by_naming_it(tmp_path):
    server = at("postgresql://db/docs", tmp_path / "x.kb")
    plain = switch_from(server, at("embedded:" + str(tmp_path / "t.kb"), tmp_path))
    assert plain.values == {}
    assert plain.write({}) == []
    assert not plain.file.exists()
    assert plain.remarks == (f"use it with --home {tmp_path / 't.kb'}",)
    other = switch_from(server, at("chroma:" + str(tmp_path / "t.kb"), tmp_path))
    other.write({})
    assert tomllib.loads(other.file.read_text())["store"] == {"kind": "chroma", "url": ""}
