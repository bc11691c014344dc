"""One service with its page over a small knowledge base, looked at by one browser; every test is a visitor of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))

import running_page

HOSTILE_TITLE = "Zebra <img src=x onerror=window.hacked=1> **safe** :red[list]"
HOSTILE_WORDS = "The zebra password is kept in the <b>blue</b> <script>window.hacked=1</script> safe."
CORPUS = {
    "refunds.md": (
        "# Refunds\n\n## When you can get one\n\nA refund is granted within 30 days of the purchase. The receipt must be shown.\n\n"
        "## How it is paid\n\nRefunds are paid to the card that was used for the purchase. This takes five working days.\n"
    ),
    "gearbox.md": (
        "# Gearbox manual\n\nFault code GB-7731 means that the oil pressure is too low. Stop the engine and refill the oil.\n\n"
        "The housing bolts are tightened to 45 newton metres in a star pattern.\n"
    ),
    "bread.vtt": (
        "WEBVTT\n\n00:00:01.000 --> 00:00:06.000\n<v Ana Flores>Welcome to the show about sourdough bread.\n\n"
        "00:00:06.500 --> 00:00:14.000\n<v Ben Ito>I feed my sourdough starter twice a day, with equal weights of flour and water.\n"
    ),
    "zebra.vtt": (
        "WEBVTT\n\n00:00:01.000 --> 00:00:06.000\n"
        "<v Zebra &lt;img src=x onerror=window.hacked=1&gt; **safe** :red[list]>The keeper of the stripes feeds them every Monday.\n"
    ),
    "engines.md": (
        "# The first programmer\n\nAda Lovelace worked with Charles Babbage on the Analytical Engine in London. "
        "Charles Babbage was born in London.\n"
    ),
    "turin.md": (
        "# A lecture in Turin\n\nLuigi Menabrea described the Analytical Engine after Charles Babbage had lectured on it.\n"
    ),
    "zebra.json": json.dumps(
        [
            {
                "title": HOSTILE_TITLE,
                "content": f"{HOSTILE_WORDS} The zebra keeper changes it every Monday.",
                "published_at": "2024-12-02T08:00:00Z",
            }
        ]
    ),
}


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page_corpus")
    for name, text in CORPUS.items():
        (folder / name).write_text(text, encoding="utf-8")
    home = tmp_path_factory.mktemp("page_home") / "kb"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "add", str(folder), "--home", str(home), "--tag", "shelf"]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)
    return home


@pytest.fixture(scope="session")
def address(home, tmp_path_factory):
    """Where the service is, and its page."""
    log = tmp_path_factory.mktemp("service_log") / "service.log"
    with running_page.service(home, running_page.free_port(), log) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    """For one file of tests: Playwright keeps an event loop running in this thread, where no other test could start one."""
    with running_page.chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    """A visitor at a desk who has just come in."""
    with running_page.visit(browser) as page:
        page.goto(address)
        yield page


@pytest.fixture
def phone(browser, address):
    """A visitor with a phone."""
    with running_page.visit(browser, running_page.PHONE) as page:
        page.goto(address)
        yield page
