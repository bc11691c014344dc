"""RSS and Atom as publishers write them."""

from html import escape


def rss(*items, title="The Herald"):
    """RSS 2.0; an item is a dict of title, link, guid, description, content (HTML), pubDate, category."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>{escape(title)}</title><link>https://herald.example/</link>"
        + "".join(f"<item>{_fields(item)}</item>" for item in items)
        + "</channel></rss>"
    ).encode()


def atom(*entries, title="The Herald"):
    """Atom 1.0 (RFC 4287); an entry is a dict of title, link, id, summary, content (HTML), published, updated, author."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!-- made by hand -->\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>{escape(title)}</title><id>urn:feed</id><updated>2026-03-05T00:00:00Z</updated>"
        + "".join(f"<entry>{_atom_fields(entry)}</entry>" for entry in entries)
        + "</feed>"
    ).encode()


def _fields(item):
    names = {"content": "content:encoded"}
    return "".join(
        f"<{names.get(name, name)}>{escape(value)}</{names.get(name, name)}>" for name, value in item.items()
    )


def _atom_fields(entry):
    parts = []
    for name, value in entry.items():
        if name == "link":
            parts.append(f'<link rel="alternate" href="{escape(value)}"/>')
        elif name == "author":
            parts.append(f"<author><name>{escape(value)}</name></author>")
        elif name in {"summary", "content"}:
            parts.append(f'<{name} type="html">{escape(value)}</{name}>')
        else:
            parts.append(f"<{name}>{escape(value)}</{name}>")
    return "".join(parts)
