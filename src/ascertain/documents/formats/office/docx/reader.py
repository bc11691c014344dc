"""DOCX as Word shows it: the body with its notes, then headers and footers once; core properties as metadata.

The XML is read as it stands (ECMA-376 part 1, 17). python-docx leaves out tracked insertions, content controls, text boxes, notes,
fields and numbers; ``docs/formats.md`` compares.
"""

from collections.abc import Iterator
from typing import Any

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.drafts.pictures import choose_pictures
from ascertain.documents.formats.office.docx.parts import WordParts
from ascertain.documents.formats.office.docx.story import StoryReader
from ascertain.documents.formats.office.packages import Package, attribute_of, core_properties, first_named, iter_named
from ascertain.documents.formats.reader import Extracted, SourceFile


def read_docx(file: SourceFile) -> Iterator[Extracted]:
    """The text of a Word document. Raises SourceError for what is not one, or would not fit in memory."""
    package = Package(file, "docx")
    parts = WordParts(package)
    root = parts.read_main()
    draft = Draft()
    body = StoryReader(parts, draft, parts.main)
    body.read(first_named(root, "body"))
    _add_headers(parts, root, draft)
    parts.notes.count_unplaced()
    text, blocks = draft.finish()
    properties = core_properties(package)
    yield Extracted(
        text,
        title=body.title or short_line(properties.get("title")),
        author=_real_author(properties.get("creator")),
        published_at=parse_date(properties.get("modified") or properties.get("created")),
        tags=tuple(tag for name in properties.get("keywords", "").split(",") if (tag := short_line(name, 60))),
        blocks=blocks,
        left_out=parts.losses.left_out(),
        pictures=choose_pictures(file, draft.pictures),
    )


def _add_headers(parts: WordParts, root: Any, draft: Draft) -> None:
    """The lines of all headers and footers, each once."""
    relations = parts.relations_of(parts.main)
    used = (attribute_of(each, "id") or "" for each in iter_named(root, "headerReference", "footerReference"))
    draft.leave_sections()
    seen: set[str] = set()
    for part in dict.fromkeys(relations.get(each, ("", ""))[1] for each in used):
        tree = parts.find(part)
        if tree is None:
            continue
        story = Draft()
        StoryReader(parts, story, part).read(tree)
        for line in map(clean_line, story.finish()[0].split("\n")):
            if line and line not in seen:
                seen.add(line)
                draft.add(line, kind=BlockKind.FURNITURE)


def _real_author(value: object) -> str | None:
    author = short_line(value)
    return None if author == "python-docx" else author
