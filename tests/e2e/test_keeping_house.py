"""Looking at a knowledge base and mending it: documents, delete, stats, doctor, config, reindex."""

from __future__ import annotations

import json
import re
import shutil

from ascertain.models.onnx import TOKENIZER, WEIGHTS


def test_documents_lists_states_and_reasons(inline, home, corpus):
    records = inline("documents", "--home", home, "--json").json
    by_source = {record["source"]: record for record in records}
    broken = by_source[str(corpus / "docs" / "broken.pdf")]
    assert (broken["state"], bool(broken["reason"])) == ("failed", True)
    assert len([record for record in records if record["state"] == "indexed"]) == 5
    failed = inline("documents", "--state", "failed", "--home", home)
    assert len(failed.out.splitlines()) == 1
    assert "broken.pdf" in failed.out


def test_stats_count_what_is_there(inline, home):
    numbers = inline("stats", "--home", home, "--json").json
    assert numbers["by_kind"]["transcript"] == 1
    assert numbers["dimension"] == 384
    assert numbers["latest"].startswith("2024-12-05")
    assert "all-MiniLM-L6-v2" in inline("stats", "--home", home).out


def test_doctor_finds_everything_in_order(inline, home):
    checked = inline("doctor", "--home", home, "--json")
    assert checked.code == 0, checked.out
    assert checked.json["healthy"] is True
    assert "everything is in order" in inline("doctor", "--home", home).out


def test_the_schema_of_a_home_is_looked_after(inline, home):
    status = inline("db", "status", "--home", home, "--json").json
    assert status == {"before": status["after"], "after": status["after"]}
    assert inline("db", "create", "--home", home, "--json").json == status
    assert "exists already" in inline("db", "create", "--home", home).out
    absent = inline("db", "create", "--home", "absent")
    assert absent.code == 1
    assert "there is no knowledge base in absent" in absent.err


def test_migrate_says_what_it_would_do_does_it_and_compares(inline, home, tmp_path):
    places = ("--from", home, "--to", "copy.kb")
    plan = inline("migrate", *places, "--dry-run")
    assert "which holds nothing yet" in plan.out and "ready to copy" in plan.out
    assert not (tmp_path / "copy.kb").exists()
    assert "no knowledge base in copy.kb" in inline("migrate", *places, "--verify-only").err
    done = inline("migrate", *places)
    assert done.code == 0, done.err
    assert "verified: both are equal" in done.out
    assert "use it with --home copy.kb" in done.out
    assert inline("search", "oil pressure", "--home", "copy.kb", "--json").json["results"]
    assert inline("delete", "--kind", "transcript", "--yes", "--home", "copy.kb").code == 0
    compared = inline("migrate", *places, "--verify-only")
    assert compared.code == 1
    assert re.search(r"different: .*bread\.vtt .* is missing in copy\.kb", compared.out)
    assert not inline("migrate", *places, "--verify-only", "--json").json["equal"]
    refused = inline("migrate", "--from", "copy.kb", "--to", home)
    assert refused.code == 2
    assert "bread.vtt" in refused.err and "--merge" in refused.err
    assert inline("migrate").code == 2
    assert inline("migrate", "--to", "mysql://x/y").code == 2


def test_delete_asks_first_and_then_deletes_only_what_was_named(inline, home, tmp_path):
    own = tmp_path / "own"
    shutil.copytree(home, own)
    refused = inline("delete", "--kind", "article", "--home", own)
    assert refused.code == 2
    assert "add --yes" in refused.err
    assert inline("delete", "--kind", "article", "--yes", "--home", own, "--json").json == {"deleted": 2}
    left = inline("documents", "--home", own, "--json").json
    assert {record["kind"] for record in left} == {"prose", "transcript"}
    (talk,) = [record["id"] for record in left if record["kind"] == "transcript"]
    assert inline("delete", talk, "--yes", "--home", own).out == "deleted 1 document\n"
    assert inline("search", "sourdough", "--home", own, "--strategy", "keyword", "--json").json["results"] == []


