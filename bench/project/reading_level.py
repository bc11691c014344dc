"""How hard the documentation is to read: words, length of sentences, sentences over forty words.

``python -m bench.project.reading_level [--before REVISION] [--long]`` reads README.md and the pages of docs/ that people write, here and as they were
at a revision of git; ``--long`` prints the sentences over forty words. Tables, code, pictures and generated pages are left out of the sentences;
``all words`` counts every word of the file, as ``wc`` does.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = frozenset({"docs/cli.md", "docs/configuration.md", "docs/json.md"})
LONGEST = 40
"""Words of the longest sentence that is read in one go."""

_BLOCK = re.compile(r"^(?P<fence>```|~~~).*?^(?P=fence)\s*$|<!--.*?-->|^---\n.*?^---$", re.MULTILINE | re.DOTALL)
_NO_PROSE = re.compile(r"\s*(\||#|!\[|\[[^\]]+\]:|    \S)")
_ITEM = re.compile(r"\s*([-*]|\d+\.)\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SHORT_FORM = re.compile(r"\b(e\.g|i\.e|vs|cf|al|No)\.")
_END = re.compile(r"(?<=[.?!])[\"”»)*]*\s+(?=[\"“«(*`]*[A-Z0-9`])")
_WORD = re.compile(r"[\w`][\w'’./:@=%+-]*")


@dataclass(frozen=True, slots=True)
class Page:
    """What one page holds: all its words, and the sentences of its prose, each as a number of words."""

    name: str
    words: int
    sentences: tuple[str, ...]

    @property
    def lengths(self) -> list[int]:
        """Words of each sentence."""
        return [len(_WORD.findall(sentence)) for sentence in self.sentences]

    @property
    def long(self) -> list[str]:
        """The sentences over forty words."""
        return [sentence for sentence, length in zip(self.sentences, self.lengths, strict=True) if length > LONGEST]


def read_page(name: str, text: str) -> Page:
    """The page without what is no prose."""
    found = [sentence for paragraph in paragraphs(text) for sentence in sentences(paragraph)]
    return Page(name, len(text.split()), tuple(found))


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and items of lists, each as one line."""
    lines: list[str] = []
    for line in [*_BLOCK.sub("\n", text).splitlines(), ""]:
        item = _ITEM.match(line)
        if not line.strip() or item or (_NO_PROSE.match(line) and not lines):
            if lines:
                yield " ".join(lines)
            lines = [line[item.end() :]] if item else []
        elif not _NO_PROSE.match(line) or line.startswith("    "):
            lines.append(line.strip())


def sentences(paragraph: str) -> list[str]:
    """Sentences of a paragraph; three words make one at least."""
    plain = _SHORT_FORM.sub(lambda match: match[0][:-1], _LINK.sub(r"\1", paragraph))
    return [sentence for sentence in _END.split(plain) if len(_WORD.findall(sentence)) > 2]


def pages_here() -> dict[str, str]:
    """The pages of this checkout by path."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}


def pages_at(revision: str) -> dict[str, str]:
    """The pages as they were."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    listed = git("ls-tree", "-r", "--name-only", revision, "README.md", "docs").split()
    return {name: git("show", f"{revision}:{name}") for name in listed if name.endswith(".md")}


def print_report(texts: Mapping[str, str], *, long: bool) -> None:
    """A line a page and one for all."""
    pages = [read_page(name, text) for name, text in texts.items() if name not in GENERATED]
    print(f"{'page':<42} {'all words':>9} {'prose':>7} {'sentences':>9} {'mean':>5} {'over 40':>7}")
    whole = Page("all", sum(page.words for page in pages), tuple(each for page in pages for each in page.sentences))
    for page in [*pages, whole]:
        mean = sum(page.lengths) / max(len(page.lengths), 1)
        print(
            f"{page.name:<42} {page.words:>9,} {sum(page.lengths):>7,} {len(page.sentences):>9,} {mean:>5.1f} {len(page.long):>7,}"
        )
        for sentence in page.long if long and page is not whole else []:
            print(f"    {len(_WORD.findall(sentence))}: {sentence}")


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="also as the pages were at this revision of git")
    parser.add_argument("--long", action="store_true", help="print the sentences over forty words")
    asked = parser.parse_args()
    if asked.before:
        print(f"at {asked.before}")
        print_report(pages_at(asked.before), long=False)
        print("\nnow")
    print_report(pages_here(), long=asked.long)


if __name__ == "__main__":
    main()
