"""Trying a chat model with three small tasks, asked as all other calls are: what it cannot do shows here in seconds.

A structured reply is what every task needs. Reading is quoting, word for word, from the passage that answers among others that nearly do. Judging is telling
supported claims from unsupported ones, with controls: a claim with one figure changed and one about something else. That a model
passes does not show that it does well on long prompts; ``ascertain eval`` does.
"""

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from ascertain.app.choosing.configured import describe_chat_model
from ascertain.app.choosing.servers import quote_toml
from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.errors import BudgetExceeded, ModelError
from ascertain.core.service.model_choice import ModelTrial, TrialName, TrialResult
from ascertain.core.settings import ChatSettings
from ascertain.models.chat.presets import limit_output
from ascertain.models.chat.structured import StructuredChat, open_models
from ascertain.models.prompts import Prompts, as_data

AnswerT = TypeVar("AnswerT", bound=BaseModel)

NEEDS = {
    Task.REWRITE: {TrialName.STRUCTURE},
    Task.PLAN: {TrialName.STRUCTURE},
    Task.EXTRACT: {TrialName.STRUCTURE, TrialName.READING},
    Task.WRITE: {TrialName.STRUCTURE, TrialName.READING},
    Task.JUDGE: {TrialName.STRUCTURE, TrialName.JUDGING},
    Task.VERIFY: {TrialName.STRUCTURE, TrialName.JUDGING},
    Task.EVALUATE: {TrialName.STRUCTURE, TrialName.JUDGING},
}
"""What a model has to pass for a task to be better with it than by rules. Describing pictures is not tried: nothing here says what is on one."""
LONGER = 4
"""How many times as long as a call of a trial one of a question may take: prompts of questions hold about 1,500 tokens, these about 400."""
CALLS_OF_A_QUESTION = 5
PATIENCE = 180.0
"""Seconds for a call of a trial where the settings allow less: a slow model is to be measured, not cut off."""

SENTENCE = "The museum in Lyon opened in 1998 and is open on Sundays; it shows maps, clocks and telescopes."
QUESTION = "How long is a deleted project kept before it is removed for good?"
PASSAGES = {
    "P1": "Backups are made every night and kept for 30 days. A backup of a deleted project is kept as long as any other.",
    "P2": "Deleted projects stay in the bin. After a grace period of 72 hours - counted from the last write, not from the deletion - "
    "they are removed for good, and nobody can restore them.",
    "P3": "A project without a write for 90 days is archived. Archived projects can be restored at any time.",
    "P4": "Only an owner may delete a project. The deletion is written to the log, which is kept for a year.",
}
ANSWERING, ANSWER = "P2", "72 hours"
EVIDENCE = (
    "The council raised the parking fee from 210 to 250 euros in March. Ana Berg voted against it, Tomas Lind for it. "
    "The ferry to the islands was not part of the decision."
)
CLAIMS = (
    ("The parking fee has been 250 euros since March.", True),
    ("The council raised the parking fee to 270 euros.", False),
    ("Tomas Lind voted against the higher fee, and Ana Berg for it.", False),
    ("Ana Berg was against raising the parking fee.", True),
    ("The library closes at noon on Fridays.", False),
)
CONTROLS = frozenset({2, 5})
"""Numbers of claims that a model may not find supported: a figure changed, and something else altogether."""


class Fields(BaseModel):
    """What the sentence says."""

    city: str
    year: int
    is_open_on_sundays: bool
    shows: list[str]


class Quotation(BaseModel):
    """The passage that answers, and its words."""

    passage: str
    quote: str


class Verdict(BaseModel):
    """Of one claim."""

    number: int
    is_supported: bool


class Verdicts(BaseModel):
    """One for each claim."""

    verdicts: list[Verdict]


@dataclass(frozen=True, slots=True)
class _Trial:
    """One task; ``ask`` gives whether the reply is right, and a line about it."""

    name: TrialName
    ask: Callable[[StructuredChat, Run], tuple[bool, str]]


