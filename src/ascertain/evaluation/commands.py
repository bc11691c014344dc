"""``ascertain eval``, without the command line: plain functions that it mounts."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from ascertain.app.ascertain import Ascertain
from ascertain.app.wire.evaluation import MeasuredJson
from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.passages import Strategy, read_strategy
from ascertain.core.errors import UsageError
from ascertain.core.settings import Settings
from ascertain.evaluation.answers import measure_answers
from ascertain.evaluation.asked import (
    AskedQuestion,
    Grouping,
    Judge,
    SettingsOf,
    ask_questions,
    build_result,
    group_results,
    read_answers,
    read_asked,
    summarise_asked,
)
from ascertain.evaluation.asked_judge import count_believed_controls, list_disagreements, make_judge, measure_agreement
from ascertain.evaluation.claims import measure_claims, read_claims
from ascertain.evaluation.golden.questions import locate_golden, open_golden, open_golden_home, read_golden
from ascertain.evaluation.public.downloads import (
    choose_default_folder,
    find_public_set,
    load_catalogue,
    prepare_public_set,
)
from ascertain.evaluation.retrieval import measure_retrieval
from ascertain.evaluation.runs import (
    Journal,
    Result,
    choose_every,
    describe_run,
    find_part,
    list_settings,
    list_versions,
    save_run,
)
from ascertain.evaluation.sets.datasets import EvaluationSet, Query, read_set
from ascertain.evaluation.sets.knowledge import Knowledge, Listener, Say, digest_files, keep_home, open_knowledge
from ascertain.models.prompts import Prompts
from ascertain.models.registry import open_chat

Out = Callable[[JsonObject], None]
JudgeKind = Literal["strings", "model"]
Opened = Iterable[tuple[EvaluationSet, Knowledge]]
"""Sets of questions, each with the knowledge base that they are asked of."""


def eval_retrieval(
    data: Path,
    sets: Sequence[str],
    *,
    settings: Settings,
    out: Out,
    strategy: str | None = None,
    cache: Path | None = None,
    progress: Say | None = None,
    remark: Say | None = None,
) -> None:
    """Measure retrieval on each set of ``data``, in order; ``out`` gets one JSON-ready row a set, as it is done.

    All sets are read before the first is measured, so that a malformed file is found at once. ``strategy`` is a
    ``Strategy`` value, None for the settings' own; ``cache`` a folder for document vectors (see ``open_knowledge``).
    ``progress`` gets short lines for a status display, ``remark`` gets notes for people.
    Raises UsageError for a set or strategy that does not exist and SourceError for malformed data.
    """
    listener = make_listener(progress, remark)
    order = Order("retrieval", data, tuple(sets), strategy=read_strategy(strategy), cache=cache)
    _measure_order(order, settings, _refuse_corpus, Journal(), out=out, listener=listener)


def eval_answers(
    data: Path,
    sets: Sequence[str],
    *,
    settings: Settings,
    out: Out,
    strategy: str | None = None,
    cache: Path | None = None,
    progress: Say | None = None,
    remark: Say | None = None,
) -> None:
    """Measure answers on each set of ``data``; arguments and errors as for ``eval_retrieval``."""
    listener = make_listener(progress, remark)
    order = Order("answers", data, tuple(sets), strategy=read_strategy(strategy), cache=cache)
    _measure_order(order, settings, _refuse_corpus, Journal(), out=out, listener=listener)


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be measured, and of which questions.

    ``kind`` is one of ``KINDS``. ``data`` is the folder of the ``sets``, or for ``asked`` the one with the questions;
    ``golden`` a golden set, for the kinds that take one, asked of the knowledge base of the settings. Of the
    questions every ``every``-th is asked: the same ones each time. The rest is for ``asked``: ``corpora`` and ``types`` choose
    questions, ``by`` groups the rows, ``answers`` are scored in place of asking, ``homes`` keeps the knowledge bases, ``judge`` says who judges answers beside the strings.
    """

    kind: str
    data: Path | None = None
    sets: tuple[str, ...] = ()
    golden: Path | None = None
    strategy: Strategy | None = None
    every: int = 1
    cache: Path | None = None
    corpora: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    by: Grouping = "corpus"
    answers: Path | None = None
    homes: Path | None = None
    judge: JudgeKind = "strings"

    def describe_options(self) -> dict[str, object]:
        """What identifies this order: the questions by their content, and how they are asked."""
        if self.golden is not None:
            read = [locate_golden(self.golden)]
        elif self.data is None:
            read = []
        else:
            read = [self.data] if self.kind == "asked" else [self.data / name for name in self.sets]
        names = {"golden": str(self.golden)} if self.golden else {"sets": list(self.sets)}
        chosen = {"corpora": list(self.corpora), "types": list(self.types)} if self.kind == "asked" else {}
        chosen |= {"judge": self.judge} if self.judge != "strings" else {}
        options = {"strategy": self.strategy, "every": self.every, "content": digest_files(read)}
        return {**options, **names, **chosen}


