"""ZIP and TAR archives, and single files packed with gzip: what is inside is read as files of their own.

However archives lie in each other, all that is unpacked out of one file counts together: bytes, files and depth.
"""

import gzip
import posixpath
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

from ascertain.core.errors import SourceError
from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.files.encodings import decode_names, decode_text
from ascertain.documents.formats.files.file_names import choose_title, split_date
from ascertain.documents.formats.reader import Extracted, SourceFile, Unpacking
from ascertain.documents.formats.registry import (
    describe_remedies,
    extract_texts,
    is_known_name,
    is_readable,
    names_maildir_message,
    split_name,
)

MAX_DEPTH = 3
"""Archives and messages in each other; people nest them once or twice (by judgement)."""
MAX_FILES = 10_000
"""In one file with all that lie in it (by judgement)."""
_PIECE = 1_000_000
_LONGEST_NAME = 100
_NO_NAME = re.compile(r"[\0-\x1f\x7f\ud800-\udfff/\\]")
_HIDDEN = re.compile(r"(?:^|/)(?:\.[^./]|__MACOSX/)")

Member = tuple[str, Callable[[], "IO[bytes]"]]
"""The name of a file inside another, and what opens it."""


def read_zip(file: SourceFile) -> Iterator[Extracted]:
    """The files in a ZIP archive."""
    try:
        archive = zipfile.ZipFile(file.path)
    except zipfile.BadZipFile as error:
        raise file.error("the archive is damaged or cut off; get the file again") from error
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        openers = (_opener(archive, entry) for entry in entries)
        yield from _require_texts(file, list(zip(_names_of(entries), openers, strict=True)))


_IS_UTF8 = 0x800
"""The bit of an entry's flags that says that its name is in UTF-8 (APPNOTE.TXT of PKWARE, 4.4.4)."""
_UNICODE_PATH = b"up"
"""The field of an entry that holds its name in UTF-8 (4.6.9): one byte of version and four of a checksum before it."""