def test_reindex_goes_over_every_chunk_and_keeps_answers(inline, home, tmp_path):
    own = tmp_path / "own"
    shutil.copytree(home, own)
    before = inline("search", "oil pressure", "--home", own, "--json").json["results"]
    done = inline("reindex", "--home", own, "--json")
    assert done.code == 0, done.err
    after = inline("search", "oil pressure", "--home", own, "--json").json["results"]
    assert [result["chunk_id"] for result in before] == [result["chunk_id"] for result in after]


def test_reindex_with_another_model_notes_it_for_the_commands_after_it(inline, home, tmp_path):
    own, model = tmp_path / "own", tmp_path / "my-encoder"
    shutil.copytree(home, own)
    model.mkdir()
    for file, name in zip((WEIGHTS, TOKENIZER), ("model.onnx", "tokenizer.json"), strict=True):
        (model / name).symlink_to(file)
    assert "noted in" in inline("reindex", model, "--home", own).out
    assert inline("stats", "--home", own, "--json").json["embedding_model"] == "my-encoder"
    assert inline("search", "oil pressure", "--home", own, "--json").json["results"]
    assert "noted in" in inline("reindex", "all-MiniLM-L6-v2", "--home", own).out
    (own / "ascertain.toml").write_text("[answers]\nmax_sentences = 2\n", encoding="utf-8")
    told = inline("reindex", model, "--home", own).out
    assert f'now set models.embedder = "{model}"' in told
    # until the setting names it, questions are answered with the model that the vectors are of, and nothing is added
    assert inline("search", "oil pressure", "--home", own, "--json").json["results"]
    assert "my-encoder" in inline("ask", "what does GB-7731 mean?", "--home", own, "--trace", "--no-cache").out
    (tmp_path / "tea.md").write_text("Tea is served at four.", encoding="utf-8")
    refused = inline("add", tmp_path / "tea.md", "--home", own)
    assert refused.code == 1
    assert "set models.embedder to my-encoder" in refused.err
    assert "ascertain reindex" in refused.err


def test_config_shows_where_values_come_from(inline, tmp_path):
    (tmp_path / "ascertain.toml").write_text("[retrieval]\ntop_k = 4\n", encoding="utf-8")
    shown = inline("config", "show", "--json", ASCERTAIN_ANSWERS__MAX_SENTENCES="2").json
    assert shown["retrieval.top_k"] == {"value": 4, "origin": "ascertain.toml"}
    assert shown["answers.max_sentences"] == {"value": 2, "origin": "environment ASCERTAIN_ANSWERS__MAX_SENTENCES"}
    assert "retrieval.top_k\t4\tascertain.toml" in inline("config", "show").out
    assert inline("config", "path").out.strip() == str(tmp_path / "ascertain.toml")


def test_shell_completion_is_there(inline):
    # typer looks at the parent process for the shell; under make that is none that it knows
    found = inline("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "complete" in found.out.lower()


def test_eval_measures_a_small_set(inline, tmp_path):
    folder = tmp_path / "bench" / "tiny"
    folder.mkdir(parents=True)
    texts = {"a": "The harbour bridge is closed.", "b": "Sourdough needs flour and water."}
    _write_lines(folder / "corpus.jsonl", [{"_id": k, "title": "", "text": v} for k, v in texts.items()])
    _write_lines(folder / "queries.jsonl", [{"_id": "q", "text": "Is the bridge closed?", "answer": "closed"}])
    (folder / "qrels.tsv").write_text("q\ta\t1\n", encoding="utf-8")
    (row,) = inline("eval", "retrieval", "--data", "bench", "--set", "tiny").lines
    assert row["set"] == "tiny"
    assert row["metrics"]["nDCG@10"] == 1.0
    (row,) = inline("eval", "answers", "--data", "bench", "--set", "tiny").lines
    assert row["set"] == "tiny"


def _write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
