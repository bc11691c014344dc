"""Reading files of every supported format as documents."""

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ascertain.core.documents.blocks import LAYOUT, Block, BlockKind
from ascertain.core.documents.documents import Completeness, Document, DocumentKind, document_id
from ascertain.core.errors import UsageError
from ascertain.documents.formats.drafts.draft import list_paragraphs
from ascertain.documents.formats.files.file_names import choose_title, split_date, title_from_name
from ascertain.documents.formats.plain.text import is_paper
from ascertain.documents.formats.reader import Extracted, Picture, ReadOptions, SourceFile, count_words
from ascertain.documents.formats.registry import (
    HOLDS_FILES,
    can_recognize,
    extract_texts,
    is_maildir,
    is_maildir_message,
    is_picture,
    is_readable,
    known_suffixes,
    split_name,
)
from ascertain.documents.reading.pool import READERS
from ascertain.language.languages import detect_language


@dataclass(frozen=True, slots=True)
class Discovery:
    """``files`` are absolute, resolved and distinct, in the order of reading; ``skipped`` are (path, reason), sorted."""

    files: tuple[Path, ...]
    skipped: tuple[tuple[Path, str], ...]


def discover_files(paths: Sequence[Path], *, describes: bool = False, follow_links: bool = False) -> Discovery:
    """The readable files under ``paths``.

    Folders are walked with their subfolders; hidden entries in them are skipped silently, files of unknown
    suffix and unreadable ones are listed as skipped. Without a suffix (README, LICENSE) a file is taken where it
    begins as text. A file named by itself is taken whatever its suffix, and so are
    the messages of a folder of mail (Maildir), whose folders inside it have names that begin with a point.
    Symbolic links are followed, each folder and file once; those that lead out of the folders that were named only with
    ``follow_links``, else they are listed as skipped. Raises UsageError when a path does not exist.
    Sorted, those with text before pictures and scans, which take seconds a page to recognise. Where a model ``describes`` pictures, they
    are readable files.
    """
    search = _Search(paths, describes=describes, follow_links=follow_links)
    for path in paths:
        search.visit(path)
    skipped = sorted((found, reason) for found, reason in search.skipped.items())
    return Discovery(_order_files(search.files, waits=describes or can_recognize()), tuple(skipped))


def _order_files(files: Iterable[Path], *, waits: bool) -> tuple[Path, ...]:
    return tuple(sorted(files, key=lambda path: (waits and is_picture(path), path)))


class _Search:
    def __init__(self, paths: Sequence[Path], *, describes: bool, follow_links: bool) -> None:
        self._tops = None if follow_links else frozenset(os.path.realpath(path.expanduser()) for path in paths)
        self.files: set[Path] = set()
        self.skipped: dict[Path, str] = {}
        self._folders: set[Path] = set()
        self._suffixes = known_suffixes(describes=describes)

    def visit(self, path: Path) -> None:
        try:
            resolved = path.expanduser().resolve(strict=True)
            is_folder = resolved.is_dir()
        except PermissionError:
            self.skipped[path] = "no permission to read it"
            return
        except (OSError, RuntimeError, ValueError) as error:
            # RuntimeError: a link that points at itself; ValueError: a NUL in the name.
            raise UsageError(f"{path}: no such file or folder; check the spelling") from error
        if is_folder:
            self._walk_folders(resolved)
        else:
            self._take_entry(resolved, resolved)

    def _walk_folders(self, top: Path) -> None:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            if folder in self._folders:
                continue
            self._folders.add(folder)
            for entry in self._list_entries(folder):
                try:
                    resolved = entry.resolve(strict=True)
                    if entry.is_symlink() and not self._lies_inside(resolved):
                        self.skipped[entry] = (
                            "a link out of the folder; add its target by its own path, or use --follow-links"
                        )
                        continue
                    if resolved.is_dir():
                        waiting.append(resolved)
                        continue
                except (OSError, RuntimeError):
                    self.skipped[entry] = "a link that leads nowhere"
                    continue
                suffix = split_name(entry.name)[1]
                is_text = not suffix and resolved.is_file() and is_readable(resolved)
                if f".{suffix}" in self._suffixes or is_text or is_maildir_message(entry):
                    self._take_entry(resolved, entry)
                elif resolved not in self.files:
                    self.skipped[entry] = f"unsupported suffix '.{suffix}'" if suffix else "no suffix"

    def _lies_inside(self, resolved: Path) -> bool:
        """Whether it is, or lies under, something that was named."""
        return self._tops is None or not self._tops.isdisjoint(map(str, (resolved, *resolved.parents)))

    def _list_entries(self, folder: Path) -> Iterator[Path]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self.skipped[folder] = f"folder cannot be read: {error.strerror or error}"
            return
        yield from (entry for entry in entries if not entry.name.startswith(".") or is_maildir(entry))

    def _take_entry(self, resolved: Path, entry: Path) -> None:
        if not resolved.is_file():
            self.skipped[entry] = "not a regular file"
        elif not os.access(resolved, os.R_OK):
            self.skipped[entry] = "no permission to read it"
        elif not _is_text(str(resolved)):
            self.skipped[entry] = "its name or folder has characters that cannot be shown; rename it"
        else:
            self.files.add(resolved)
            self.skipped.pop(resolved, None)