def try_model(model: str, settings: ChatSettings) -> ModelTrial:
    """Try ``model``, written as ``models.chat.model`` is, on the server of the settings.

    Sends three short prompts of our own and nothing else, each once, and once more after an unusable reply. Raises MissingExtra and
    ConfigurationError as ``open_models``.
    """
    changes = {"timeout_seconds": max(settings.timeout_seconds, PATIENCE), "max_output_tokens": limit_output(settings)}
    alone = settings.model_copy(update={"tier": "none", "model": model, "retries": 0, **changes})
    chat = open_models(alone, dict.fromkeys(Task, model))
    results: list[TrialResult] = []
    for trial in _TRIALS:
        if results and not results[0].output_tokens:
            results.append(TrialResult(trial.name, False, "not tried: it gave no reply before"))
        else:
            results.append(_carry_out(trial, chat))
    passed = {result.name for result in results if result.is_passed}
    good_for = [task for task in Task if task in NEEDS and NEEDS[task] <= passed]
    structured = chat.find_dialect(Task.PLAN).structured
    changed = alone.model_copy(update={"structured": structured})
    where = describe_chat_model(model, alone, []).where
    advice = _advise(results, good_for, changed, settings)
    lines = _write_configuration(model, good_for, changed, settings, results=results) if good_for else ""
    return ModelTrial(model, where, results, good_for, advice, lines)


def _carry_out(trial: _Trial, chat: StructuredChat) -> TrialResult:
    dialect = chat.find_dialect(Task.PLAN)
    run = Run(Budget(calls=6, tokens=1_000_000, seconds=3600, usd=math.inf, whose="the trial"))
    started = time.perf_counter()
    try:
        is_passed, finding = trial.ask(chat, run)
    except (ModelError, BudgetExceeded) as error:
        is_passed, finding = False, str(error)
    seconds = time.perf_counter() - started
    usage = run.usage
    # a request refused for its options does not count as a second try
    is_repaired = usage.calls > 1 and chat.find_dialect(Task.PLAN) == dialect
    if is_passed and is_repaired:
        finding += ", at the second try"
    return TrialResult(
        trial.name, is_passed, finding, seconds, usage.calls, usage.input_tokens, usage.output_tokens, is_repaired
    )


def _ask(chat: StructuredChat, task: Task, prompt: str, answer: type[AnswerT], *, run: Run, **values: str) -> AnswerT:
    return chat.ask(task, Prompts().messages(prompt, **values), answer, run)


def _try_structure(chat: StructuredChat, run: Run) -> tuple[bool, str]:
    fields = _ask(chat, Task.PLAN, "try_structure", Fields, run=run, sentence=as_data(SENTENCE, "sentence"))
    expected = Fields(city="Lyon", year=1998, is_open_on_sundays=True, shows=["maps", "clocks", "telescopes"])
    given = fields.model_copy(
        update={"city": fields.city.strip(), "shows": [word.strip().lower() for word in fields.shows]}
    )
    wrong = [name for name in Fields.model_fields if getattr(given, name) != getattr(expected, name)]
    return not wrong, f"wrong: {', '.join(wrong)}" if wrong else "each field is right"


def _try_reading(chat: StructuredChat, run: Run) -> tuple[bool, str]:
    shown = "\n\n".join(as_data(text, "passage", {"key": key}) for key, text in PASSAGES.items())
    reply = _ask(
        chat, Task.WRITE, "try_reading", Quotation, run=run, question=as_data(QUESTION, "question"), passages=shown
    )
    quote = _join_words(reply.quote)
    if not quote or quote not in _join_words(PASSAGES[ANSWERING]):
        place = next((key for key, text in PASSAGES.items() if quote and quote in _join_words(text)), None)
        return False, f"quotes {place}, which does not answer" if place else "its quotation is not in any passage"
    if ANSWER not in quote:
        return False, "its quotation does not hold the answer"
    if reply.passage.strip(" []").upper() != ANSWERING:
        return True, "quotes exactly, under a wrong key"
    return True, "quotes exactly"


