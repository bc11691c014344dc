import re
import tomllib
from pathlib import Path

from ascertain.core.settings.layers import flatten_tables
from ascertain.core.settings.reference import describe_settings, write_reference

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_page_in_docs_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == write_reference(), "run: make docs"


def test_every_setting_says_what_it_means():
    assert [leaf.key for leaf in describe_settings() if not leaf.description.endswith(".")] == []


def test_a_table_is_one_setting():
    tables = {leaf.key: leaf for leaf in describe_settings() if leaf.type.startswith("table of ")}
    assert tables["models.chat.budget"].allowed == "rewrite, plan, judge, write, verify, evaluate, extract, describe"
    assert tables["store.hnsw"].default == {"m": 16, "ef_construction": 128, "ef_search": 400}


def test_bounds_and_choices_are_named():
    allowed = {leaf.key: leaf.allowed for leaf in describe_settings()}
    assert allowed["retrieval.top_k"] == "1 to 1,000"
    assert allowed["retrieval.strategy"] == "semantic | keyword | hybrid"
    assert allowed["store.lock_seconds"] == "0 or more"
    assert allowed["home"] == ""


def test_example_file_is_valid():
    example = re.search(r"```toml\n(# ascertain.toml.*?)```", write_reference(), re.DOTALL)
    assert example is not None
    keys = [key for key, _ in flatten_tables(tomllib.loads(example[1]), "example")]
    assert keys == ["home", "retrieval.top_k", "retrieval.fusion.dense_weight"]
