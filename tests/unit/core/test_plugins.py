"""Adapters by entry point."""

import sys

import pytest

from ascertain.core.errors import ConfigurationError, MissingExtra
from ascertain.core.system.plugins import (
    FORMATS,
    GROUPS,
    NEWS,
    READERS,
    STORES,
    find_plugin,
    forget_plugins,
    list_foreign_plugins,
    list_plugins,
    require_plugin,
)

MODULES = {
    "shelf_fine": "VALUE = 42",
    "shelf_broken": "import no_such_module",
    "shelf_without": "from ascertain.core.errors import MissingExtra\nraise MissingExtra('the shelf', 'wood')",
}
ENTRIES = """
[ascertain.stores]
fine = shelf_fine:VALUE
broken = shelf_broken:VALUE
nameless = shelf_fine:NOTHING
without = shelf_without:VALUE
embedded = shelf_fine:VALUE
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Another package, which brings stores."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    info = tmp_path / "shelf-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(tmp_path)
    forget_plugins()
    yield
    forget_plugins()
    for name in MODULES:
        sys.modules.pop(name, None)


def test_every_group_has_our_own():
    # the small reader is chosen by no name, and the large one is a package of its own
    for group in set(GROUPS) - {READERS}:
        assert any(plugin.is_own for plugin in list_plugins(group).values()), group


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in GROUPS for name in sorted(list_plugins(group))])
def test_what_the_tree_offers_can_be_loaded(group, name):
    assert find_plugin(group, name).load("a setting") is not None


def test_another_package_is_imported_when_it_is_chosen(installed):
    plugin = require_plugin(STORES, "fine", "store.kind")
    assert "shelf_fine" not in sys.modules
    assert plugin.load("store.kind") == 42
    assert (plugin.package, plugin.version, plugin.is_own) == ("shelf", "1.2", False)


def test_a_name_of_ours_stays_ours(installed):
    assert find_plugin(STORES, "embedded").is_own
    assert [plugin.name for _, plugin in list_foreign_plugins() if plugin.package == "shelf"] == [
        *("broken", "fine", "nameless", "without")
    ]


def test_an_unknown_name_is_told_with_the_nearest_and_all_that_are_known(installed):
    with pytest.raises(ConfigurationError, match=r"^store\.kind: there is no 'fin'; did you mean fine\?") as told:
        require_plugin(STORES, "fin", "store.kind")
    for known in ("embedded", "postgres", "broken"):
        assert known in str(told.value)
    with pytest.raises(ConfigurationError, match=r"known are gnews, rss, searxng, tavily$"):
        require_plugin(NEWS, "qqqqqqqq", "news.providers")


@pytest.mark.parametrize(("name", "reason"), [("broken", "no_such_module"), ("nameless", "NOTHING")])
def test_a_broken_one_is_told_by_its_package(installed, name, reason):
    with pytest.raises(ConfigurationError, match=rf"store.kind = '{name}': the package shelf 1\.2.*{reason}"):
        require_plugin(STORES, name, "store.kind").load("store.kind")


def test_a_missing_extra_says_what_to_install(installed):
    with pytest.raises(MissingExtra, match="wood"):
        require_plugin(STORES, "without", "store.kind").load("store.kind")


def test_formats_go_by_their_suffixes():
    assert {"pdf", "docx", "md", "html", "csv"} <= set(list_plugins(FORMATS))