def _try_judging(chat: StructuredChat, run: Run) -> tuple[bool, str]:
    shown = "\n\n".join(
        f"{as_data(claim, 'claim', {'number': str(number)})}\n{as_data(EVIDENCE, 'evidence', {'number': str(number)})}"
        for number, (claim, _) in enumerate(CLAIMS, start=1)
    )
    reply = _ask(chat, Task.VERIFY, "try_judging", Verdicts, run=run, claims=shown)
    given = {verdict.number: verdict.is_supported for verdict in reply.verdicts}
    wrong = [number for number, (_, truth) in enumerate(CLAIMS, start=1) if given.get(number) is not truth]
    if failed := sorted(CONTROLS & set(wrong)):
        return False, f"{_count(wrong)}, and finds certainly false claims supported ({', '.join(map(str, failed))})"
    return len(wrong) <= 1, _count(wrong)


def _count(wrong: Sequence[int]) -> str:
    return f"{len(CLAIMS) - len(wrong)} of {len(CLAIMS)} claims right"


_TRIALS = (
    _Trial(TrialName.STRUCTURE, _try_structure),
    _Trial(TrialName.READING, _try_reading),
    _Trial(TrialName.JUDGING, _try_judging),
)


def _join_words(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" \"'\u201c\u201d\u2018\u2019")


def _advise(
    results: Sequence[TrialResult], good_for: Sequence[Task], found: ChatSettings, settings: ChatSettings
) -> list[str]:
    """What to do about what was found, in sentences."""
    if not any(result.output_tokens for result in results):
        return ["It gave no reply, so its abilities are unknown."]
    if not good_for:
        return ["Of no use: the rules do better. Try a larger model, or one that was trained to follow instructions."]
    advice: list[str] = []
    left = [task.value for task in Task if task in NEEDS and task not in good_for]
    if left:
        advice.append(f"Leave {', '.join(left)} to the rules, or to another model.")
    if Task.WRITE in good_for and Task.VERIFY not in good_for:
        advice.append(
            "It mixes several claims up; with models.chat.at_once = 1 it sees one at a time, at the price of more calls."
        )
    if found.structured != settings.structured:
        advice.append(
            f"Its server takes no {settings.structured}; the setting saves a refused request in each process."
        )
    if any(result.is_repaired for result in results):
        advice.append("It needed a second try for its form: a small model, or one that thinks aloud.")
    if _need_seconds(results) > settings.timeout_seconds:
        advice.append("It is slow here: calls of a question take longer than these, so the limits are raised.")
    return advice


def _need_seconds(results: Sequence[TrialResult]) -> float:
    """What the slowest call of a question may take, rounded up to ten seconds; an hour, as settings allow, at most."""
    slowest = max((result.seconds / result.calls for result in results if result.calls), default=0.0)
    return min(math.ceil(slowest * LONGER / 10) * 10, 3600)


def _write_configuration(
    model: str, good_for: Sequence[Task], found: ChatSettings, settings: ChatSettings, *, results: Sequence[TrialResult]
) -> str:
    """Lines of ``ascertain.toml`` that use the model for what it is good for."""
    is_whole = set(good_for) == set(NEEDS)
    lines = ["[models.chat]", f"model = {quote_toml(model)}" if is_whole else 'tier = "budget"']
    if settings.base_url:
        lines.append(f"base_url = {quote_toml(settings.base_url)}")
    if settings.api_key_variable:
        lines.append(f"api_key_variable = {quote_toml(settings.api_key_variable)}")
    if found.structured != "json_schema":
        lines.append(f"structured = {quote_toml(found.structured)}")
    seconds = _need_seconds(results)
    is_slow = seconds > settings.timeout_seconds
    if is_slow:
        lines.append(f"timeout_seconds = {seconds:g}")
    if not is_whole:
        lines += ["", "[models.chat.budget]", *(f"{task.value} = {quote_toml(model)}" for task in good_for)]
    if is_slow:
        lines += ["", "[budget]", f"seconds = {seconds * CALLS_OF_A_QUESTION:g}"]
    return "\n".join(lines) + "\n"