OF_SETS = ("retrieval", "answers", "abstention", "conversation")
"""Kinds that are measured on sets of ``read_set`` and on golden sets."""
KINDS = (*OF_SETS, "claims", "asked")


def run_order(
    order: Order, settings: Settings, settings_of: SettingsOf, out: Out, *, listener: Listener, save: Path | None = None
) -> None:
    """Measure what is ordered; ``out`` gets a row a set, as it is done.

    With ``save`` all results are stored in that file; a stopped run resumes. ``settings_of`` gives
    the settings for each corpus of ``asked``. Sets that are public benchmarks are downloaded if missing.
    """
    order = fetch_public_sets(order, settings, listener)

    def measure(journal: Journal, out: Out) -> None:
        _measure_order(order, settings, settings_of, journal, out=out, listener=listener)

    if save is None:
        measure(Journal(), out)
    else:
        record_run(order.kind, settings, order.describe_options(), measure, out=out, listener=listener, save=save)


def fetch_public_sets(order: Order, settings: Settings, listener: Listener) -> Order:
    """The order with public benchmarks in place of their names: folders of ``data``, by default of a cache of the user.

    A set of ``data`` is never taken for a benchmark of the same name. Raises UsageError for a benchmark without questions of this kind.
    """
    data = order.data or choose_default_folder()
    names: list[str] = []
    for name in order.sets:
        public = None if order.data is not None and (data / name).is_dir() else find_public_set(name)
        if public is None:
            if order.data is None:
                known = ", ".join(load_catalogue())
                raise UsageError(
                    f"no public benchmark {name!r}; there are {known}. For a set of your own add --data DIR"
                )
            names.append(name)
            continue
        if order.kind not in public.benchmark.kinds:
            kinds = " and ".join(public.benchmark.kinds)
            raise UsageError(f"{name} has no questions for `ascertain eval {order.kind}`; it has some for {kinds}")
        names.append(prepare_public_set(public, data, settings.web, listener).name)
    return replace(order, sets=tuple(names), data=data) if names else order


def record_run(
    kind: str,
    settings: Settings,
    options: Mapping[str, object],
    measure: Callable[[Journal, Out], None],
    *,
    out: Out,
    listener: Listener,
    save: Path,
) -> None:
    """Run ``measure`` and store all results in ``save``; a stopped one resumes.

    ``options`` say, together with settings and versions, whether an unfinished run is the same one.
    """
    identity = {"kind": kind, "settings": list_settings(settings), "versions": list_versions(), "options": options}
    journal = Journal(find_part(save), identity)
    if journal.resumed:
        listener.remark(f"{save}: resuming after {journal.resumed:,} questions of the stopped run")
    rows: list[MeasuredJson] = []

    def keep_row(row: JsonObject) -> None:
        rows.append(MeasuredJson.model_validate(row))
        out(row)

    measure(journal, keep_row)
    save_run(describe_run(kind, settings, options, rows, results=journal.results), save)
    journal.close()


