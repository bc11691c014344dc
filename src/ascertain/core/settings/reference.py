"""Writes ``docs/configuration.md``: ``python -m ascertain.core.settings.reference FILE``."""

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from ascertain.core.settings.layers import flatten_tables, leaves_by_key, sections_by_key
from ascertain.core.settings.profiles import Profile, load_profile, profile_names
from ascertain.core.settings.section import Leaf, Table, table_leaf

_INTRODUCTION = """\
# Configuration

*Written from the code by `make docs`; a test keeps it up to date.*

Every setting has a default that works. A value is looked for in these layers, and the last one that has it wins:

1. the defaults below,
2. the profile (`profile = "news"` or `--profile news`),
3. a file: the one given by `--config FILE`, or else `ascertain.toml` in the current folder, or else the one in the
   home,
4. the environment: `ASCERTAIN_` and the key in capitals, with two underscores for each dot,
5. arguments on the command line.

`ascertain config show` prints every value with the layer it came from, `ascertain config get KEY` one. A key that does not exist is an error that
names the nearest one that does; so is a value out of its bounds.

```toml
# ascertain.toml
home = "knowledge"          # a relative folder starts from this file

[retrieval]
top_k = 5

[retrieval.fusion]
dense_weight = 0.6
```

The same from the environment: `ASCERTAIN_RETRIEVAL__TOP_K=5`. An empty variable counts as not set. `RERANKING_STRATEGY` is
short for `ASCERTAIN_RETRIEVAL__RERANKING_STRATEGY`, which wins where both are set.

A list is an array in the file, and values with commas in the environment, or a JSON array where a value holds a comma
itself:

```toml
[news]
providers = ["tavily", "rss"]

[news.rss]
urls = ["https://example.org/feed.xml"]
```

```shell
ASCERTAIN_NEWS__PROVIDERS="tavily,rss"
ASCERTAIN_NEWS__RSS__URLS='["https://example.org/feed.xml"]'
```

A table is a section with a value for each of the names it allows, all of them optional (in the environment
`ASCERTAIN_MODELS__CHAT__BUDGET__WRITE`):

```toml
[models.chat.budget]
write = "openai:gpt-6-luna"
```

A key that no setting has is an error that names the nearest one.

`ascertain config set news.providers tavily,rss` writes such a line into the file for you, after checking it.
"""

_OWN_PROFILES = """\
### Your own

A file in the folder `profiles` of the home (`.ascertain/profiles/NAME.toml`) makes a profile `NAME`; one with the name
of a built-in profile adds to that: tables are merged, lists joined, single values replaced.

```toml
# .ascertain/profiles/news.toml: more slang for the news profile
[aliases.crypto.strong]
pepe = "Pepe coin"

[aliases.crypto.ambiguous]
print = "profit"

[aliases.football]
context = ["goal", "league", "match"]

[aliases.football.strong]
ucl = "UEFA Champions League"
```

`strong` aliases are always written out. `ambiguous` ones are also ordinary words and are written out only where the
question has a strong alias or a word of `context` of the same table, or where one that stands for a name comes right
before another ("did sol dump?"). `protected` phrases are left alone. Aliases are
whole words in lower case; nothing inside quotes is touched.
"""


def write_reference() -> str:
    """The whole page, Markdown."""
    parts = [_INTRODUCTION, "## Settings\n", *_write_settings(), "## Profiles\n", *_write_profiles(), _OWN_PROFILES]
    return "\n".join(parts)


def describe_settings() -> list[Leaf]:
    """Every setting with its type, default, bounds and meaning, in the order of the models; a table is one."""
    settings: dict[str, Leaf] = {}
    for leaf in leaves_by_key().values():
        above = leaf.key.rpartition(".")[0]
        section = sections_by_key().get(above)
        if section is not None and issubclass(section, Table):
            settings[above] = table_leaf(above, section)
        else:
            settings[leaf.key] = leaf
    return list(settings.values())


def _write_settings() -> Iterator[str]:
    settings = describe_settings()
    yield from _write_table("General", "", [leaf for leaf in settings if "." not in leaf.key])
    for key, section in sections_by_key().items():
        inside = [leaf for leaf in settings if leaf.key.rpartition(".")[0] == key]
        if inside:
            yield from _write_table(f"`[{key}]`", inspect.cleandoc(section.__doc__ or ""), inside)


def _write_table(title: str, about: str, rows: list[Leaf]) -> Iterator[str]:
    yield f"### {title}\n"
    if about:
        yield f"{about}\n"
    yield "| key | type | default | allowed | meaning, and when to change it |\n|---|---|---|---|---|"
    for leaf in rows:
        default = "not set" if leaf.default is None else f"`{_write_default(leaf.default)}`"
        cells = (f"`{leaf.key}`", leaf.type, default, leaf.allowed, leaf.description)
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
    yield ""


def _write_default(default: object) -> str:
    if isinstance(default, tuple):
        return json.dumps(list(cast("tuple[object, ...]", default)))
    if isinstance(default, dict):
        entries = cast("dict[str, object]", default).items()
        return ", ".join(f"{name} = {value}" for name, value in entries)
    return str(default)


def _write_profiles() -> Iterator[str]:
    for name in profile_names():
        profile = load_profile(name)
        yield f"### `{name}`\n\n{profile.description}\n"
        yield from _write_overrides(profile)
        for domain, table in profile.aliases.items():
            yield _write_aliases(f"Always written out ({domain})", table.strong)
            yield _write_aliases(f"Written out in its context ({domain})", table.ambiguous)


def _write_overrides(profile: Profile) -> Iterator[str]:
    changed = dict(flatten_tables(profile.settings, f"profile {profile.name}"))
    if changed:
        values = ", ".join(f"`{key}` = `{value}`" for key, value in changed.items())
        yield f"Sets {values}.\n"


def _write_aliases(title: str, aliases: dict[str, str]) -> str:
    return f"{title}: {', '.join(f'{short} → {full}' for short, full in aliases.items())}.\n" if aliases else ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write_reference(), encoding="utf-8")
