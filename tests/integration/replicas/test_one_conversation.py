"""Two processes that answer one conversation over one store, each turn by either of them, answer as one process does."""

import json
import os
import random
import subprocess
import sys

import pytest

from ascertain.app.demo import read_demo

TURNS = (
    "What does an order book show?",
    "How deep is it usually?",
    "What is proof of work?",
    "Which coins use it?",
    "Who proposed that?",
    "How do I restore a backup?",
    "How long does it take?",
    "What is the capital of Mongolia?",
    "And what does a halving do?",
    "When is the next one?",
)

FILLER = """
import sys
from ascertain import Ascertain
from ascertain.app.demo import add_demo, read_demo

with Ascertain.open(sys.argv[1]) as knowledge:
    add_demo(knowledge, read_demo())
"""
WORKER = """
import json, sys
from datetime import datetime
from ascertain import Ascertain
from ascertain.core.asking.runs import FixedClock

clock = FixedClock(datetime.fromisoformat(sys.argv[2]))
with Ascertain.open(sys.argv[1], clock=clock) as knowledge:
    for line in sys.stdin:
        conversation, question = json.loads(line)
        answer = knowledge.ask(question, conversation_id=conversation)
        print(json.dumps(answer.to_json()), flush=True)
"""


@pytest.fixture(scope="module", params=["embedded", pytest.param("postgres", marks=pytest.mark.sample)])
def place(request, tmp_path_factory):
    """A filled home, of each kind that several processes can share, and the environment that names it."""
    home = tmp_path_factory.mktemp("replicas") / "home"
    environ = {"ASCERTAIN_CACHE__ANSWERS": "false"}
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
        environ |= {
            "ASCERTAIN_STORE__KIND": "postgres",
            "ASCERTAIN_STORE__URL": url,
            "ASCERTAIN_STORE__NAME": "replicas",
        }
    # embedding the demo takes 300 MB, which a process of many tests would keep to its end
    subprocess.run([sys.executable, "-c", FILLER, str(home)], env=os.environ | environ, check=True)
    return home, environ


@pytest.fixture
def worker(place):
    """Start a process that answers questions until it is closed."""
    home, environ = place
    started = []

    def start():
        command = [sys.executable, "-c", WORKER, str(home), read_demo().now.isoformat()]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, env=os.environ | environ, **pipes)
        started.append(process)

        def ask(conversation, question):
            process.stdin.write(json.dumps([conversation, question]) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        return ask

    yield start
    for process in started:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def timeless(answer):
    """The whole answer, down to every decision, without times, its own name and that of its conversation."""
    decisions = [{**decision, "seconds": None} for decision in answer["decisions"]]
    return {**answer, "decisions": decisions, "seconds": None, "conversation_id": None, "id": None}


@pytest.mark.slow
def test_the_answers_are_those_of_one_process(worker):
    alone, *pair = worker(), worker(), worker()
    choose = random.Random(1)
    for question in TURNS:
        expected = alone("alone", question)
        assert timeless(choose.choice(pair)("shared", question)) == timeless(expected)