def _measure_order(
    order: Order, settings: Settings, settings_of: SettingsOf, journal: Journal, *, out: Out, listener: Listener
) -> None:
    if order.kind == "asked":
        _measure_asked(order, _open_judge(order, settings), settings_of, journal, out=out, listener=listener)
        return
    in_folder = settings.model_copy(update={"store": settings.store.in_folder()})
    if order.kind == "claims":
        _measure_claims(order, in_folder, journal, out, listener=listener)
    elif order.golden is not None:
        questions = read_golden(locate_golden(order.golden))
        opened = open_golden_home(order.golden, settings, order.cache, listener)
        _measure_opened(
            order, open_golden(questions, order.golden.stem, opened, listener), journal, out, listener=listener
        )
    elif order.data is not None:
        sets = open_sets(order.data, order.sets, in_folder, order.cache, listener=listener)
        _measure_opened(order, sets, journal, out, listener=listener)
    else:
        raise UsageError("no questions named; use --golden FILE, or --data DIR with --set NAME")


def _measure_opened(order: Order, opened: Opened, journal: Journal, out: Out, *, listener: Listener) -> None:
    """Measure each set; every question goes into ``journal``."""
    measure = measure_retrieval if order.kind == "retrieval" else measure_answers
    for data, knowledge in opened:
        chosen = _choose_queries(data, order.kind)
        out(measure(chosen, knowledge, order.strategy, listener, journal=journal, every=order.every))


def _measure_claims(order: Order, settings: Settings, journal: Journal, out: Out, *, listener: Listener) -> None:
    """Measure the check of claims on each named set; every so many-th claim."""
    folders = find_folders(order.data or Path(), order.sets, "claims.jsonl")
    sets = {folder.name: read_claims(folder) for folder in folders}
    with Ascertain(settings) as app:
        for name, claims in sets.items():
            out(measure_claims(name, claims, app, journal, listener, every=order.every).to_json())


def _open_judge(order: Order, settings: Settings) -> Judge | None:
    if order.judge == "strings":
        return None
    chat = open_chat(settings.models)
    if chat is None:
        raise UsageError("--judge model needs a chat model; set models.chat.model, or leave the option out")
    return make_judge(chat, Prompts(settings.home / "prompts"))


def _measure_asked(
    order: Order, judge: Judge | None, settings_of: SettingsOf, journal: Journal, *, out: Out, listener: Listener
) -> None:
    """Ask the chosen questions, or score the answers given; a row a group, the last one over all.

    A turn of a conversation is asked with those before it, but only what was chosen is counted.
    """
    folder = order.data or Path()
    homes = (order.homes or Path(tempfile.gettempdir()) / "ascertain-eval-homes").resolve()
    questions = read_asked(folder)
    wanted = _choose_asked(questions, order)
    if order.answers is not None:
        held = read_answers(order.answers)
        results = [
            journal.measure(question.corpus, question.id, partial(build_result, question, held[question.id], judge))
            for question in wanted
            if question.id in held
        ]
        if not results:
            raise UsageError(f"{order.answers}: holds no answer to a question of {folder}")
    else:

        def open_home(documents: Path, corpus: str) -> Path:
            return keep_home(documents, corpus, homes, settings_of(corpus, homes, None), listener=listener)

        ids = {question.id for question in wanted}
        turns = {(q.corpus, q.conversation) for q in wanted if q.conversation}
        needed = [q for q in questions if q.id in ids or (q.corpus, q.conversation) in turns]
        found = ask_questions(
            needed,
            folder,
            journal=journal,
            listener=listener,
            keep_home=open_home,
            settings_of=settings_of,
            judge=judge,
        )
        results = [result for result in found if result.id in ids]
    for name, group in group_results(results, order.by).items():
        out(_summarise_judged(group, name))
    out(_summarise_judged(results, "all"))
    if judge is not None:
        _report_judge(wanted, results, judge, listener)


def _summarise_judged(results: Sequence[Result], name: str) -> JsonObject:
    row = summarise_asked(results, name)
    return row.model_copy(update={"metrics": {**row.metrics, **measure_agreement(results)}}).to_json()


