"""Writes ``llms.txt`` into the built documentation, with the Markdown of every page beside it (https://llmstxt.org).

    python .ci/llms_text.py zensical.toml

It also fails where a page of the site would load something from another server: who reads the documentation is no one's business.
"""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

LOADS = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=[\"']?(https?:)?//|<link\b(?![^>]*canonical)[^>]*\bhref=[\"']?(https?:)?//"
)
SENTENCE = re.compile(r"(?s)(.+?[.?])(?:\s|$)")


def main() -> None:
    """Write the files and look at the pages."""
    config = Path(sys.argv[1])
    project = tomllib.loads(config.read_text("utf-8"))["project"]
    pages, site = config.parent / project["docs_dir"], config.parent / project["site_dir"]
    lines = [f"# {project['site_name']}", "", f"> {project['site_description']}"]
    for section, entries in sections(project["nav"]):
        lines += ["", f"## {section}", ""]
        for title, path in entries:
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(pages / path, site / path)
            lines.append(f"- [{title}]({path}): {first_sentence((pages / path).read_text('utf-8'))}")
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    loading = [str(page) for page in site.rglob("*.html") if LOADS.search(page.read_text("utf-8"))]
    if loading:
        sys.exit(f"these pages load something from another server: {', '.join(loading)}")


def sections(nav: list[dict[str, object]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each section of the navigation with its titles and paths; pages outside one make the first section."""
    yield "Start", [(title, path) for entry in nav for title, path in entry.items() if isinstance(path, str)]
    for entry in nav:
        for section, children in entry.items():
            if isinstance(children, list):
                yield section, [pair for child in children for pair in child.items()]


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, without marks."""
    paragraphs = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    prose = next((part for part in paragraphs if re.match(r"(?!```|\d+\. )[\w*`\[\"“]", part.strip())), "")
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)|[*`]", r"\1", " ".join(prose.split()))
    found = SENTENCE.match(plain)
    return found[1] if found else plain


if __name__ == "__main__":
    main()
