"""Exports of chats: who said what and when, as a transcript.

Known are the exports of ChatGPT (``conversations.json``, a tree of messages), Claude, Slack (a channel's day), Telegram
(``result.json``), Discord (DiscordChatExporter), and lists of messages with a role and a content, as programs log them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ascertain.core.documents.blocks import Place
from ascertain.core.documents.documents import DocumentKind, LeftOut
from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.reader import Extracted
from ascertain.documents.formats.records.articles import write_field
from ascertain.documents.formats.records.shapes import Record, as_list, as_record, list_records

_MOST_AUTHORS = 8
_ROLES = {
    "user": "User",
    "human": "User",
    "assistant": "Assistant",
    "model": "Assistant",
    "tool": "Tool",
    "function": "Tool",
    "system": "System",
    "developer": "Developer",
}


@dataclass(frozen=True, slots=True)
class Message:
    """What one speaker wrote at one time."""

    speaker: str
    text: str
    sent: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order; ``has_times`` where each is shown with its time, as in chats of people."""

    title: str | None
    messages: tuple[Message, ...]
    has_times: bool = False
    left_out: tuple[LeftOut, ...] = ()

    def with_row(self, row: str) -> Extracted:
        """Its document, with the number it has in its file."""
        draft = Draft()
        speakers: dict[str, None] = {}
        for message in self.messages:
            speakers.setdefault(message.speaker)
            draft.turn(Place(speaker=message.speaker or None))
            time = f" ({message.sent:%Y-%m-%d %H:%M})" if self.has_times and message.sent else ""
            draft.add(f"{message.speaker}{time}: {message.text}" if message.speaker or time else message.text)
        text, blocks = draft.finish()
        names = [name for name in speakers if name]
        author = ", ".join(names[:_MOST_AUTHORS]) + (" and others" if len(names) > _MOST_AUTHORS else "")
        return Extracted(
            text,
            title=self.title,
            kind=DocumentKind.TRANSCRIPT,
            author=author or None,
            published_at=next((message.sent for message in self.messages if message.sent), None),
            blocks=blocks,
            left_out=self.left_out,
            row=row,
        )


def find_conversations(value: object) -> list[Conversation] | None:
    """The conversations in a parsed JSON value, None when it is something else."""
    records = list_records(value)
    if isinstance(value, list):
        # a channel's messages lie in a list by themselves, and so do those of most logs
        if records and (one := _read_slack(records) or _read_log(records)):
            return [one]
        conversations = [each for record in records if (each := _read_conversation(record))]
        return conversations if conversations and 2 * len(conversations) >= len(records) else None
    table = as_record(value)
    if table is None:
        return None
    if one := _read_conversation(table):
        return [one]
    listed = list_records((as_record(table.get("chats")) or {}).get("list"))
    return [each for record in listed if (each := _read_conversation(record))] or None


def _read_conversation(record: Record) -> Conversation | None:
    readers: tuple[Callable[[Record], Conversation | None], ...] = (
        _read_tree,
        _read_claude,
        _read_telegram,
        _read_discord,
        _read_roles,
    )
    return next((found for read in readers if (found := read(record)) and found.messages), None)


