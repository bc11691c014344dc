"""Finds a public benchmark by its name, downloads it if missing, and verifies it.

A stopped download resumes: it is requested in parts, each of which is on disk before the next is requested.
"""

import errno
import hashlib
import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from ascertain.core.errors import SourceError, StoreError, UsageError
from ascertain.core.settings import WebSettings
from ascertain.documents.sources.web.fetching import Fetched, Fetcher, FetchError
from ascertain.documents.sources.web.guarded_client import GuardedClient
from ascertain.evaluation.public.forms import Wanted, write_public_set
from ascertain.evaluation.sets.knowledge import Listener, locate_user_cache

PART_BYTES = 8_000_000
"""Asked for at once: little enough to lose when a connection breaks, and much enough that the requests between cost nothing."""
PART_SECONDS = 300.0
"""Longest time for one part: 27 kB/s."""
_COUNTED = re.compile(r"[1-9]\d{0,6}")


class Benchmark(BaseModel):
    """One entry of ``catalogue.toml``. ``kinds`` are those of ``ascertain eval`` that it has questions for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    about: str
    home: str
    licence: str
    form: str
    url: str
    kinds: tuple[str, ...]
    megabytes: int
    member: str = ""
    corpus_url: str = ""
    md5: Mapping[str, str] = {}

    @property
    def variants(self) -> tuple[str, ...]:
        """Names that may follow after a colon; none for a benchmark that is one set."""
        return tuple(sorted(self.md5))


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A benchmark as it was asked for by name, with the variant and the number of questions (None is all)."""

    benchmark: Benchmark
    variant: str = ""
    count: int | None = None

    @property
    def folder(self) -> str:
        """The name of its folder, and in what is printed."""
        parts = (self.benchmark.name, self.variant.replace("/", "-"), str(self.count or ""))
        return "-".join(part for part in parts if part)


@cache
def load_catalogue() -> Mapping[str, Benchmark]:
    """All benchmarks that are known by name."""
    held = tomllib.loads(files("ascertain.evaluation.public").joinpath("catalogue.toml").read_text("utf-8"))
    return {name: Benchmark.model_validate({"name": name, **row}) for name, row in held.items()}


def find_public_set(name: str) -> PublicSet | None:
    """The set that ``name`` stands for: ``beir:scifact``, ``musique``, ``musique:500`` (so many questions); None where it is none.

    Raises UsageError for a known benchmark with a variant that it does not have.
    """
    first, *rest = name.split(":")
    benchmark = load_catalogue().get(first)
    if benchmark is None:
        return None
    count = int(rest.pop()) if rest and _COUNTED.fullmatch(rest[-1]) else None
    variant = rest.pop(0) if rest else ""
    if rest or (variant.split("/")[0] not in benchmark.variants if benchmark.variants else variant):
        known = (
            ", ".join(f"{first}:{each}" for each in benchmark.variants) or f"{first} and {first}:500, for 500 questions"
        )
        raise UsageError(f"no set {name!r}; there are {known}")
    return PublicSet(benchmark, variant, count)


def choose_default_folder() -> Path:
    """Where public benchmarks are kept when no folder is named."""
    return locate_user_cache() / "benchmarks"


def prepare_public_set(wanted: PublicSet, data: Path, web: WebSettings, listener: Listener) -> Path:
    """The folder of the set in ``data``, downloaded and written if missing.

    Raises UsageError, which says what to do without a network, if it is unavailable, and SourceError if the download is not what
    was published.
    """
    folder = data / wanted.folder
    if (folder / "source.json").is_file():
        return folder
    benchmark = wanted.benchmark
    listener.remark(f"{wanted.folder}: {benchmark.about}. Licence: {benchmark.licence} ({benchmark.home})")
    most = benchmark.megabytes * 1_000_000
    limits = {"timeout_seconds": PART_SECONDS, "max_megabytes": benchmark.megabytes}
    fetcher = GuardedClient(web.model_copy(update=limits))
    try:
        paths: dict[str, Path] = {}
        for role, url in _list_downloads(wanted).items():
            paths[role] = data / "downloads" / _name_file(wanted, url)
            download_file(url, paths[role], fetcher, most, listener=listener)
        digests = {path.name: _check_download(wanted, path) for path in paths.values()}
        _write_folder(wanted, paths, digests, folder)
    except FetchError as error:
        raise UsageError(f"{wanted.folder}: cannot be downloaded: {error}. {_explain_offline(wanted, data)}") from error
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise StoreError(
            f"{data}: no space is left for {wanted.folder}; free some, or name another folder with --data. "
            "The parts are stored, and the download resumes there."
        ) from error
    finally:
        fetcher.close()
    listener.remark(f"{wanted.folder}: kept in {folder}")
    return folder


