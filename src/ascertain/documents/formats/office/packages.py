"""Files that are ZIP archives of XML: what kind one is, whether it is safe to unpack, and its parts as trees.

Office documents, OpenDocument files and EPUB books are all such; a reader of one asks for the parts it needs.
"""

import importlib
import io
import posixpath
import zipfile
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, cast
from urllib.parse import unquote

from ascertain.documents.formats.drafts.draft import short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.reader import Extracted, SourceFile

_MAIN_PARTS = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "META-INF/container.xml": "epub",
}
"""The format by a file that each of its kind has."""
_MIME_TYPES = {
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
}
"""The format by the first entry of an archive (OpenDocument 1.3 part 2, 3.3; EPUB 3.3, 4.2.2); templates add to its end."""
_NAMES = {
    "docx": "a Word document",
    "pptx": "a PowerPoint presentation",
    "xlsx": "an Excel workbook",
    "odt": "an OpenDocument text",
    "ods": "an OpenDocument spreadsheet",
    "odp": "an OpenDocument presentation",
    "epub": "an EPUB book",
}
_ENCRYPTED = 1
"""The bit of an entry's flags that says so (APPNOTE.TXT of PKWARE, 4.4.4)."""


def package_format(archive: zipfile.ZipFile) -> str | None:
    """The suffix of the format that an archive is, None for one that holds files of their own."""
    names = set(archive.namelist())
    try:
        mime_type = archive.read("mimetype")[:100].decode("ascii", "replace").strip() if "mimetype" in names else ""
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError):
        mime_type = ""
    declared = next((suffix for kind, suffix in _MIME_TYPES.items() if mime_type.startswith(kind)), None)
    return declared or next((suffix for name, suffix in _MAIN_PARTS.items() if name in names), None)


class Package:
    """The parts of an archive whose declared sizes were found to be safe: zipfile reads no further than them."""

    def __init__(self, file: SourceFile, suffix: str) -> None:
        """Raises SourceError for what is damaged, encrypted, of another format than ``suffix``, or too large to unpack."""
        self._file = file
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(file.data()))
        except zipfile.BadZipFile as error:
            raise file.error(f"the {suffix.upper()} file is damaged or cut off; get the file again") from error
        found = package_format(self._archive)
        if found != suffix:
            if found:
                raise file.error(f"{_NAMES[found]}, not {_NAMES[suffix]}; give it the suffix .{found}")
            raise file.error(f"a ZIP archive, not {_NAMES[suffix]}; unpack it and add the files inside")
        entries = self._archive.infolist()
        if any(entry.flag_bits & _ENCRYPTED for entry in entries) or "META-INF/encryption.xml" in self.names:
            raise file.error("encrypted; save it without a password and add it again")
        self._check_sizes(entries)

    def _check_sizes(self, entries: list[zipfile.ZipInfo]) -> None:
        parsed = sum(each.file_size for each in entries if each.filename.endswith((".xml", ".rels", ".xhtml", ".html")))
        total = sum(entry.file_size for entry in entries)
        limit = self._file.options.limits.unpacked_bytes
        if parsed > limit or total > max(self._file.options.max_bytes, limit):
            raise self._file.error(
                f"unpacks to {total:,} bytes, more than is safe to open; save it again in smaller parts, or raise "
                "ingest.reading.unpacked_bytes"
            )

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all parts."""
        return frozenset(self._archive.namelist())

    def read_bytes(self, name: str) -> bytes:
        """The content of a part; KeyError where there is none."""
        return self._archive.read(name)

    def read_tree(self, name: str) -> Any:
        """The root element of a part; nothing outside the part is ever read for it."""
        return parse_xml(self.read_bytes(name))

    def find_tree(self, name: str | None) -> Any:
        """As ``read_tree``; None where there is no such part."""
        return self.read_tree(name) if name in self.names and name else None

    def relations_of(self, name: str) -> dict[str, tuple[str, str]]:
        """What a part of an Office file refers to, inside the package: (kind, name of the part) by the id of the reference."""
        folder, base = posixpath.split(name)
        # names of parts are the same in capitals and small letters (ECMA-376 part 2, 6.2.2.3)
        known = {each.lower(): each for each in self.names}
        tree = self.find_tree(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for each in () if tree is None else tree:
            if isinstance(each.tag, str) and each.get("TargetMode") != "External":
                kind = str(each.get("Type") or "").rpartition("/")[2]
                target = resolve_name(name, str(each.get("Target") or ""))
                found[str(each.get("Id"))] = (kind, known.get(target.lower(), target))
        return found


def resolve_name(base: str, target: str) -> str:
    """The name of the part that ``target``, written in the part ``base``, refers to; what stands behind ``#`` is left out."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)).lstrip("/")


@cache
def _load_lxml() -> Any:
    # It has no types, and takes a twentieth of a second to import.
    return cast("Any", importlib.import_module("lxml.etree"))


def parse_xml(data: bytes) -> Any:
    """The root element of lxml. Entities stay as they are and nothing is fetched; what is nested very deeply raises."""
    library = _load_lxml()
    parser = library.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    return library.fromstring(data, parser)


def local_name(element: Any) -> str:
    """The name of an element without its namespace, which differs between editions of the Office formats."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute_of(element: Any, name: str) -> str | None:
    """An attribute by its name without namespace."""
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), None)


def iter_named(element: Any, *names: str) -> Iterator[Any]:
    """The elements below ``element`` with one of these names, without namespace, in order."""
    return (each for each in element.iter() if local_name(each) in names)


def first_named(element: Any, name: str) -> Any:
    """The first element below ``element`` of that name, None where there is none, or no ``element``."""
    return None if element is None else next(iter_named(element, name), None)


def child_of(element: Any, name: str) -> Any:
    """The first child of that local name; None where there is none, or no ``element``."""
    return None if element is None else next((each for each in element if local_name(each) == name), None)


def child_value(element: Any, name: str) -> str | None:
    """The ``val`` of a child."""
    child = child_of(element, name)
    return None if child is None else attribute_of(child, "val")


def core_properties(package: Package) -> dict[str, str]:
    """What an Office file says of itself, by the name of the property: title, creator, created, modified, keywords."""
    tree = package.find_tree("docProps/core.xml")
    return {} if tree is None else {local_name(each): str(each.text or "") for each in tree if each.text}


def open_document_facts(package: Package) -> Extracted:
    """What the metadata of an OpenDocument file say: title, author, date, keywords."""
    tree = package.find_tree("meta.xml")
    stated: dict[str, str] = {}
    tags: list[str] = []
    for each in () if tree is None else tree.iter():
        if local_name(each) == "keyword" and (tag := short_line(each.text, 60)):
            tags.append(tag)
        elif each.text:
            stated.setdefault(local_name(each), str(each.text))
    return Extracted(
        "",
        title=short_line(stated.get("title")),
        author=short_line(stated.get("creator") or stated.get("initial-creator")),
        published_at=parse_date(stated.get("date") or stated.get("creation-date")),
        tags=tuple(tags),
    )


def iterate_xml(data: bytes, *names: str) -> Iterator[Any]:
    """The elements of these names in order, each emptied after it was looked at, so that a large part takes little memory."""
    library = _load_lxml()
    tags = [f"{{*}}{name}" for name in names]
    events = library.iterparse(
        io.BytesIO(data), tag=tags, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    for _, element in events:
        yield element
        element.clear(keep_tail=False)
        parent = element.getparent()
        if parent is not None:
            while (before := element.getprevious()) is not None:
                parent.remove(before)


def relation_id(element: Any) -> str:
    """What an element refers to: ``id`` without a namespace is another number."""
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}id")), "")
