"""What ``ascertain doctor`` looks at: versions, disk space, the models, the store and what is beside it; and the
loading of all that a question needs.
"""

from __future__ import annotations

import logging
import math
import platform
import shutil
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.choosing.extras import list_missing_extras
from ascertain.app.telemetry.tracing import without_trace
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import AscertainError, UsageError
from ascertain.core.service.status import HealthReport
from ascertain.core.settings import ChatSettings, ModelSettings
from ascertain.core.system.extras import install_command
from ascertain.core.system.plugins import list_foreign_plugins
from ascertain.stores.records.rows import SEE_DOCTOR

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

_logger = logging.getLogger(__name__)

LOW_DISK_BYTES = 500_000_000
"""Less free space than this is a problem: an index is rebuilt beside the old one."""
PACKAGES = ("numpy", "onnxruntime", "faiss-cpu", "tantivy", "pypdfium2", "trafilatura")
STORE_PACKAGES = {
    "postgres": ("psycopg", "pgvector"),
    "qdrant": ("qdrant-client",),
    "chroma": ("chromadb",),
    "neo4j": ("neo4j",),
}
PRICES = {"embedding model": "embedding price", "reranker": "reranking price", "entailment model": "entailment price"}
"""Where the price of a model stands; the reader has none."""
WARM_UP = "What is in these documents?"
PINGS = 5
"""Round trips whose median is shown; the first of a connection takes longer."""


def warm_up(knowledge: Ascertain) -> float:
    """Load what the first question needs; how many seconds that took.

    What cannot be loaded is logged: questions will say so.
    """
    started = time.perf_counter()
    try:
        knowledge.embedder.embed_query(WARM_UP)
        if not _has_chat_models(knowledge.settings.models.chat):
            with without_trace():
                # everything stored passes this filter, and nothing fetched would: no outside service is called
                knowledge.ask(WARM_UP, history=(), use_cache=False, filter=Filter(sources=("*",)))
        else:
            # a question would cost money
            knowledge.search(WARM_UP, k=1)
    except UsageError:
        _logger.info("there are no documents yet")
    except AscertainError as error:
        _logger.warning("not everything could be loaded: %s", error)
    return time.perf_counter() - started


def examine_health(knowledge: Ascertain, repair: bool = False) -> HealthReport:
    """Check everything, going on after a failed check; problems first. With ``repair`` the store mends itself."""
    problems: list[str] = []
    settings = knowledge.settings
    facts = dict(_list_versions(settings.store.kind, settings.graph.store))
    if not knowledge.settings.store.is_shared:
        facts["disk"] = _check_disk(knowledge.settings.home, problems)
    try:
        _try_embedder(knowledge, facts)
    except AscertainError as error:
        problems.append(str(error))
    _examine_reader(settings.models, problems, facts)
    _examine_reranker(knowledge, problems, facts)
    _examine_entailment(knowledge, problems, facts)
    _examine_chat(settings.models.chat, problems, facts)
    if len(missing := list_missing_extras(settings)) > 1:
        problems.append(
            f"extras that the settings need are not installed: {', '.join(missing)}; {install_command(*missing)}"
        )
    if found := list_foreign_plugins():
        facts["plugins"] = ", ".join(
            f"{plugin.name} in {group} ({plugin.package} {plugin.version})" for group, plugin in found
        )
    facts["home"] = str(knowledge.settings.home)
    facts["store"] = knowledge.place
    _examine_store(knowledge, repair, problems, facts)
    lines = (problem.removesuffix(SEE_DOCTOR) for problem in problems)
    return HealthReport(tuple(dict.fromkeys(lines)), facts)


def _try_embedder(knowledge: Ascertain, facts: dict[str, str]) -> None:
    """Use the embedding model; note what is done to its cosines and what it costs."""
    from ascertain.models.vectors.similarity import PLAIN, find_scale

    started = time.perf_counter()
    embedder = knowledge.embedder
    dimensions = len(embedder.embed_query("is anybody there?"))
    value = knowledge.settings.models.embedder
    _note_model(facts, "embedding model", embedder.name, value, started=started, more=f", {dimensions} dimensions")
    scale = find_scale(embedder.name)
    if scale is None:
        is_searched = knowledge.exists and knowledge.count() > 0
        scale = knowledge.container.similarity_scale() if is_searched else replace(PLAIN, origin=UNKNOWN_SCALE)
    if scale.origin:
        facts["nearness"] = scale.describe()
    facts["sentences"] = knowledge.container.models.sentence_models(scale).describe()