def _time_of(value: object) -> datetime | None:
    """A moment as exports write it: a date, or seconds since 1970 as a number or in digits."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        seconds = float(value) if isinstance(value, int | float | str) else None
    except ValueError:
        return parse_date(value)
    if seconds is None or not 0 < seconds < 1e11:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _role(value: object) -> str:
    name = clean_line(str(value)) if isinstance(value, str) else ""
    return _ROLES.get(name.lower(), name)[:100]


def _content_text(content: object, losses: Losses) -> str:
    """The text of a message: a string, or its parts in order; what is no text is counted."""
    if isinstance(content, str):
        return clean_text(content)
    parts = as_list(content) or [content]
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif fields := as_record(part):
            text = next(
                (fields[name] for name in ("text", "content", "thinking") if isinstance(fields.get(name), str)), None
            )
            if isinstance(text, str):
                texts.append(text)
            else:
                losses.add("attachments", name=fields.get("content_type") or fields.get("type"))
    return clean_text("\n\n".join(text for text in texts if text.strip()))


def _read_tree(record: Record) -> Conversation | None:
    """A conversation of ChatGPT: a tree in which each answer that was asked for again is a branch; the branch shown last is read."""
    mapping = as_record(record.get("mapping"))
    if mapping is None:
        return None
    nodes = {name: node for name, each in mapping.items() if (node := as_record(each))}
    shown = _shown_branch(nodes, record.get("current_node"))
    losses = Losses()
    messages: list[Message] = []
    for name in shown:
        message = _tree_message(nodes[name], losses)
        messages += [message] if message else []
    hidden = set(nodes) - set(shown)
    for name, node in nodes.items():
        if name in hidden and (message := _tree_message(node, Losses())):
            losses.add("messages of other branches", text=message.text)
    return Conversation(
        short_line(record.get("title")), _date(messages, record.get("create_time")), left_out=losses.left_out()
    )


def _shown_branch(nodes: Mapping[str, Record], current: object) -> list[str]:
    """The names of the nodes from the root to the current one, or to the end of the last branch."""
    path: dict[str, None] = {}
    if isinstance(current, str) and current in nodes and isinstance(nodes[current].get("parent"), str):
        name: object = current
        while isinstance(name, str) and name in nodes and name not in path:
            path[name] = None
            name = nodes[name].get("parent")
        return list(reversed(path))
    children = {child for node in nodes.values() for child in _children(node)}
    following: object = next((name for name in nodes if name not in children), None)
    while isinstance(following, str) and following in nodes and following not in path:
        path[following] = None
        following = next(reversed(_children(nodes[following])), None)
    return list(path)


def _children(node: Record) -> list[str]:
    return [each for each in as_list(node.get("children")) or () if isinstance(each, str)]


def _tree_message(node: Record, losses: Losses) -> Message | None:
    message = as_record(node.get("message"))
    if not message:
        return None
    author, content = as_record(message.get("author")) or Record(), message.get("content")
    inner = as_record(content) or Record()
    text = _content_text(inner.get("parts", inner.get("text", content if isinstance(content, str) else "")), losses)
    return Message(_role(author.get("role")), text, _time_of(message.get("create_time"))) if text else None


def _date(messages: Sequence[Message], moment: object) -> tuple[Message, ...]:
    """The messages, the first with the time of the conversation where none has its own."""
    if messages and not any(message.sent for message in messages):
        return (replace(messages[0], sent=_time_of(moment)), *messages[1:])
    return tuple(messages)


def _read_claude(record: Record) -> Conversation | None:
    rows = list_records(record.get("chat_messages"))
    losses = Losses()
    messages: list[Message] = []
    for row in rows:
        own = row.get("text")
        text = _content_text(own if isinstance(own, str) and own.strip() else row.get("content", ""), losses)
        for each in list_records(row.get("attachments")):
            content = each.get("extracted_content")
            losses.add("attachments", text=content if isinstance(content, str) else "", name=each.get("file_name"))
        for each in list_records(row.get("files")):
            losses.add("attachments", name=each.get("file_name"))
        if text:
            messages.append(Message(_role(row.get("sender")), text, _time_of(row.get("created_at"))))
    return Conversation(short_line(record.get("name")), tuple(messages), left_out=losses.left_out()) if rows else None


def _read_telegram(record: Record) -> Conversation | None:
    rows = list_records(record.get("messages"))
    if not rows or not any("from" in row or "actor" in row for row in rows) or not any("date" in row for row in rows):
        return None
    losses = Losses()
    messages: list[Message] = []
    for row in rows:
        if row.get("type") == "service":
            losses.add("notices of the service", name=row.get("action"))
            continue
        text = row.get("text")
        pieces = as_list(text) or [text]
        words = clean_text("".join(_piece_text(piece) for piece in pieces))
        if poll := as_record(row.get("poll")):
            options = (f"- {_piece_text(each)}" for each in list_records(poll.get("answers")))
            words = clean_text("\n".join((words, str(poll.get("question") or ""), *options)))
        media = next((row[name] for name in ("file", "photo", "media_type") if row.get(name)), None)
        if media is not None:
            losses.add("attachments", name=row.get("file_name") or media)
        if words:
            moment = _time_of(row.get("date_unixtime")) if row.get("date") is None else parse_date(row.get("date"))
            messages.append(Message(_name(row.get("from")), words, moment))
    return Conversation(short_line(record.get("name")), tuple(messages), has_times=True, left_out=losses.left_out())


def _piece_text(piece: object) -> str:
    if fields := as_record(piece):
        piece = fields.get("text")
    return piece if isinstance(piece, str) else ""


def _name(value: object) -> str:
    return clean_line(value)[:100] if isinstance(value, str) else ""


def _read_discord(record: Record) -> Conversation | None:
    channel, rows = as_record(record.get("channel")), list_records(record.get("messages"))
    if not channel or not any(as_record(row.get("author")) for row in rows):
        return None
    losses = Losses()
    messages: list[Message] = []
    for row in rows:
        author = as_record(row.get("author")) or Record()
        for each in list_records(row.get("attachments")):
            losses.add("attachments", name=each.get("fileName"))
        texts = [_content_text(row.get("content", ""), losses)]
        for embed in list_records(row.get("embeds")):
            texts += [_content_text(embed.get(name) or "", losses) for name in ("title", "description")]
            fields = (
                (_name(each.get("name")), write_field(each.get("value"))) for each in list_records(embed.get("fields"))
            )
            texts += [f"{name}: {said}" for name, said in fields]
            texts.append(_name((as_record(embed.get("footer")) or {}).get("text")))
        for each in list_records(row.get("stickers")):
            losses.add("stickers", name=each.get("name"))
        text = "\n".join(filter(None, texts))
        if text:
            name = _name(author.get("nickname")) or _name(author.get("name"))
            messages.append(Message(name, text, parse_date(row.get("timestamp"))))
    guild = as_record(record.get("guild")) or Record()
    title = short_line(" / ".join(filter(None, (_name(guild.get("name")), _name(channel.get("name"))))))
    return Conversation(title, tuple(messages), has_times=True, left_out=losses.left_out())


def _read_roles(record: Record) -> Conversation | None:
    """``{"messages": [{"role": "user", "content": "..."}]}``, as programs that talk to models write it."""
    rows = list_records(record.get("messages"))
    if not rows or any(not isinstance(row.get("role"), str) or "content" not in row for row in rows):
        return None
    losses = Losses()
    messages: list[Message] = []
    for row in rows:
        for name in ("tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"):
            if row.get(name):
                losses.add(name.replace("_", " "), write_field(row[name]))
        if text := _content_text(row["content"], losses):
            speaker = _name(row.get("name")) or _role(row["role"])
            messages.append(Message(speaker, text, _time_of(row.get("created_at") or row.get("timestamp"))))
    return Conversation(short_line(record.get("title")), tuple(messages), left_out=losses.left_out())


def _read_log(rows: Sequence[Record]) -> Conversation | None:
    """Messages in a list by themselves, by roles that are known: rows of other tables have roles too."""
    if not all(str(row.get("role")).lower() in _ROLES for row in rows):
        return None
    log = _read_roles(Record(messages=list(rows)))
    return log if log and log.messages else None


def _read_slack(rows: Sequence[Record]) -> Conversation | None:
    """The messages of a channel, with the names of those who are spoken of, as far as they write in it."""
    written = [row for row in rows if row.get("type") == "message" and isinstance(row.get("ts"), str)]
    if not written or 2 * len(written) < len(rows):
        return None
    names = dict(_slack_names(written))
    losses = Losses()
    messages: list[Message] = []
    for row in written:
        texts = [_content_text(row.get("text", ""), losses)]
        for each in list_records(row.get("attachments")):
            # what a link shows, or what a program posts
            shown = [each.get(name) for name in ("pretext", "title", "text")]
            words = [piece for piece in shown if isinstance(piece, str)]
            texts += words or [_content_text(each.get("fallback") or "", losses)]
        text = clean_text("\n".join(filter(None, texts)))
        for each in list_records(row.get("files")):
            losses.add("attachments", name=each.get("name"))
        for user, name in names.items():
            text = text.replace(f"<@{user}>", f"@{name}")
        if text:
            user = str(row.get("user") or "")
            speaker = names.get(user) or _name(row.get("username")) or user
            messages.append(Message(speaker, text, _time_of(row.get("ts"))))
    return Conversation(None, tuple(messages), has_times=True, left_out=losses.left_out()) if messages else None


def _slack_names(rows: Sequence[Record]) -> Iterator[tuple[str, str]]:
    for row in rows:
        user, profile = row.get("user"), as_record(row.get("user_profile"))
        if profile and isinstance(user, str):
            name = _name(profile.get("display_name")) or _name(profile.get("real_name"))
            if name:
                yield user, name
