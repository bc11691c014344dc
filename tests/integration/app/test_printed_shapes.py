"""What the commands print with ``--json`` has the fields of its shape, in their order, and no others."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ascertain.app.wire import (
    analysis,
    answers,
    conversations,
    documents,
    evaluation,
    graph,
    holdings,
    migration,
    research,
    service,
    sources,
)
from ascertain.app.wire.reference import SECTIONS
from ascertain.app.wire.service import ServingJson, SubmittedJson
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift, FeedbackSummary
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.documents.ingest import IngestReport, Transcribed
from ascertain.core.documents.sources import SourceRecord
from ascertain.core.graph.results import BuildEstimate, BuildReport, Decided, ExportReport, GraphStats, Merges
from ascertain.core.reports.research import ResearchSummary, RunComparison
from ascertain.core.serialisation import Serialisable
from ascertain.core.service.migration import MigrationPlan
from ascertain.core.service.model_choice import ConfiguredModels, FoundServer, ModelTrial
from ascertain.core.service.service import ApiKey, AuditEntry, Job
from ascertain.core.service.status import SchemaChange
from ascertain.interfaces.cli.application import app

ENGINES = """# Engines

Ada Lovelace worked with Charles Babbage on the Analytical Engine. Charles Babbage lived in London.
Ada Lovelace wrote notes on the Analytical Engine in London.
"""
PLACES = """# Places

Charles Babbage was born in London. The Analytical Engine was never built, as Charles Babbage said in London.
"""
COMMANDS = [
    ("add {folder}", IngestReport),
    ("search engine", documents.SearchJson),
    ("ask {question}", Answer),
    ("ask {question} --conversation talk", Answer),
    ("analyze {question}", analysis.AnalysisJson),
    ("check {claim}", research.CheckedClaimJson),
    ("research {question}", research.ResearchRunJson),
    ("research --list", ResearchSummary),
    ("research --compare {run} {run}", RunComparison),
    ("research --delete {run}", research.DeletedRunJson),
    ("conversations", conversations.ConversationSummaryJson),
    ("conversations talk", conversations.BriefConversationJson),
    ("feedback {answer} up", conversations.FeedbackJson),
    ("stats --feedback", FeedbackSummary),
    ("stats --drift 7", Drift),
    ("conversations talk --delete", documents.DeletedJson),
    ("documents", DocumentRecord),
    ("stats", holdings.StatsJson),
    ("jobs", Job),
    ("jobs --cancel {job}", service.CancelledJson),
    ("keys add alice", service.NewKeyJson),
    ("keys list", ApiKey),
    ("keys revoke {key}", service.RevokedJson),
    ("audit", AuditEntry),
    ("source add {folder} --name shelf --no-read", SourceRecord),
    ("source list", SourceRecord),
    ("source sync shelf", sources.SyncedSourceJson),
    ("source remove shelf --yes", sources.RemovedSourceJson),
    ("add {folder}", IngestReport),
    ("graph build --estimate", BuildEstimate),
    ("graph build", BuildReport),
    ("graph stats", GraphStats),
    ("graph entity {entity}", graph.NeighbourhoodJson),
    ("graph entities ada", graph.FoundEntitiesJson),
    ("graph path {entity} London", graph.PathJson),
    ("graph export {folder}.graphml", ExportReport),
    ("graph merge {entity} {other}", Decided),
    ("graph merges", Merges),
    ("graph merge {entity} {other} --undo", graph.UndoneJson),
    ("doctor", holdings.HealthJson),
    ("reindex", holdings.ReindexedJson),
    ("db status", SchemaChange),
    ("db create", SchemaChange),
    ("migrate --from {home} --to {home}-2 --dry-run", MigrationPlan),
    ("migrate --from {home} --to {home}-2", migration.MigrationJson),
    ("config path", holdings.SettingsFileJson),
    ("config set retrieval.top_k 7", holdings.ChangedSettingJson),
    ("delete --source {folder} --yes", documents.DeletedJson),
]
EVENTS = {
    each.model_fields["event"].default: each
    for each in (answers.StepBegunJson, answers.StepEndedJson, answers.AnswerTextJson, answers.AnswerDoneJson)
}


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Runs a command over one knowledge base; its words may name what ``known`` has."""
    folder = tmp_path_factory.mktemp("printed")
    known = {
        "folder": str(folder / "shelf"),
        "home": str(folder / "kb"),
        "entity": "Charles Babbage",
        "other": "Ada Lovelace",
    }
    known["question"] = "Who worked with Charles Babbage?"
    known["claim"] = "Charles Babbage was born in London."
    (folder / "shelf").mkdir()
    for name, text in (("engines.md", ENGINES), ("places.md", PLACES)):
        (folder / "shelf" / name).write_text(text)
    (folder / "ascertain.toml").write_text("")

    def run(command):
        words = [word.format(**known) for word in command.split()]
        options = ["--home", known["home"], "--config", str(folder / "ascertain.toml"), "--json"]
        return CliRunner().invoke(app, [*words, *options], catch_exceptions=False)

    return run, known