def _note_model(facts: dict[str, str], row: str, name: str, value: str, *, started: float, more: str = "") -> None:
    """Put into ``row`` the model ``name`` that was used first at ``started``, and its price, by the ``value`` of its setting, into another."""
    from ascertain.models.embed.cards import find_price

    facts[row] = f"{name}{more}, ready in {time.perf_counter() - started:.1f} s"
    if price := find_price(name, value):
        facts[PRICES[row]] = price


UNKNOWN_SCALE = "its scale is not known, and is estimated once there are documents"


def _examine_reader(settings: ModelSettings, problems: list[str], facts: dict[str, str]) -> None:
    """Whether the readers work; answers are worse without them, and no one would notice."""
    from ascertain.models.registry import open_reader, open_second_reader

    ready = (
        ("reader", settings.reader, open_reader, "questions are answered by rules alone"),
        ("second reader", settings.second_reader, open_second_reader, "the first reader alone chooses"),
    )
    for row, value, open_model, without in ready:
        started = time.perf_counter()
        try:
            if reader := open_model(settings):
                reader.read("Is anybody there?", ["Somebody is there."])
                _note_model(facts, row, value, value, started=started)
        except AscertainError as error:
            problems.append(f"{row}: {error}; {without}")


ASKED = "Who wrote the first program?"
ANSWERING = "Ada Lovelace wrote the first program, for the engine of Charles Babbage."
DENYING = "Nobody had written a program when the engine was taken apart."
BESIDE = "Prices of wheat rose by three percent in the spring."


def _examine_reranker(knowledge: Ascertain, problems: list[str], facts: dict[str, str]) -> None:
    """Whether the reranker, if any, puts a text that answers before one about something else."""
    started = time.perf_counter()
    try:
        reranker = knowledge.container.models.reranker
        if reranker is None:
            return
        beside, answering = reranker.scores(ASKED, [BESIDE, ANSWERING])
    except AscertainError as error:
        problems.append(f"reranker: {error}")
        return
    _note_model(facts, "reranker", reranker.name, knowledge.settings.models.reranker, started=started)
    if answering <= beside:
        problems.append(
            f"reranker: {reranker.name} rates a text about something else ({beside:.2f}) no lower than one that answers ({answering:.2f}); "
            "it may be no reranker"
        )


def _examine_entailment(knowledge: Ascertain, problems: list[str], facts: dict[str, str]) -> None:
    """Whether a model of its own for checking claims, if any, finds a claim in a text that says it and in no other."""
    from ascertain.core.asking.runs import Budget, Run
    from ascertain.models.ports import ClaimPair

    value = knowledge.settings.models.entailment
    if value in {"auto", "rules", "chat"}:
        return
    pairs = [ClaimPair("Ada Lovelace wrote the first program.", evidence) for evidence in (ANSWERING, DENYING, BESIDE)]
    started = time.perf_counter()
    try:
        entailment = knowledge.container.models.entailment
        said, *others = entailment.check(pairs, Run(Budget(len(pairs), 10_000, 3600, math.inf)))
    except AscertainError as error:
        problems.append(f"entailment: {error}; claims are checked by rules")
        return
    _note_model(facts, "entailment model", entailment.name, value, started=started)
    most = max(other.entailed for other in others)
    if said.entailed <= most:
        problems.append(
            f"entailment: {entailment.name} finds a claim in a text that does not say it ({most:.2f}) no less than in one that "
            f"does ({said.entailed:.2f}); its labels may be another's"
        )


def _examine_chat(settings: ChatSettings, problems: list[str], facts: dict[str, str]) -> None:
    """Whether the chat models have what they need, and are asked or left alone, as far as this process knows; no server is called."""
    from ascertain.app.choosing.configured import list_chat_problems
    from ascertain.models.chat.structured import find_breakers

    try:
        breakers = find_breakers(settings)
    except AscertainError as error:
        problems.append(str(error))
        return
    problems += list_chat_problems(settings)
    if breakers:
        facts["chat models"] = "; ".join((*(breaker.describe_state() for breaker in breakers), TRY_MODELS))
    else:
        facts["chat models"] = FIND_MODELS


TRY_MODELS = "ascertain models try tries them"
FIND_MODELS = "none, answers are made by rules; ascertain models find looks for servers on this machine"