def _is_text(name: str) -> bool:
    """Whether a path can be stored and shown: no controls, no bytes that are not UTF-8."""
    return not any(unicodedata.category(character) in ("Cc", "Cs") for character in name)


__all__ = ["Discovery", "Illustrated", "ReadOptions", "discover_files", "read_apart", "read_illustrated", "read_path"]


@dataclass(frozen=True, slots=True)
class Illustrated:
    """A document with its pictures that wait to be described. Its text may be empty where it has some."""

    document: Document
    pictures: tuple[Picture, ...] = ()


def read_illustrated(path: Path, options: ReadOptions) -> Iterator[Illustrated]:
    """As ``read_apart``, with the pictures where ``options.reads_pictures``."""
    file = SourceFile(path, options)
    with closing(READERS.read_file(file)) as texts:
        for extracted in texts:
            document = _build_document(file, extracted)
            yield Illustrated(
                document, tuple(_below_title_too(extracted, document, each) for each in extracted.pictures)
            )


def read_apart(path: Path, options: ReadOptions) -> Iterator[Document]:
    """As ``read_path``, with the work done by a process of its own, within ``options.limits``.

    Raises SourceError for a file that exceeds them too, and ReadingStopped once ``options.goes_on`` returns false.
    """
    for illustrated in read_illustrated(path, replace(options, reads_pictures=False)):
        yield illustrated.document


def read_path(path: Path, options: ReadOptions | None = None) -> Iterator[Document]:
    """The documents in one file: one, or one for each row of a table. Read by this process, however long that takes.

    A document's source is the file's absolute path (or ``options.source``), with ``#row`` for a row. Raises SourceError, one line that
    begins with the file's name and says what to do, when the file cannot be read; documents of a table that were
    given before then stand. Rows that cannot be read go to ``options.on_bad_row``.
    """
    file = SourceFile(path, options or ReadOptions())
    for extracted in extract_texts(file):
        yield _build_document(file, extracted)


def _build_document(file: SourceFile, extracted: Extracted) -> Document:
    """Complete what a reader found with what the options and the file name say."""
    options = file.options
    full_source = file.source if extracted.row is None else f"{file.source}#{extracted.row}"
    stem, suffix = split_name(file.path.name)
    if extracted.row is None:
        title = choose_title(extracted, stem)
    else:
        title = extracted.title or f"{title_from_name(stem)}, row {extracted.row}"
    # the name of an archive or a mailbox says nothing of the files in it
    named_date = None if extracted.row and suffix in HOLDS_FILES else split_date(stem)[1]
    return Document(
        id=document_id(full_source, options.tenant, options.conversation_id),
        text=extracted.text,
        title=title,
        kind=_choose_kind(extracted),
        source=full_source,
        url=extracted.url,
        author=extracted.author,
        published_at=extracted.published_at or named_date,
        language=detect_language(extracted.text),
        tags=tuple(dict.fromkeys((*options.tags, *extracted.tags))),
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
        blocks=_complete_blocks(extracted, title),
        completeness=Completeness(count_words(extracted.text), extracted.left_out, extracted.notes),
    )


def _choose_kind(extracted: Extracted) -> DocumentKind:
    """What the reader says; prose with the sections of a paper is one."""
    sections = [block.place.section[-1] for block in extracted.blocks if block.kind is BlockKind.SECTION]
    is_prose = extracted.kind is DocumentKind.PROSE
    return DocumentKind.PAPER if is_prose and is_paper(sections, extracted.text) else extracted.kind


def _complete_blocks(extracted: Extracted, title: str) -> tuple[Block, ...]:
    """The blocks of the reader; where it tells nothing of what there is, the paragraphs."""
    blocks = _below_title(extracted.blocks, title)
    if all(block.kind in LAYOUT and block.kind is not BlockKind.TURN for block in blocks):
        return (*blocks, *list_paragraphs(extracted.text))
    return blocks


def _below_title_too(extracted: Extracted, document: Document, picture: Picture) -> Picture:
    """A picture with its heading path as those of the document are."""
    section = picture.place.section
    if section[:1] != (document.title,) or _below_title(extracted.blocks, document.title) == extracted.blocks:
        return picture
    return replace(picture, place=replace(picture.place, section=section[1:]))


def _below_title(blocks: tuple[Block, ...], title: str) -> tuple[Block, ...]:
    """The blocks with the document's own title left out of the heading paths, where it heads them all."""
    sections = [block.place.section for block in blocks if block.kind is BlockKind.SECTION]
    if not sections or any(section[0] != title for section in sections):
        return blocks
    shortened = (replace(block, place=replace(block.place, section=block.place.section[1:])) for block in blocks)
    return tuple(block for block in shortened if block.kind is not BlockKind.SECTION or block.place.section)
