"""Names of uploaded files, and which of them stay."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from small_knowledge import opened

from ascertain.app.adding import uploads
from ascertain.app.adding.uploads import MAX_NAME, SCHEME, forget_orphans, keep_upload, source_of_upload, upload_name
from ascertain.core.errors import UsageError
from ascertain.core.settings import IngestSettings


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("C# notes.pdf", "C# notes.pdf"),
        ("folder/sub/report.pdf", "folder/sub/report.pdf"),
        ("folder\\report.pdf", "folder/report.pdf"),
        ("C:\\Users\\me\\report.pdf", "report.pdf"),
        ("/etc/passwd", "passwd"),
        ("../../report.pdf", "report.pdf"),
        ("./a//b.txt", "a/b.txt"),
        ("table.csv#12", "table.csv 12"),
        ("every*", "every"),
        ("two\nlines\t.txt", "two lines .txt"),
        (" padded.txt ", "padded.txt"),
        ("\udcff\udcfe.txt", ".txt"),
        ("übersicht 第一.pdf", "übersicht 第一.pdf"),
        ("invoice-\u202efdp.exe", "invoice-fdp.exe"),
        ("\u2067folder\u2069/\u200fa\u061c.txt", "folder/a.txt"),
        ("\ufeff\u200bin\u00advo\u2060ice.pdf", "invoice.pdf"),
    ],
)
def test_a_name_is_one_that_a_source_can_have(given_name: str, name: str) -> None:
    assert upload_name(given_name) == name


@pytest.mark.parametrize("given_name", ["", "   ", ".", "..", "a/..", "folder/", "***", "/", "\n"])
def test_refuses_what_names_no_file(given_name: str) -> None:
    with pytest.raises(UsageError, match="is not a file name"):
        upload_name(given_name)


def test_refuses_a_name_nobody_can_read() -> None:
    with pytest.raises(UsageError, match="401 characters"):
        upload_name("x" * (MAX_NAME + 1))


@given(st.text(max_size=40))
@example("0/*")
@example("a * *")
@example("0/#1")
@example("./C:/x")
@example("./C\u202e:/x")
@example("a*\u202e")
def test_whatever_the_name_its_source_is_that_of_no_row_and_no_pattern(text: str) -> None:
    try:
        name = upload_name(text)
    except UsageError:
        return
    assert upload_name(name) == name
    assert source_of_upload(SCHEME + name) == SCHEME + name
    assert source_of_upload(f"{SCHEME}{name}#7") == SCHEME + name
    assert not name.endswith("*")
    assert name.isprintable() or not name.isascii()
    assert ".." not in name.split("/")
    assert not Path(name).is_absolute()


def test_documents_that_were_not_uploaded_have_no_upload() -> None:
    assert source_of_upload("/home/me/report.pdf") is None
    assert source_of_upload("https://example.org/upload:x") is None


def test_a_file_over_the_limit_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", ingest=IngestSettings(max_file_bytes=10)) as knowledge:
        knowledge.set_up()
        keep_upload(
            knowledge.service.files,
            knowledge.tenant,
            "small.txt",
            [b"12345", b"67890"],
            conversation_id=None,
            limit=knowledge.settings.ingest.max_file_bytes,
        )
        with pytest.raises(UsageError, match=r"big.txt: over the limit of 10 bytes"):
            keep_upload(
                knowledge.service.files,
                knowledge.tenant,
                "big.txt",
                [b"12345", b"67890", b"1"],
                conversation_id=None,
                limit=knowledge.settings.ingest.max_file_bytes,
            )
        assert [file.name for file in knowledge.service.files.files()] == ["small.txt"]


def test_files_that_no_job_was_made_for_are_forgotten_once_they_are_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "kb") as knowledge:
        knowledge.set_up()
        keep_upload(
            knowledge.service.files,
            knowledge.tenant,
            "orphan.txt",
            [b"nobody waits for me"],
            conversation_id=None,
            limit=knowledge.settings.ingest.max_file_bytes,
        )
        waiting = knowledge.jobs.submit_files([("waiting.txt", [b"a job waits for me"])])
        forget_orphans(knowledge.service, knowledge.tenant, knowledge.documents)
        assert len(knowledge.service.files.files()) == 2
        monkeypatch.setattr(uploads, "_ORPHAN_SECONDS", -1.0)
        forget_orphans(knowledge.service, knowledge.tenant, knowledge.documents)
        assert [file.name for file in knowledge.service.files.files()] == ["waiting.txt"]
        assert waiting.created_at <= datetime.now(UTC)