def _report_judge(
    questions: Sequence[AskedQuestion], results: Sequence[Result], judge: Judge, listener: Listener
) -> None:
    """Remark on what strings and judge differ, what could not be judged, and whether the judge believes what is certainly wrong."""
    for each in list_disagreements(results):
        verdicts = " and ".join(
            f"{who} {'right' if is_right else 'wrong'}"
            for who, is_right in (("strings", each.strings), ("judge", each.judge))
        )
        listener.remark(f"{each.id}: {verdicts}: {each.question} ({each.reason or 'no reason given'})")
    failed = [result for result in results if result.scores.get("judged", 0) is None]
    if failed:
        listener.remark(f"{len(failed)} answers could not be judged: {failed[0].facts.get('judge')}")
    believed, shown = count_believed_controls(questions, results, judge)
    if believed:
        listener.remark(f"the judge finds {believed} of {shown} answers to other questions right: do not rely on it")


def _choose_asked(questions: Sequence[AskedQuestion], order: Order) -> list[AskedQuestion]:
    known = sorted({question.corpus for question in questions})
    for corpus in order.corpora:
        if corpus not in known:
            raise UsageError(f"no corpus {corpus!r}; choose from {', '.join(known)}")
    found = [
        question
        for question in questions
        if (not order.corpora or question.corpus in order.corpora)
        and (not order.types or {question.type, *question.tags} & set(order.types))
    ]
    if not found:
        types = sorted({question.type for question in questions})
        raise UsageError(f"no question of these types; there are {', '.join(types)}")
    return choose_every(found, order.every)


def make_listener(progress: Say | None = None, remark: Say | None = None) -> Listener:
    """The default listener, which ignores everything."""
    return Listener(progress or _ignore_line, remark or _ignore_line)


def open_sets(
    data: Path, names: Sequence[str], settings: Settings, cache: Path | None, *, listener: Listener
) -> Iterator[tuple[EvaluationSet, Knowledge]]:
    """Each named set of ``data`` with a temporary knowledge base of its texts; all are read before the first is built."""
    for chosen in [read_set(folder) for folder in find_folders(data, names, "queries.jsonl")]:
        for line in chosen.notes:
            listener.remark(f"{chosen.name}: {line}")
        with open_knowledge(chosen, settings, cache, listener) as knowledge:
            yield chosen, knowledge


def find_folders(data: Path, names: Sequence[str], held: str) -> list[Path]:
    """The folder of each named set, which holds the file ``held``; UsageError names the sets there are."""
    if not data.is_dir():
        raise UsageError(f"{data}: no such folder; --data names the folder that holds the evaluation sets")
    there = sorted(path.parent.name for path in data.glob(f"*/{held}"))
    known = ", ".join(there) or f"none: {data} has no folder with a {held}"
    if not names:
        raise UsageError(f"no set named; use --set NAME, once for each. Sets here: {known}")
    for name in names:
        if name not in there:
            raise UsageError(f"no evaluation set {name!r} in {data}. Sets here: {known}")
    return [data / name for name in dict.fromkeys(names)]


def _choose_queries(data: EvaluationSet, kind: str) -> EvaluationSet:
    """The questions of ``data`` that ``kind`` is about; UsageError where it has none."""
    match kind:
        case "abstention":
            chosen = [query for query in data.queries if query.answerable is not None]
            return _with_queries(data, chosen, "marked 'answerable' true or false")
        case "conversation":
            chosen = [query for query in data.queries if query.history]
            return _with_queries(data, chosen, "with the turns before it in 'history'")
        case _:
            return data


def _with_queries(data: EvaluationSet, chosen: Sequence[Query], what: str) -> EvaluationSet:
    if not chosen:
        raise UsageError(f"{data.name}: no question is {what}")
    return replace(data, queries=tuple(chosen))


def _refuse_corpus(corpus: str, _home: Path, _now: datetime | None) -> Settings:
    raise UsageError(f"no settings for the corpus {corpus}")


def _ignore_line(_line: str) -> None:
    pass
