"""Files of a Git repository as they are committed, by the ``git`` command, and its issues as an export has them."""

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_text
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.sources.connectors.ports import Content, SourceGiven, SourceItem

_PROTOCOLS = "file:git:http:https:ssh"
"""What git may be led to; ``ext`` would run a command."""
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_OPTIONAL_LOCKS": "0"}
_CLONE_SECONDS = 1800.0
_BLOB_SECONDS = 60.0
_WEB_HOSTS = ("https://github.com/", "https://gitlab.com/")
"""Whose addresses of files are ``REPOSITORY/blob/COMMIT/PATH``."""


class GitSource:
    """A ``Source``. Options: ``ref`` (a branch or tag), ``folder`` inside it, ``issues`` (a JSON file), ``token`` and ``user`` for HTTPS;
    for SSH git's own keys serve.
    """

    is_complete = True
    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        given.check_options("ref", "folder", "issues", "user", "token")
        local = Path(given.address).expanduser()
        self._is_local = local.is_dir()
        self._address = str(local.resolve()) if self._is_local else given.address.removeprefix("git+")
        self._ref = given.options.get("ref", "HEAD")
        self._folder = given.options.get("folder", "").strip("/")
        self._issues = given.options.get("issues", "")
        self._limit = given.reading.max_bytes
        self._environ = {**os.environ, **_QUIET, **_build_login(given)}
        self._environ |= {
            "GIT_HTTP_LOW_SPEED_LIMIT": "1",
            "GIT_HTTP_LOW_SPEED_TIME": str(int(given.web.timeout_seconds)),
        }
        if self._address.startswith("-") or self._ref.startswith("-"):
            raise SourceError(f"{given.name}: neither an address nor a ref begins with -")
        self.root = given.address.rstrip("/") if not self._is_local else f"git:{self._address}"
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._blobs: dict[str, str] = {}
        self._issue: Mapping[str, Any] = {}

    def list_items(self) -> Iterator[SourceItem]:
        """Every file of the commit, then every issue of the export."""
        repository = self._address if self._is_local else self._clone()
        commit = self._run(repository, "rev-parse", "--verify", f"{self._ref}^{{commit}}").decode().strip()
        where = ["--", self._folder] if self._folder else []
        listed = self._run(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, *where)
        for line in listed.decode("utf-8", "replace").split("\0"):
            mode_and_blob, _, path = line.partition("\t")
            fields = mode_and_blob.split()
            is_hidden = any(part.startswith(".") for part in PurePosixPath(path).parts)
            if len(fields) != 4 or fields[1] != "blob" or fields[0] == "120000" or is_hidden:
                continue
            self._blobs = {path: fields[2], "": repository}
            if fields[3].isdecimal() and int(fields[3]) > self._limit:
                continue
            yield SourceItem(path, fields[2], address=self._find_address(commit, path))
        yield from self._list_issues()

    def read(self, item: SourceItem) -> Content:
        """The blob of a file, or an issue as text."""
        if item.id.startswith("issues/") and item.id not in self._blobs:
            return _write_issue(self._issue)
        return self._run(self._blobs[""], "cat-file", "blob", self._blobs[item.id], seconds=_BLOB_SECONDS)

    def close(self) -> None:
        """Remove the copy."""
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None

    def _clone(self) -> str:
        self.close()
        self._copy = tempfile.TemporaryDirectory(prefix="ascertain-git-")
        branch = [] if self._ref == "HEAD" else ["--branch", self._ref]
        self._run(None, "clone", "--quiet", "--bare", "--depth", "1", *branch, "--", self._address, self._copy.name)
        self._ref = "HEAD"
        return self._copy.name

    def _run(self, repository: str | None, *arguments: str, seconds: float = _CLONE_SECONDS) -> bytes:
        # hooks and configuration of the repository must not run
        where = ["-C", repository] if repository else []
        command = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", *where, *arguments]
        try:
            done = subprocess.run(
                command, env=self._environ, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=seconds
            )
        except FileNotFoundError as error:
            raise SourceError(f"{self.root}: the git command is not installed; install git") from error
        except subprocess.TimeoutExpired as error:
            raise SourceError(f"{self.root}: git took longer than {seconds:g} s") from error
        except subprocess.CalledProcessError as error:
            lines = cast("bytes", error.stderr).decode("utf-8", "replace").strip().splitlines() or [
                f"status {error.returncode}"
            ]
            raise SourceError(f"{self.root}: git: {lines[-1][:200]}") from error
        return done.stdout

    def _find_address(self, commit: str, path: str) -> str | None:
        address = self._address.removesuffix(".git").rstrip("/")
        return f"{address}/blob/{commit}/{path}" if address.startswith(_WEB_HOSTS) else None

    def _list_issues(self) -> Iterator[SourceItem]:
        if not self._issues:
            return
        try:
            found = json.loads(Path(self._issues).expanduser().read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise SourceError(f"{self._issues}: not a file of issues in JSON ({error}); export them again") from error
        for issue in cast("list[Mapping[str, Any]]", found if isinstance(found, list) else []):
            number = issue.get("number") or issue.get("iid")
            if number is None:
                continue
            self._issue = issue
            author = cast("Mapping[str, Any]", issue.get("user") or issue.get("author") or {})
            moment = issue.get("updated_at") or issue.get("updatedAt") or ""
            yield SourceItem(
                f"issues/{number}",
                str(moment),
                address=issue.get("html_url") or issue.get("web_url") or issue.get("url"),
                title=str(issue.get("title") or f"Issue {number}"),
                published_at=parse_date(issue.get("created_at") or issue.get("createdAt")),
                author=str(author.get("login") or author.get("username") or "") or None,
                tags=tuple(str(_name_of(each)) for each in cast("list[Any]", issue.get("labels") or [])),
                name=f"{number}.md",
            )


def _build_login(given: SourceGiven) -> dict[str, str]:
    """The header that a token is sent in, by the environment, where other users of the machine cannot read it."""
    token = given.options.get("token")
    if not token:
        return {}
    login = base64.b64encode(f"{given.options.get('user', 'x-access-token')}:{token}".encode()).decode("ascii")
    header = f"Authorization: Basic {login}"
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader", "GIT_CONFIG_VALUE_0": header}


def _name_of(label: Any) -> str:
    return str(cast("Mapping[str, Any]", label).get("name")) if isinstance(label, dict) else str(label)


def _write_issue(issue: Mapping[str, Any]) -> str:
    """The issue with its comments, as GitHub's and GitLab's APIs and ``gh issue list --json`` give them."""
    parts = [f"# {issue.get('title') or ''}", str(issue.get("body") or issue.get("description") or "")]
    comments = issue.get("comments")
    for comment in cast("list[Mapping[str, Any]]", comments if isinstance(comments, list) else []):
        author = cast("Mapping[str, Any]", comment.get("user") or comment.get("author") or {})
        parts += [f"## {author.get('login') or author.get('username') or 'Comment'}", str(comment.get("body") or "")]
    return clean_text("\n\n".join(parts))
