"""Is any question answered worse with a chat model than without, however poor the model is?

    python -m bench.chat_models.scripted [--models perfect,garbage] [--questions 60] [--corpus news] [--json FILE]

The questions of ``asked`` and every tenth of ``xquad_en`` are asked offline, and then with chat models in the roles of
``tests/chat_servers/poor_models.py``, each behind a real HTTP server on loopback. Homes are built once for each corpus and kept. All
models share the vectors of one embedding model, and none takes an answer from the cache. Figures go to
``results/scripted_models.json``; ``--json`` keeps the answers too, which are not to be copied into the project.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "chat_servers"))

from model_role import Expected, Role, ask_counting
from poor_models import ROLES
from scripted_chat_server import ScriptedChatServer

from ascertain.app.ascertain import Ascertain
from ascertain.core.asking.answers import Answer, VerdictLabel
from ascertain.core.asking.runs import Clock, FixedClock, SystemClock
from ascertain.core.settings import ChatSettings, Settings, load_settings
from ascertain.evaluation.sets.datasets import read_set
from ascertain.evaluation.sets.knowledge import as_documents
from ascertain.models.chat.structured import CHARACTERS_PER_TOKEN
from ascertain.models.ports import Embedder
from ascertain.models.registry import open_embedder
from ascertain.models.vectors.remembered_vectors import remember_vectors
from bench.setting import ROOT, circumstances, data_folder, save, show_remark, show_status

OFFLINE = "offline"
XQUAD = "xquad_en"
EVERY = 10
"""Of the questions of xquad_en one in so many."""
SURE = 70
"""Confidence from which an answer is shown as sure."""
VECTORS = 512_000_000
"""Bytes of vectors kept for the models that come later."""
MOST_CALLS, MOST_SEARCHES, MOST_WORSE, SURE_SHARE = 15, 3, 0.01, 0.97
"""The goals: model calls and searches of a question, share of questions that may be worse than offline, share of the right answers
of a perfect model that are shown as sure."""

Question = dict[str, Any]
Row = dict[str, Any]


def load_asked(folder: Path) -> ModuleType:
    """``asked.py`` with its scorer, beside the data."""
    spec = importlib.util.spec_from_file_location("asked", folder / "asked.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Place:
    """A corpus on disk: its home, and the profile it is asked with."""

    corpus: str
    home: Path
    profile: str


def read_asked(folder: Path, corpora: Sequence[str]) -> list[Question]:
    lines = (folder / "dev" / "questions.jsonl").read_text("utf-8").splitlines()
    return [question for line in lines if (question := json.loads(line))["corpus"] in corpora]


def read_xquad() -> list[Question]:
    """Every tenth question, as one of asked: right is an answer that holds the expected words."""
    return [
        {
            "id": query.id,
            "corpus": XQUAD,
            "type": "fact",
            "question": query.text,
            "expect": "answer",
            "must": [list(query.answers)],
            "must_not": [],
            "first": [],
            "max_sentences": 99,
            "sources": [],
            "dates": [],
        }
        for query in read_set(data_folder() / XQUAD).queries[::EVERY]
    ]


Unit = list[Question]
"""A question, or the questions of one conversation in order."""


def group_units(questions: Iterable[Question]) -> list[Unit]:
    units: dict[tuple[str, str], Unit] = {}
    for question in questions:
        units.setdefault((question["corpus"], question.get("conversation") or question["id"]), []).append(question)
    return list(units.values())


def sample_units(units: list[Unit], count: int, seed: int) -> list[Unit]:
    """About ``count`` questions, of each corpus, and of those to be declined, in proportion; all for 0."""
    total = sum(map(len, units))
    if not 0 < count < total:
        return units
    chance = random.Random(seed)
    shuffled = sorted(units, key=lambda unit: (unit[0]["corpus"], unit[0]["expect"], chance.random()))
    start, chosen, passed = chance.random() * total / count, list[Unit](), 0.0
    for unit in shuffled:
        taken = len(range(int((passed - start) * count // total), int((passed + len(unit) - start) * count // total)))
        passed += len(unit)
        if taken and sum(map(len, chosen)) < count:
            chosen.append(unit)
    return chosen


class Homes:
    """The knowledge base of each corpus, built where it is missing."""

    def __init__(self, asked: ModuleType, asked_folder: Path, homes: Path, embedder: Embedder) -> None:
        self._asked = asked
        self._options = argparse.Namespace(
            data=asked_folder, homes=homes.resolve(), rebuild=False, ascertain=str(ROOT / ".venv" / "bin" / "ascertain")
        )
        self._embedder = embedder

    def place(self, corpus: str) -> Place:
        if corpus != XQUAD:
            home = self._asked.home_of(self._options, "dev", corpus)
            return Place(corpus, home, self._asked.PROFILE[corpus])
        home = self._options.homes / XQUAD
        done = home.with_suffix(".added.json")
        if not done.exists():
            show_remark(f"building {home} ...")
            with Ascertain(Settings(home=home), embedder=self._embedder) as knowledge:
                report = knowledge.add_documents(
                    as_documents(read_set(data_folder() / XQUAD), Settings().profile).values()
                )
            done.write_text(json.dumps({"documents": report.added}))
        return Place(corpus, home, Settings().profile)


@contextmanager
def open_place(place: Place, chat: ChatSettings | None, clock: Clock, embedder: Embedder) -> Iterator[Ascertain]:
    """A copy of the knowledge base with its own settings, and a chat model where one is given: what a model writes of
    themes is kept in the home, and must not reach the next.
    """
    with tempfile.TemporaryDirectory(prefix="ascertain-scripted-") as folder:
        home = shutil.copytree(place.home, Path(folder) / "home")
        loaded = load_settings(home=home, environ={}, arguments={"profile": place.profile}).settings
        models = loaded.models.model_copy(update={"chat": chat or ChatSettings()})
        with Ascertain(loaded.model_copy(update={"models": models}), clock=clock, embedder=embedder) as knowledge:
            yield knowledge


def clock_of(question: Question) -> Clock:
    moment = question.get("as_of")
    return FixedClock(datetime.fromisoformat(moment)) if moment else SystemClock()


def expected_of(question: Question, knowledge: Ascertain, asked: ModuleType) -> Expected:
    """What a role is told of the question."""
    wanted = [asked.norm(source) for source in question["sources"]]
    titles = frozenset(
        record.title
        for record in (knowledge.documents() if wanted else ())
        if any(one in asked.norm(" ".join((record.title, record.source, record.url or ""))) for one in wanted)
    )

    def says(text: str, words: str) -> bool:
        return asked.has(asked.norm(text), words)

    must = question["must"] if question["expect"] == "answer" else ()
    return Expected(question["question"], must, question["must_not"], titles, question["type"], says)


@dataclass(frozen=True)
class Asking:
    """What all questions of one run share."""

    asked: ModuleType
    embedder: Embedder
    run: str

    def ask_units(self, role: type[Role] | None, place: Place, units: Sequence[Unit]) -> list[Row]:
        """One server and one open knowledge base for these units, one question after the other."""
        if not units:
            return []
        rows: list[Row] = []
        with ExitStack() as stack:
            server, chat, played = None, None, role() if role else None
            if played is not None:
                server = ScriptedChatServer()
                stack.callback(server.close)
                server.reply_by(played.reply)
                limits = {"timeout_seconds": played.timeout_seconds} if played.timeout_seconds else {}
                chat = ChatSettings(model="openai:scripted", base_url=server.base_url, **limits)
            clock = clock_of(units[0][0])
            knowledge = stack.enter_context(open_place(place, chat, clock, self.embedder))
            for unit in units:
                rows += self._ask_unit(unit, knowledge, played, server)
        return rows

    def _ask_unit(
        self, unit: Unit, knowledge: Ascertain, role: Role | None, server: ScriptedChatServer | None
    ) -> Iterator[Row]:
        name = unit[0].get("conversation")
        conversation = f"{self.run}-{uuid.uuid4().hex[:8]}" if name else None
        for question in unit:
            if role is not None and server is not None:
                role.begin(expected_of(question, knowledge, self.asked))
                server.requests.clear()
                server.characters = 0
            began = time.perf_counter()
            answer, searches = ask_counting(
                knowledge, question["question"], conversation_id=conversation, use_cache=False
            )
            seconds = time.perf_counter() - began
            calls = len(server.requests) if server else 0
            tokens = server.characters // CHARACTERS_PER_TOKEN if server else 0
            yield self._make_row(question, answer, role) | {
                "calls": calls,
                "tokens": tokens,
                "searches": searches,
                "seconds": round(seconds, 3),
            }
        if conversation:
            knowledge.delete_conversation(conversation)

    def _make_row(self, question: Question, answer: Answer, role: Role | None) -> Row:
        scored = self.asked.score(question, answer_json(answer))
        shown = [s for s in answer.sentences if role is not None and role.is_invention(s.text)]
        fallbacks = [d.reason for d in answer.decisions if d.outcome.startswith("fell back")]
        return {
            **{key: scored[key] for key in ("id", "corpus", "type", "expect", "ok", "right", "declined", "confidence")},
            "answer_type": answer.type.value,
            "inventions_shown": len(shown),
            "inventions_supported": sum(s.verdict.label is VerdictLabel.SUPPORTED for s in shown),
            "fallbacks": len(fallbacks),
            "told": {
                "question": question["question"],
                "standalone": answer.standalone,
                "answer": answer.text,
                "caveat": answer.confidence.caveat,
                "sentences": [(s.text, s.verdict.label.value, s.verdict.score) for s in answer.sentences],
                "decisions": [f"{d.node}: {d.outcome} | {d.reason}" for d in answer.decisions],
            },
        }


def answer_json(answer: Answer) -> dict[str, Any]:

    return answer.to_json()


def play(asking: Asking, name: str, units: Sequence[tuple[Place, list[Unit]]]) -> list[Row]:
    """All questions with one model; several at once where the model makes one wait."""
    role = ROLES[name] if name != OFFLINE else None
    at_once = role().at_once if role else 1
    jobs = [
        (place, part)
        for place, own in units
        for same_day in _split_by_day(own)
        for part in (same_day[i::at_once] for i in range(at_once))
        if part
    ]
    rows: list[Row] = []
    with ThreadPoolExecutor(at_once) as pool:
        for done in pool.map(lambda job: asking.ask_units(role, *job), jobs):
            rows += done
            show_status(f"{name}: {len(rows)} questions")
    return sorted(rows, key=lambda row: (row["corpus"], row["id"]))


def _split_by_day(units: Sequence[Unit]) -> list[list[Unit]]:
    days: dict[str, list[Unit]] = {}
    for unit in units:
        days.setdefault(unit[0].get("as_of") or "", []).append(unit)
    return list(days.values())


def summarise(rows: Sequence[Row], offline: Sequence[Row]) -> dict[str, Any]:
    """One model in figures, against the same questions offline."""
    answerable = [row for row in rows if row["expect"] == "answer"]
    right = [row for row in answerable if row["right"]]
    shown = [row["confidence"] for row in right if not row["declined"]]
    declined = [row for row in answerable if row["declined"] and not row["right"]]
    to_decline = [row for row in rows if row["expect"] == "decline"]
    was = {row["id"]: row["ok"] for row in offline}
    return {
        "questions": len(rows),
        "ok": percent(row["ok"] for row in rows),
        "right": percent(row in right for row in answerable),
        "declined": percent(row in declined for row in answerable),
        "wrong": percent(row not in right and row not in declined for row in answerable),
        "rightly_declined": percent(row["declined"] for row in to_decline),
        "unsupported_shown_as_supported": sum(row["inventions_supported"] for row in rows),
        "unsupported_shown": sum(row["inventions_shown"] for row in rows),
        "calls": {"mean": mean(row["calls"] for row in rows), "worst": max(row["calls"] for row in rows)},
        "tokens": {"mean": mean(row["tokens"] for row in rows), "worst": max(row["tokens"] for row in rows)},
        "searches": {"mean": mean(row["searches"] for row in rows), "worst": max(row["searches"] for row in rows)},
        "seconds": {"mean": mean(row["seconds"] for row in rows), "worst": max(row["seconds"] for row in rows)},
        "confidence_of_right": mean(shown),
        "right_and_sure": percent(score >= SURE for score in shown),
        "better": [row["id"] for row in rows if row["ok"] and not was[row["id"]]],
        "worse": [row["id"] for row in rows if not row["ok"] and was[row["id"]]],
    }


def judge_goals(name: str, found: dict[str, Any], offline: dict[str, Any]) -> dict[str, bool]:
    """Which goals one model meets."""
    goals = {
        "not_worse": found["right"] >= offline["right"] - 100 * MOST_WORSE,
        "nothing_unsupported_as_supported": found["unsupported_shown_as_supported"] == 0,
        "calls": found["calls"]["worst"] <= MOST_CALLS,
        "searches": found["searches"]["worst"] <= MOST_SEARCHES,
    }
    if name == "perfect":
        goals["right_and_sure"] = found["right_and_sure"] >= 100 * SURE_SHARE
    return goals


def percent(values: Iterable[bool]) -> float:
    held = list(values)
    return round(100 * sum(held) / len(held), 1) if held else 0.0


def mean(values: Iterable[float]) -> float:
    held = list(values)
    return round(fmean(held), 2) if held else 0.0


HEAD = (
    f"{'model':<20}{'ok':>6}{'right':>7}{'decl.':>7}{'wrong':>7}{'r.decl':>7}{'uns/sup':>8}{'unsup':>6}"
    f"{'calls':>12}{'tokens':>16}{'searches':>10}{'s':>12}{'conf':>6}{'sure':>6}{'better':>7}{'worse':>6}"
)


def line_of(name: str, found: dict[str, Any]) -> str:
    pairs = [
        f"{found[key]['mean']:.1f}/{found[key]['worst']:.0f}" for key in ("calls", "tokens", "searches", "seconds")
    ]
    return (
        f"{name:<20}{found['ok']:>6}{found['right']:>7}{found['declined']:>7}{found['wrong']:>7}"
        f"{found['rightly_declined']:>7}{found['unsupported_shown_as_supported']:>8}{found['unsupported_shown']:>6}"
        f"{pairs[0]:>12}{pairs[1]:>16}{pairs[2]:>10}{pairs[3]:>12}{found['confidence_of_right']:>6.0f}{found['right_and_sure']:>6.0f}"
        f"{len(found['better']):>7}{len(found['worse']):>6}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", default=",".join(ROLES), help="names with commas between; default: all")
    parser.add_argument("--questions", type=int, default=60, help="about so many are asked; 0 for all")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--corpus", action="append", help="only this corpus; repeatable")
    parser.add_argument("--id", action="append", help="only this question, with the turns before it; repeatable")
    parser.add_argument("--homes", type=Path, default=Path(tempfile.gettempdir()) / "asked-homes")
    parser.add_argument("--json", type=Path, help="write every answer with its decisions here")
    parser.add_argument("--dry", action="store_true", help="leave bench/results as it is")
    options = parser.parse_args()
    folder = data_folder() / "asked"
    asked = load_asked(folder)
    corpora = options.corpus or [*asked.CORPORA, XQUAD]
    questions = [*read_asked(folder, corpora), *(read_xquad() if XQUAD in corpora else ())]
    units = group_units(questions)
    if options.id:
        units = [unit for unit in units if {question["id"] for question in unit} & set(options.id)]
    units = sample_units(units, options.questions, options.seed)
    embedder = remember_vectors(open_embedder(Settings().models), VECTORS)
    homes = Homes(asked, folder, options.homes, embedder)
    placed = [(homes.place(c), own) for c in corpora if (own := [u for u in units if u[0]["corpus"] == c])]
    asking = Asking(asked, embedder, uuid.uuid4().hex[:8])
    rows: dict[str, list[Row]] = {}
    found: dict[str, dict[str, Any]] = {}
    print(HEAD, flush=True)
    for name in (OFFLINE, *options.models.split(",")):
        rows[name] = play(asking, name, placed)
        found[name] = summarise(rows[name], rows[OFFLINE])
        print(line_of(name, found[name]), flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, ensure_ascii=False, indent=1))
    for name, figures in found.items():
        figures["goals"] = judge_goals(name, figures, found[OFFLINE])
    if not options.dry:
        asked_of = {"questions": options.questions or "all", "seed": options.seed, "corpora": corpora}
        save("scripted_models", {"setting": circumstances(), "asked": asked_of, "models": found})


if __name__ == "__main__":
    main()