def _list_downloads(wanted: PublicSet) -> dict[str, str]:
    benchmark = wanted.benchmark
    named = benchmark.url.replace("{variant}", wanted.variant.split("/")[0])
    return {"data": named} | ({"corpus": benchmark.corpus_url} if benchmark.corpus_url else {})


def _name_file(wanted: PublicSet, url: str) -> str:
    """As the address ends, where that says anything; a download by hand is put there under this name."""
    name = urlsplit(url).path.split("/")[-1]
    return f"{wanted.benchmark.name}-{name}"


def _explain_offline(wanted: PublicSet, data: Path) -> str:
    named = [f"{url} as {data / 'downloads' / _name_file(wanted, url)}" for url in _list_downloads(wanted).values()]
    return (
        f"Where there is no network, put {' and '.join(named)}, or a folder {data / wanted.folder} from a machine that has it; "
        "sets of your own need none (--golden, --data)."
    )


def download_file(url: str, path: Path, fetcher: Fetcher, most: int, *, listener: Listener) -> None:
    """``path`` holds the file at ``url`` afterwards; nothing is requested if it exists already.

    Parts are kept beside it until it is whole, with the mark (ETag) of the version that they are of: of another version none is used.
    Raises FetchError, also for more than ``most`` bytes, and OSError where it cannot be written.
    """
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part, mark = path.with_name(path.name + ".part"), path.with_name(path.name + ".mark")
    while True:
        start = part.stat().st_size if part.exists() and mark.exists() else 0
        answer = _fetch_part(url, start, mark.read_text("utf-8") if start else "", fetcher)
        begins, total = _read_range(answer, url)
        if total > most or begins + len(answer.body) > most:
            raise FetchError(f"{url}: {total / 1e6:,.0f} MB, more than the {most / 1e6:,.0f} MB that this set may have")
        if begins not in {0, start}:
            raise FetchError(f"{url}: answers with another part than requested")
        mark.write_text(answer.headers.get("etag", ""), "utf-8")
        with part.open("r+b" if begins else "wb") as file:
            file.seek(begins)
            file.write(answer.body)
        if begins + len(answer.body) >= total:
            break
        listener.progress(f"{path.name}: {(begins + len(answer.body)) / 1e6:,.1f} of {total / 1e6:,.1f} MB")
        if not answer.body:
            raise FetchError(f"{url}: breaks off after {begins:,} of {total:,} bytes", is_passing=True)
    part.replace(path)
    mark.unlink()


def _fetch_part(url: str, start: int, mark: str, fetcher: Fetcher) -> Fetched:
    headers = {"Range": f"bytes={start}-{start + PART_BYTES - 1}", "Accept-Encoding": "identity"}
    return fetcher.get(url, headers=headers | ({"If-Range": mark} if mark and not mark.startswith("W/") else {}))


def _read_range(answer: Fetched, url: str) -> tuple[int, int]:
    """Where the body begins in the whole, and how long that is: all of it where the server knows no parts."""
    if answer.status != 206:
        return 0, len(answer.body)
    match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", answer.headers.get("content-range", "").strip())
    if match is None:
        raise FetchError(f"{url}: answers with a part and does not say which")
    return int(match[1]), int(match[2])


def _check_download(wanted: PublicSet, path: Path) -> str:
    """The SHA-256 of a download; one without the checksum of its publisher is removed and refused."""
    stated = wanted.benchmark.md5.get(wanted.variant.split("/")[0], "")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if stated and found != stated:
        path.unlink()
        raise SourceError(f"{path.name}: its MD5 is {found}, its publisher states {stated}; it was removed, try again")
    return digest


def _write_folder(wanted: PublicSet, paths: Mapping[str, Path], digests: Mapping[str, str], folder: Path) -> None:
    """Written beside its place and then moved there, so that what is in place is whole."""
    making = folder.with_name(folder.name + ".making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    benchmark = wanted.benchmark
    write_public_set(benchmark.form, paths, making, Wanted(benchmark.member, wanted.variant, wanted.count))
    said = {
        "name": wanted.folder,
        "about": benchmark.about,
        "licence": benchmark.licence,
        "home": benchmark.home,
        "downloads": _list_downloads(wanted),
        "sha256": dict(digests),
    }
    (making / "source.json").write_text(json.dumps(said, indent=1) + "\n", "utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    making.replace(folder)
