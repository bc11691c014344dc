"""The files of the page: what they may hold, that they find each other, and that every language has every word."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

import ascertain.interfaces.server
from ascertain.interfaces.server.routes.page import list_modules, read_page

PAGE = Path(ascertain.interfaces.server.__file__).parent / "page"
SCRIPTS = [path for path in sorted(PAGE.rglob("*.js")) if "vendor" not in path.parts]
TEXT = r'"((?:[^"\\]|\\.)*)"'
WORDS = (rf"\bt\(\s*{TEXT}", rf'\bt\([^()"]*\? *{TEXT} *: *{TEXT}', rf"\bcount\([^\"]*?{TEXT},\s*{TEXT}")
"""How the words of the interface stand in the scripts."""
LONGEST_MODULE = 300


def words_of_the_page():
    text = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    found = (word for pattern in WORDS for match in re.finditer(pattern, text) for word in match.groups())
    return {json.loads(f'"{word}"') for word in found}


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_a_language_has_every_word_of_the_page_and_no_other(language):
    translated = json.loads((PAGE / "languages" / f"{language}.json").read_text(encoding="utf-8"))
    assert set(translated) == words_of_the_page()
    for words, translation in translated.items():
        assert translation.strip()
        assert sorted(re.findall(r"\{\w+\}", words)) == sorted(re.findall(r"\{\w+\}", translation)), words


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: str(path.relative_to(PAGE)))
def test_a_script_is_short_finds_its_imports_and_writes_no_markup(script):
    text = script.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_MODULE
    for imported in re.findall(r'(?:from|import\()\s*"(\.[^"]+)"', text):
        assert (script.parent / imported).is_file(), imported
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(", text
    )
    # the policy of the page refuses a style that is written as text
    assert not re.search(r'\bstyle="', text)


def test_what_others_wrote_is_as_it_was_fetched():
    rows = re.findall(
        r"\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| `(\w{64})` \|", (PAGE / "vendor" / "README.md").read_text()
    )
    listed = {path: digest for path, _, _, digest in rows}
    there = [*PAGE.glob("vendor/**/*.js"), *PAGE.glob("fonts/*.woff2")]
    assert {str(path.relative_to(PAGE)) for path in there} == set(listed)
    for path in there:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == listed[str(path.relative_to(PAGE))]
    licences = {path.name for path in PAGE.rglob("LICENSE.*")}
    assert licences == {
        f"LICENSE.{name}" for name in ("preact", "htm", "marked", "highlight", "temml", "sans", "serif")
    }


def test_the_page_names_the_modules_it_begins_with_and_none_that_wait():
    modules = list_modules({str(path.relative_to(PAGE)): path.read_bytes() for path in PAGE.rglob("*.js")})
    assert modules[0] == "app.js"
    assert {"ask/chat.js", "parts/html.js", "vendor/preact.js"} <= set(modules)
    assert not {"read/reader.js", "documents/documents.js", "vendor/marked.js", "vendor/temml.js"} & set(modules)


def test_the_chat_is_sent_in_less_than_a_quarter_of_a_megabyte():
    page = read_page()
    scripts = list_modules({path: file.content for path, file in page.by_path.items() if path.endswith(".js")})
    sent = [page.index, *(page.by_path[path] for path in (*scripts, "style/all.css", "logo.svg"))]
    compressed = sum(len(file.compressed or file.content) for file in sent)
    fonts = sum(len(page.by_path[f"fonts/{name}.woff2"].content) for name in ("sans", "serif"))
    assert compressed + fonts < 200_000


def test_files_are_compressed_where_that_gains_something():
    page = read_page()
    script = page.by_path["app.js"]
    assert gzip.decompress(script.compressed) == script.content
    assert not page.by_path["fonts/sans.woff2"].compressed