def _names_of(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The names of entries; those of which the archive does not say the encoding, together."""
    names = [_unicode_path(entry) or entry.filename for entry in entries]
    unsure = [
        number
        for number, (name, entry) in enumerate(zip(names, entries, strict=True))
        if not name.isascii() and name == entry.filename and not entry.flag_bits & _IS_UTF8
    ]
    # the standard library reads such names as cp437, which has a character for every byte
    decoded = decode_names([names[number].encode("cp437", "replace") for number in unsure])
    for number, name in zip(unsure, decoded, strict=True):
        names[number] = name
    return names


def _unicode_path(entry: zipfile.ZipInfo) -> str | None:
    place = 0
    while place + 4 <= len(entry.extra):
        size = int.from_bytes(entry.extra[place + 2 : place + 4], "little")
        if entry.extra[place : place + 2] == _UNICODE_PATH:
            return entry.extra[place + 9 : place + 4 + size].decode("utf-8", "replace")
        place += 4 + size
    return None


def _opener(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(entry)


def read_tar(file: SourceFile) -> Iterator[Extracted]:
    """The files in a TAR archive, packed or not."""
    try:
        archive = tarfile.open(file.path)  # noqa: SIM115  # closed below
    except (tarfile.TarError, EOFError, OSError) as error:
        raise file.error("the archive is damaged or cut off; get the file again") from error
    with archive:
        yield from _require_texts(file, _tar_members(file, archive))


def _tar_members(file: SourceFile, archive: tarfile.TarFile) -> Iterator[Member]:
    """The files; links and devices are skipped. Skipped entries are unpacked anyway, so that they count."""
    unpacking = _unpacking_of(file)
    passed = 0
    for info in _iter_intact(file, archive):
        passed += 0 if info.isfile() and is_wanted(info.name, describes=file.options.reads_pictures) else info.size
        if info.size + passed > unpacking.left_bytes:
            raise _too_large(file)
        if info.isfile():
            yield _tar_name(info), lambda info=info: cast("IO[bytes]", archive.extractfile(info))


def _tar_name(info: tarfile.TarInfo) -> str:
    """The name; one that is not UTF-8, whose bytes the standard library keeps as surrogates, in the encoding that it looks like."""
    raw = info.name.encode("utf-8", "surrogateescape")
    try:
        return info.name if raw.isascii() else decode_text(raw).text
    except ValueError:
        return info.name


def _iter_intact(file: SourceFile, archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """The entries up to where the archive breaks off, which is reported; raises the error if that is the first."""
    count = 0
    entries = iter(archive)
    while True:
        try:
            info = next(entries)
        except StopIteration:
            return
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            if not count:
                raise file.error("the archive is damaged or cut off; get the file again") from error
            file.options.on_bad_row(file.source, f"damaged or cut off after {count:,} files; the rest was not read")
            return
        count += 1
        yield info


def read_gzip(file: SourceFile) -> Iterator[Extracted]:
    """What is packed with gzip: a TAR archive, or one file."""
    if tarfile.is_tarfile(file.path):
        yield from read_tar(file)
        return
    name = file.path.name.removesuffix(".gz") or "file"
    yield from _require_texts(file, [(name, lambda: cast("IO[bytes]", gzip.GzipFile(file.path)))], takes_all=True)


def _require_texts(file: SourceFile, members: Iterable[Member], *, takes_all: bool = False) -> Iterator[Extracted]:
    """The texts in ``members``. Raises SourceError, with the first reason, where there is none."""
    reasons: list[str] = []
    report = file.options.on_bad_row

    def note_reason(source: str, reason: str) -> None:
        reasons.append(reason)
        report(source, reason)

    noting = replace(file, options=replace(file.options, on_bad_row=note_reason, unpacking=_unpacking_of(file)))
    found = False
    for extracted in read_members(noting, members, takes_all=takes_all):
        found = True
        yield extracted
    if not found:
        raise file.error(f"no file in it could be read ({reasons[0] if reasons else 'it holds none'})")


def read_members(file: SourceFile, members: Iterable[Member], *, takes_all: bool = False) -> Iterator[Extracted]:
    """The texts of the files inside ``file``, the name of each as the row.

    Files that cannot be read are reported to ``on_bad_row`` and skipped, those of unknown suffix (unless ``takes_all``) by their number.
    Raises SourceError when more would be unpacked than is safe.
    """
    if lies_too_deep(file):
        raise file.error(f"lies in archives more than {MAX_DEPTH} deep; unpack them and add the files inside")
    # one for all of them: removing a folder can take the disk longer than all else that is done with a small file
    with tempfile.TemporaryDirectory(prefix="ascertain-") as folder:
        yield from _read_each(file, members, Path(folder), takes_all=takes_all)


def _read_each(file: SourceFile, members: Iterable[Member], folder: Path, *, takes_all: bool) -> Iterator[Extracted]:
    unpacking = _unpacking_of(file)
    others: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for given, open_member in members:
        names[given] += 1
        name = _number_name(given, names[given])
        unpacking.left_files -= 1
        if unpacking.left_files < 0:
            raise _too_many(file)
        if not takes_all and not is_wanted(name, describes=file.options.reads_pictures):
            if not _HIDDEN.search(name):
                others[posixpath.splitext(name)[1].lower() or "without a suffix"] += 1
            continue
        try:
            source = f"{file.source}#{clean_line(name)}"
            options = replace(file.options, source=source, unpacking=unpacking)
            copy = SourceFile(folder / _file_name(clean_line(name)), options)
            yield from _read_member(file, clean_line(name), copy, open_member, others=None if takes_all else others)
        except SourceError as error:
            if unpacking.left_bytes < 0:
                raise _too_large(file) from error
            if unpacking.left_files < 0:
                raise _too_many(file) from error
            reason = str(error).removeprefix(f"{_file_name(name)}: ")
            file.options.on_bad_row(f"{file.source}#{clean_line(name)}", reason)
    if others:
        kinds = ", ".join(f"{count:,} {suffix}" for suffix, count in others.most_common(10))
        file.options.on_bad_row(
            file.source, f"files of other formats in it were skipped: {kinds}{describe_remedies(others)}"
        )


def lies_too_deep(file: SourceFile) -> bool:
    """Whether the content of ``file`` is not read, since ``file`` is nested in ``MAX_DEPTH`` others."""
    return _unpacking_of(file).depth >= MAX_DEPTH


def is_wanted(name: str, *, describes: bool = False) -> bool:
    """Whether a file inside another is unpacked: by its name, or to look at it, where the name tells no format."""
    is_known = (
        is_known_name(posixpath.basename(name), describes=describes)
        or not split_name(name)[1]
        or names_maildir_message(name)
    )
    return is_known and not _HIDDEN.search(name)


def _number_name(name: str, number: int) -> str:
    """The name of a file, with its number where there are others of that name before it: ``plan (2).pdf``."""
    stem, suffix = posixpath.splitext(name)
    return name if number == 1 else f"{stem} ({number}){suffix}"


def _unpacking_of(file: SourceFile) -> Unpacking:
    options = file.options
    return options.unpacking or Unpacking(max(options.max_bytes, options.limits.unpacked_bytes), MAX_FILES)


def _too_large(file: SourceFile) -> SourceError:
    return file.error(
        "unpacks to more than is safe to open; unpack it and add the folder, or raise ingest.reading.unpacked_bytes"
    )


def _too_many(file: SourceFile) -> SourceError:
    return file.error(f"more than {MAX_FILES:,} files in it; unpack it and add the folder")


def _read_member(
    file: SourceFile, name: str, copy: SourceFile, open_member: Callable[[], IO[bytes]], *, others: Counter[str] | None
) -> Iterator[Extracted]:
    """The texts of one file, read out of its ``copy``; one without a suffix that is no text is counted among ``others``."""
    unpacking = _unpacking_of(copy)
    try:
        try:
            with closing(open_member()) as content:
                _copy_content(file, content, copy.path, unpacking)
        except SourceError:
            raise
        except Exception as error:
            # the standard library may raise anything for damaged, encrypted and unknown content
            raise copy.error("cannot be unpacked; it may be damaged or encrypted") from error
        if others is not None and not split_name(name)[1] and not is_readable(copy.path):
            others["without a suffix"] += 1
            return
        unpacking.depth += 1
        try:
            for extracted in extract_texts(copy):
                yield _name_member(extracted, name)
        finally:
            unpacking.depth -= 1
    finally:
        copy.path.unlink(missing_ok=True)


def _copy_content(file: SourceFile, content: IO[bytes], copy: Path, unpacking: Unpacking) -> None:
    with copy.open("wb") as target:
        while piece := content.read(_PIECE):
            unpacking.left_bytes -= len(piece)
            if unpacking.left_bytes < 0:
                raise _too_large(file)
            target.write(piece)


def _file_name(name: str) -> str:
    """The name of the copy: the end of the member's own, which its suffix is a part of."""
    member_name = f"{name}.eml" if names_maildir_message(name) else name
    return _NO_NAME.sub("_", posixpath.basename(clean_line(member_name)))[-_LONGEST_NAME:].lstrip(".") or "file"


def _name_member(extracted: Extracted, name: str) -> Extracted:
    stem = split_name(posixpath.basename(name))[0]
    title = extracted.title if extracted.row and extracted.title else choose_title(extracted, stem)
    if extracted.row and not extracted.title:
        title = f"{title}, row {extracted.row}"
    date = extracted.published_at or split_date(stem)[1]
    row = f"{name}#{extracted.row}" if extracted.row else name
    return replace(extracted, title=title, published_at=date, row=row)
