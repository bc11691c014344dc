"""What the product makes of a chat model's words, where somebody plays the model: every reply is written by hand.

    python -m bench.chat_models.played choose FOLDER --offline asked.json wild.json     # picks the questions; FOLDER/list0.json ... list4.json
    python -m bench.chat_models.played ask FOLDER/list0.json PORT HOMES                  # asks them; FOLDER/out0/ID.json
    python -m bench.chat_models.played score FOLDER --sloppy ID ...

No chat model of any use runs on the machines that this project is measured on, and scripted replies only prove the plumbing. So a person, or a
capable language model that sees nothing but the prompt, answers at an OpenAI-compatible server on loopback, as a good middling model would; some
lists are played badly on purpose: sloppy quotes, wrong keys, inventions, prose around the JSON. ``choose`` takes 20 questions of ``asked`` and
``wild`` that are answered wrongly without a model, 20 that are answered rightly, 10 that the documents do not answer, and conversations;
it needs the results of both sets without a model. ``score`` compares what was shown with what is expected. Saved are ids, calls, tokens, verdicts
and whether each answer is right: prompts hold passages of the data sets, whose licences differ, and stay where they were played.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any

from ascertain.evaluation.measures.paraphrases import holds_words, plain_words
from bench.setting import circumstances, data_folder, save

SETS = ("asked", "wild")
WRONG, RIGHT, NEAR, CONVERSATIONS, LISTS = 20, 20, 10, 4, 5
SEED = 34
AT_ONCE = 4
"""Questions that wait for replies together, so that whoever plays can answer several at a time."""
Question = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    choose = commands.add_parser("choose")
    choose.add_argument("folder", type=Path)
    choose.add_argument(
        "--offline", type=Path, nargs="+", required=True, help="what asked.py and wild.py wrote with --out"
    )
    ask = commands.add_parser("ask")
    ask.add_argument("list", type=Path)
    ask.add_argument("port", type=int)
    ask.add_argument("homes", type=Path)
    score = commands.add_parser("score")
    score.add_argument("folder", type=Path)
    score.add_argument("--sloppy", nargs="*", default=[], help="ids of questions that were played badly")
    given = parser.parse_args()
    if given.command == "choose":
        choose_questions(given.folder, given.offline)
    elif given.command == "ask":
        ask_questions(given.list, given.port, given.homes)
    else:
        save("played", score_answers(given.folder, set(given.sloppy)))


def read_questions() -> dict[str, Question]:
    paths = (path for name in SETS for path in sorted((data_folder() / name / "dev").glob("*.jsonl")))
    return {row["id"]: row for path in paths for row in map(json.loads, path.read_text("utf-8").splitlines())}


def choose_questions(folder: Path, offline: list[Path]) -> None:
    questions = read_questions()
    is_right = {row["id"]: row["ok"] for path in offline for row in json.loads(path.read_text("utf-8"))["rows"]}
    single = [q for q in questions.values() if not q.get("conversation")]
    asks_whole = {
        q["id"] for q in single if {"computed", "document"} & set(q.get("tags", ())) or q.get("type") == "global"
    }
    answerable = [q for q in single if q["expect"] == "answer"]
    random.seed(SEED)
    chosen = random.sample([q for q in answerable if not is_right[q["id"]] and q["id"] not in asks_whole], WRONG)
    chosen += random.sample([q for q in answerable if is_right[q["id"]]], RIGHT)
    chosen += random.sample([q for q in single if q["expect"] == "decline"], NEAR)
    talks: dict[str, list[Question]] = {}
    for question in questions.values():
        if question.get("conversation"):
            talks.setdefault(question["conversation"], []).append(question)
    groups = [[question] for question in chosen]
    groups += [sorted(talks[name], key=lambda q: q["turn"])[:3] for name in random.sample(sorted(talks), CONVERSATIONS)]
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(LISTS):
        told = [
            [{key: q.get(key) for key in ("id", "corpus", "question", "as_of")} for q in g]
            for g in groups[number::LISTS]
        ]
        (folder / f"list{number}.json").write_text(json.dumps(told, indent=1), "utf-8")


def ask_questions(path: Path, port: int, homes: Path) -> None:
    out = path.with_name(path.stem.replace("list", "out"))
    out.mkdir(exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ASCERTAIN_")} | {
        "ASCERTAIN_MODELS__CHAT__MODEL": "openai:played",
        "ASCERTAIN_MODELS__CHAT__BASE_URL": f"http://127.0.0.1:{port}/v1",
        "ASCERTAIN_MODELS__CHAT__TIMEOUT_SECONDS": "3600",
        "ASCERTAIN_MODELS__CHAT__RETRIES": "0",
        "ASCERTAIN_BUDGET__SECONDS": "3600",
        "OPENAI_API_KEY": "none",
    }

    def ask_group(group: list[Question]) -> None:
        talk = uuid.uuid4().hex[:8]
        for q in group:
            home = next(each for each in homes.glob(f"dev-{q['corpus']}-*") if each.is_dir())
            command = [str(Path(sys.executable).with_name("ascertain")), "ask", q["question"], "--home", str(home)]
            command += ["--no-cache", "--json", "--trace", *(["--as-of", q["as_of"]] if q["as_of"] else [])]
            command += ["--conversation", talk] if len(group) > 1 else []
            ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            (out / f"{q['id']}.json").write_text(ran.stdout, "utf-8")
            print(q["id"], ran.returncode, ran.stderr.strip()[-200:], flush=True)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(ask_group, json.loads(path.read_text("utf-8"))))


def score_answers(folder: Path, sloppy: set[str]) -> dict[str, Any]:
    questions = read_questions()
    rows = [
        score_answer(questions[path.stem], json.loads(path.read_text("utf-8")))
        for path in sorted(folder.glob("out*/*.json"))
    ]
    for row in rows:
        row["is_sloppy"] = row["id"] in sloppy
    good = [row for row in rows if not row["is_sloppy"]]
    answerable = [row for row in good if row["expect"] == "answer"]
    near = [row for row in good if row["expect"] == "decline"]
    figures = {
        "answerable": len(answerable),
        "answerable_right": sum(row["is_right"] for row in answerable),
        "answerable_declined": sum(row["is_declined"] for row in answerable),
        "near_misses": len(near),
        "near_misses_declined": sum(row["is_right"] for row in near),
        "verdicts": dict(Counter(label for row in answerable for label in row["verdicts"])),
        "calls": round(fmean(row["calls"] for row in answerable), 2),
        "tokens": round(fmean(row["tokens"] for row in answerable)),
    }
    print(json.dumps(figures, indent=1))
    return {"circumstances": circumstances(), "figures": figures, "rows": rows}


def score_answer(question: Question, answer: Question) -> Question:
    text = plain_words(answer["answer"])
    is_declined = answer["type"] == "rejection"
    holds = all(any(holds_words(text, one) for one in either) for either in question["must"])
    is_wrong = any(holds_words(text, wrong) for wrong in question.get("must_not", ()))
    usage = answer["usage"]
    return {
        "id": question["id"],
        "expect": question["expect"],
        "is_right": is_declined if question["expect"] == "decline" else holds and not is_wrong,
        "is_declined": is_declined,
        "confidence": answer["confidence"]["score"],
        "has_caveat": bool(answer["caveat"]),
        "verdicts": [sentence["verdict"] for sentence in answer["sentences"]],
        "calls": usage["calls"],
        "tokens": usage["input_tokens"] + usage["output_tokens"],
    }


if __name__ == "__main__":
    main()
