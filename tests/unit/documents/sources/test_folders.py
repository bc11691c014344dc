import os

import pytest

from ascertain.core.errors import UsageError
from ascertain.documents.sources.files import discover_files


def test_walks_folders_and_lists_what_it_skips(write, tmp_path):
    kept = [write("b/c/deep.pdf", "x"), write("a.TXT", "x"), write("b/n.md", "x")]
    write(".hidden.md", "x")
    write(".git/config.md", "x")
    odd = write("b/tool.exe", "x")
    found = discover_files([tmp_path])
    assert found.files == tuple(sorted(kept))
    assert found.skipped == ((odd, "unsupported suffix '.exe'"),)


def test_takes_each_file_once_and_named_files_whatever_their_suffix(write, tmp_path):
    named = write("LICENSE", "x")
    other = write("a.md", "x")
    (tmp_path / "same.md").symlink_to(other)
    found = discover_files([named, tmp_path, other, tmp_path / "." / "a.md"])
    assert found.files == tuple(sorted([named, other]))
    assert found.skipped == ()


def test_is_not_trapped_by_links(write, tmp_path):
    kept = write("sub/a.md", "x")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    found = discover_files([tmp_path])
    assert found.files == (kept,)
    assert {path.name for path, _ in found.skipped} == {"self", "gone.md"}


def test_follows_links_out_of_the_folder_only_when_it_is_asked(write, tmp_path):
    secret, kept = write("elsewhere/secret.md", "x"), write("notes/a.md", "x")
    (tmp_path / "notes" / "secret.md").symlink_to(secret)
    (tmp_path / "notes" / "others").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "notes" / "within.md").symlink_to(kept)
    found = discover_files([tmp_path / "notes"])
    assert found.files == (kept,)
    assert [path.name for path, _ in found.skipped] == ["others", "secret.md"]
    assert all(reason.startswith("a link out of the folder") for _, reason in found.skipped)
    assert set(discover_files([tmp_path / "notes"], follow_links=True).files) == {kept, secret}
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    assert discover_files([tmp_path / "link"]).files == (kept,)


def test_reports_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    assert discover_files([tmp_path]).skipped == ((tmp_path / "pipe.txt", "not a regular file"),)


def test_skips_names_that_are_no_text(tmp_path):
    path = os.fsencode(tmp_path) + b"/bad\xff.txt"
    with open(path, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(b"x")
    found = discover_files([tmp_path])
    assert found.files == ()
    assert "rename it" in found.skipped[0][1]


def test_refuses_a_path_that_does_not_exist(tmp_path):
    with pytest.raises(UsageError, match="no such file or folder"):
        discover_files([tmp_path / "nope"])


def test_messages_of_a_folder_of_mail_are_taken_whatever_they_are_called(write, tmp_path):
    inbox = write("Maildir/cur/1620122400.1.host:2,S", "x")
    lone = write("other/new/1620122401.M1P2.host", "x")
    named = write("Maildir/new/plain-name", "x")
    sent = write("Maildir/.Sent/cur/17", "x")
    half = write("Maildir/tmp/1620122402.3.host", "x")
    for folder in ("Maildir/.Sent/new", "Maildir/.Sent/tmp", "Maildir/.hidden/cur"):
        (tmp_path / folder).mkdir(parents=True)
    found = discover_files([tmp_path])
    assert found.files == tuple(sorted([inbox, lone, named, sent]))
    assert [path for path, _ in found.skipped] == [half]