def _has_chat_models(settings: ChatSettings) -> bool:
    """Whether a question may ask one; also where the settings are wrong, which the question reports."""
    from ascertain.models.chat.structured import model_names

    try:
        return bool(model_names(settings))
    except AscertainError:
        return True


def count_models_left_alone() -> int:
    """How many chat models the rules answer for at the moment, whatever knowledge base asked them."""
    from ascertain.models.servers.breaker import CHAT, BreakerState, list_breakers

    return sum(breaker.kind is CHAT and breaker.state is BreakerState.OPEN for breaker in list_breakers())


def _examine_store(knowledge: Ascertain, repair: bool, problems: list[str], facts: dict[str, str]) -> None:
    """Add the problems of the store and the records beside it; stop once it cannot be reached."""
    try:
        if not knowledge.exists:
            facts["store"] += ": nothing yet; 'ascertain add PATH' makes a knowledge base"
            return
        health = knowledge.check(repair)
    except UsageError as error:
        facts["store"] = str(error)
    except AscertainError as error:
        problems.append(str(error))
    else:
        problems += health.problems
        facts |= health.facts
        if "free space" in health.facts:
            facts.pop("disk", None)  # the store has measured the same disk
        _examine_completeness(knowledge, problems, facts)
        facts["answers in"] = f"{_measure_ping(knowledge) * 1000:.1f} ms"
        _examine_beside(knowledge, repair, problems, facts)


_MOST_NAMED = 5
"""Documents that are named in a line."""


def _examine_completeness(knowledge: Ascertain, problems: list[str], facts: dict[str, str]) -> None:
    """Report how many documents were read incompletely, and which of them lack most."""
    try:
        records = knowledge.documents()
    except AscertainError as error:
        problems.append(f"documents: {error}")
        return
    found = [(each.completeness, each.source) for each in records if each.completeness is not None]
    partly = sorted((each.share, source) for each, source in found if not each.is_complete)
    facts["read whole"] = f"{len(found) - len(partly):,} of {len(found):,}"
    if partly:
        named = [f"{source} ({100 * share:.1f} %)" for share, source in partly[:_MOST_NAMED]]
        more = [f"and {len(partly) - _MOST_NAMED:,} more"] if len(partly) > _MOST_NAMED else []
        facts["read in part"] = ", ".join((*named, *more))


def _examine_beside(knowledge: Ascertain, repair: bool, problems: list[str], facts: dict[str, str]) -> None:
    """Conversations, the ingest log and the graph, which some stores hold elsewhere."""
    try:
        conversations = knowledge.conversations()
        facts["conversations"] = f"{len(conversations):,}"
        for each in conversations:
            knowledge.conversation(each.id)  # damage shows where it is read
    except AscertainError as error:
        problems.append(f"conversations: {error}")
    try:
        runs = knowledge.ingest_runs()
    except AscertainError as error:
        problems.append(f"ingest log: {error}")
    else:
        facts["last ingest"] = f"{runs[0].state.value}, {runs[0].updated_at:%Y-%m-%d %H:%M}" if runs else "none"
    try:
        graph = knowledge.graph.check(repair)
    except AscertainError as error:
        problems.append(f"knowledge graph: {error}")
    else:
        problems += [f"knowledge graph: {problem}" for problem in graph.problems]
        facts |= graph.facts


def _measure_ping(knowledge: Ascertain) -> float:
    """Median seconds of the cheapest request there is."""
    taken: list[float] = []
    for _ in range(PINGS):
        started = time.perf_counter()
        knowledge.count()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def _list_versions(*kinds: str) -> Iterator[tuple[str, str]]:
    from ascertain import __version__

    yield "ascertain", __version__
    yield "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    beside = (package for kind in kinds for package in STORE_PACKAGES.get(kind, ()))
    for package in (*PACKAGES, *beside):
        try:
            yield package, version(package)
        except PackageNotFoundError:
            yield package, "not installed"


def _check_disk(home: Path, problems: list[str]) -> str:
    """Free space where the home is or would be; too little is added to ``problems``."""
    folder = next(parent for parent in (home.resolve(), *home.resolve().parents) if parent.is_dir())
    free = shutil.disk_usage(folder).free
    if free < LOW_DISK_BYTES:
        problems.append(f"only {free / 1e6:.0f} MB are free on the disk of {folder}; make room before adding more")
    return f"{free / 1e9:.1f} GB free at {folder}"
