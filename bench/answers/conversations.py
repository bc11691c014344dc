"""Are follow-ups understood, and acts on the conversation done? (QU-1, QU-11)

Holds the conversations of ``conversations.toml`` over the demo corpus with the offline defaults, each in a conversation of its own,
and looks for what each answer must hold. Writes ``results/conversations.json``.

    python -m bench.answers.conversations [--home FOLDER] [--failures]
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from ascertain import Ascertain
from ascertain.app.demo import add_demo, read_demo
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.runs import FixedClock
from bench.setting import circumstances, save

SCRIPT = Path(__file__).with_suffix(".toml")


def is_right(answer: Answer, expected: dict[str, Any]) -> bool:
    """Whether the answer holds one string of each list, and nothing that it must not."""
    text = answer.text
    holds = all(any(each in text for each in choices) for choices in expected["must"])
    lacks = not any(each in text for each in expected.get("lacks", ()))
    is_short = len(text.split()) <= expected.get("at_most_words", 10_000)
    forms = {sentence.form.value for sentence in answer.sentences}
    return holds and lacks and is_short and ("form" not in expected or expected["form"] in forms)


def hold(knowledge: Ascertain, name: str, turns: list[dict[str, Any]]) -> list[tuple[dict[str, Any], Answer]]:
    """The turns of a conversation with their answers; what an earlier run left of it is forgotten."""
    knowledge.delete_conversation(name)
    return [(turn, knowledge.ask(turn["ask"], conversation_id=name, use_cache=False)) for turn in turns]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--failures", action="store_true", help="print what was answered wrongly")
    arguments = parser.parse_args()
    script = tomllib.loads(SCRIPT.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder) / "demo.kb"
        counts: Counter[str] = Counter()
        demo = read_demo()
        with Ascertain.open(home, clock=FixedClock(demo.now)) as knowledge:
            if not knowledge.exists:
                add_demo(knowledge, demo)
            for each in script["conversations"]:
                for number, (turn, answer) in enumerate(hold(knowledge, f"follow-{each['name']}", each["turns"])):
                    kind = f"{'opening' if number == 0 else 'follow-up'}{' aside' if each.get('aside') else ''}"
                    note(counts, kind, turn, answer, arguments.failures)
            for number, act in enumerate(script["acts"]):
                turns = [*({"ask": question} for question in act["after"]), act]
                _, answer = hold(knowledge, f"act-{number}", turns)[-1]
                note(counts, f"act{' aside' if act.get('aside') else ''}", act, answer, arguments.failures)
    kinds = sorted({name.removesuffix(" right") for name in counts})
    result = {kind: {"asked": counts[kind], "right": counts[f"{kind} right"]} for kind in kinds}
    for kind, row in result.items():
        print(f"{kind:20} {row['right']:3} of {row['asked']}")
    save("conversations", {**circumstances(), "kinds": result})


def note(counts: Counter[str], kind: str, expected: dict[str, Any], answer: Answer, is_shown: bool) -> None:
    counts[kind] += 1
    right = is_right(answer, expected)
    counts[f"{kind} right"] += right
    if is_shown and not right and not expected.get("aside") and "aside" not in kind:
        print(f"--- {kind}: {expected['ask']}\n    read as: {answer.standalone}\n    {answer.text[:400]}")


if __name__ == "__main__":
    main()
