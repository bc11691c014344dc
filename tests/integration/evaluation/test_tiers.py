"""Tiers of chat models on a golden set, with a scripted server behind them."""

import json
import re

import pytest
from scripted_chat_server import says
from typer.testing import CliRunner

from ascertain.interfaces.cli.application import app

GOLDEN = ["--golden", "demo", "--every", "10"]


@pytest.fixture
def home(tmp_path, monkeypatch, scripted_chat_server, unknown_chat_servers):
    monkeypatch.chdir(tmp_path)
    scripted_chat_server.script(says({}, usage=(1000, 100)))
    (tmp_path / "ascertain.toml").write_text(
        f"[models.chat]\nbase_url = '{scripted_chat_server.base_url}'\ninput_usd_per_million = 1\n"
        "[models.chat.budget]\nwrite = 'small'\n[models.chat.premium]\nwrite = 'large'\n"
    )
    return tmp_path


def compare(*arguments):
    return CliRunner().invoke(app, ["eval", "tiers", *GOLDEN, "--runs", "tiers", *arguments])


def test_each_tier_answers_the_same_questions_and_is_told_with_its_price(home, scripted_chat_server):
    chosen = ("--tier", "offline", "--tier", "budget", "--tier", "premium")
    done = compare(*chosen, "--price", "large=10,20", "--html", "tiers.html", "--json")
    assert done.exit_code == 0, done.output
    tiers = {row["tier"]: row for row in json.loads(done.stdout)}
    assert list(tiers) == ["offline", "budget", "premium"]
    offline, budget, premium = tiers.values()
    assert (offline["calls"], offline["dollars"], offline["models"], offline["chance"]) == (0, 0, {}, None)
    assert budget["models"] == {"write": "small"} and premium["models"] == {"write": "large"}
    # the server's replies are of no use: rules answer, and the calls are booked all the same
    assert budget["figures"]["answer_in_text"] == offline["figures"]["answer_in_text"]
    assert budget["calls"] == premium["calls"] > 0
    assert budget["dollars"] == pytest.approx(budget["calls"] * 1000 / 1e6)
    assert premium["dollars"] == pytest.approx(premium["calls"] * (1000 * 10 + 100 * 20) / 1e6)
    assert budget["chance"] == 1.0
    # equal in quality: the dearer one is beaten unless the clock happened to favour it, and the cheapest loses to none
    assert offline["is_worth_having"] or offline["seconds"] > min(budget["seconds"], premium["seconds"])
    assert not premium["is_worth_having"] or premium["seconds"] < min(offline["seconds"], budget["seconds"])
    page = (home / "tiers.html").read_text("utf-8")
    assert page.count("<circle") >= 9 and "src=" not in page and not re.search("http[^-]", page)
    asked = len(scripted_chat_server.requests)
    again = compare(*chosen)
    assert again.exit_code == 0 and len(scripted_chat_server.requests) == asked


def test_a_tier_without_a_model_and_a_price_of_an_unknown_model_are_told(home):
    assert "balanced: no chat model is set" in str(compare("--tier", "balanced").exception)
    told = str(compare("--tier", "budget", "--price", "huge=1,1").exception)
    assert "--price names 'huge', which no tier uses; they use small" in told
    assert "has no price" in str(compare("--tier", "budget", "--price", "small=cheap").exception)