def test_every_command_prints_its_shape(shell):
    run, known = shell
    for command, shape in COMMANDS:
        done = run(command)
        assert done.exit_code == 0, (command, done.output)
        value = json.loads(done.stdout)
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            checked(shape, row)
        if shape is Answer:
            known["answer"] = rows[0]["id"]
        elif shape is research.ResearchRunJson:
            known["run"] = rows[0]["id"]
        elif shape is service.NewKeyJson:
            known["key"] = rows[0]["id"]
        elif command.startswith("add"):
            known["job"] = a_job(known["home"])


def test_every_event_prints_its_shape(shell):
    run, _ = shell
    run("add {folder}")
    events = [json.loads(line) for line in run("ask {question} --stream --no-cache").stdout.splitlines()]
    assert {event["event"] for event in events} == set(EVENTS)
    for event in events:
        checked(EVENTS[event["event"]], event)


def test_every_setting_prints_its_shape(shell):
    run, _ = shell
    for setting in json.loads(run("config show").stdout).values():
        checked(holdings.SettingJson, setting)


def test_measuring_and_tuning_print_their_shapes(tmp_path):
    folder = tmp_path / "towns"
    folder.mkdir()
    towns = [f"Town{number}" for number in range(30)]
    corpus = [{"_id": town, "title": town, "text": f"The mayor of {town} is called Mx {town[::-1]}."} for town in towns]
    queries = [{"_id": town, "text": f"Who is the mayor of {town}?", "answer": [f"Mx {town[::-1]}"]} for town in towns]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judged = "".join(f"{town}\t{town}\t1\n" for town in towns)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    golden = []
    for row, query in zip(corpus[:3], queries[:3], strict=True):
        (shelf / f"{row['title']}.md").write_text(f"# {row['title']}\n\n{row['text']}\n")
        relevant = [{"source": f"{row['title']}.md", "quote": row["text"]}]
        golden.append({"id": row["_id"], "question": query["text"], "answers": query["answer"], "relevant": relevant})
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in golden))
    kept, runs = str(tmp_path / "run.json"), str(tmp_path / "runs")
    chosen = ["--golden", str(tmp_path / "golden.jsonl"), "--runs", runs, "--json"]
    for command, shape in (
        (["add", str(shelf), "--json"], IngestReport),
        (["eval", "retrieval", "--data", str(tmp_path), "--set", "towns", "--save", kept], evaluation.MeasuredJson),
        (["eval", "compare", kept, kept, "--json"], evaluation.ComparisonJson),
        (["eval", "sweep", *chosen, "--vary", "retrieval.top_k=5"], evaluation.SweepJson),
        (["eval", "tiers", *chosen, "--tier", "offline"], evaluation.TierJson),
        (["tune", "--set", str(folder), "--json"], evaluation.TuningJson),
    ):
        done = CliRunner().invoke(app, [*command, "--home", str(tmp_path / "kb")], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        value = json.loads(done.stdout)
        for row in value if isinstance(value, list) else [value]:
            checked(shape, row)
    checked(evaluation.RunJson, json.loads(Path(kept).read_text("utf-8")))


def test_every_shape_of_the_page_is_checked_here():
    measured = {evaluation.MeasuredJson, evaluation.TuningJson, evaluation.ComparisonJson}
    measured |= {evaluation.RunJson, evaluation.SweepJson, evaluation.TierJson}
    # sent to a server, which tests/unit/evaluation/test_exports.py reads
    measured |= {evaluation.ExportedRunJson}
    # asks a server, which tests/integration/models/test_transcribing.py reads
    measured |= {Transcribed}
    # what is served on a machine and what a model is good for, which tests/unit/interfaces/cli/commands/test_models.py reads
    measured |= {ConfiguredModels, FoundServer, ModelTrial}
    # whatever the user has by name, which tests/unit/interfaces/cli/test_named.py reads
    measured |= {holdings.NamedHomeJson, answers.NamedAnswerJson, documents.NamedSearchJson}
    # opens a program, which tests/unit/interfaces/cli/commands/test_reading.py reads
    measured |= {documents.OpenedJson}
    here = {shape for _, shape in COMMANDS} | set(EVENTS.values()) | {holdings.SettingJson} | measured
    documented = {printed.shape for section in SECTIONS for printed in section.printed}
    # printed by a command that runs until it is ended, which tests/e2e/test_servers.py reads, and for a job that failed
    assert documented - here == {ServingJson, SubmittedJson}


def checked(shape, value):
    read = shape.from_json(value) if issubclass(shape, Serialisable) else shape.model_validate(value, extra="forbid")
    assert json.dumps(read.to_json()) == json.dumps(value)


def a_job(home):
    """A job that waits for a service."""
    from ascertain import Ascertain
    from ascertain.core.settings import Settings

    with Ascertain(Settings(home=home)) as knowledge:
        return knowledge.jobs.submit_addresses(["https://example.org/a"]).id
