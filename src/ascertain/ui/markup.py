"""HTML that the page writes itself. Everything that varies goes through ``escape``; Streamlit cleans it once more."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import escape

import streamlit as st

from ascertain.core.blocks import Span, clock_time


def show_title(title: str, text: str = "") -> None:
    """The heading of a page; both are words of the page itself."""
    below = f"<p>{escape(text)}</p>" if text else ""
    st.html(f'<div class="asc asc-title"><h1>{escape(title)}</h1>{below}</div>')


def show_entry(name: str, facts: Sequence[str], lines: Sequence[str] = ()) -> None:
    """The name of something, what is known of it in a line, and more lines."""
    told = "".join(f'<span dir="auto">{escape(fact)}</span>' for fact in facts)
    below = "".join(f'<p dir="auto">{escape(line)}</p>' for line in lines)
    st.html(f'<div class="asc asc-named"><h2 dir="auto">{escape(name)}</h2><p>{told}</p>{below}</div>')


def show_heading(title: str) -> None:
    """A small heading over a group."""
    st.html(f'<h2 class="asc asc-heading">{escape(title)}</h2>')


def show_note(text: str) -> None:
    """A line of lesser weight."""
    st.html(f'<p class="asc asc-muted" dir="auto">{escape(text)}</p>')


def show_state(title: str, lines: list[str], tone: str = "", command: str = "") -> None:
    """A box that says how things are and what to do; ``tone`` is ``calm``, ``bad`` or neither."""
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    code = f"<p><code>{escape(command)}</code></p>" if command else ""
    st.html(f'<div class="asc asc-state {escape(tone)}" role="status"><h2>{escape(title)}</h2>{below}{code}</div>')


def format_day(moment: str | None) -> str:
    """``5 December 2024`` for an ISO 8601 moment; empty for None and for what is none."""
    parsed = moment_of(moment)
    return f"{parsed:%-d %B %Y}" if parsed else ""


def format_ago(moment: str | None, now: datetime) -> str:
    """How long ago: ``just now``, ``5 min ago``, ``3 h ago``, ``yesterday``, or the day."""
    parsed = moment_of(moment)
    if parsed is None:
        return ""
    passed = now - parsed
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{int(passed.total_seconds()) // 60} min ago"
    if passed < timedelta(days=1):
        return f"{int(passed.total_seconds()) // 3600} h ago"
    return "yesterday" if passed < timedelta(days=2) else format_day(moment)


def moment_of(text: str | None) -> datetime | None:
    """An ISO 8601 moment with a zone, UTC where it names none; None for what is no moment."""
    try:
        parsed = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return parsed.replace(tzinfo=UTC) if parsed and parsed.tzinfo is None else parsed


def recording_time(start: float | None, end: float | None) -> str:
    """``03:46 to 04:10`` of a recording; empty when not known."""
    if start is None:
        return ""
    return clock_time(start) if end is None else f"{clock_time(start)} to {clock_time(end)}"


def split_at_answer(text: str, answer: Span | None) -> list[str]:
    """``text`` before the words that answer, these, and what is left; a browser, which counts characters in another way,
    could not split it.
    """
    return [text, "", ""] if answer is None else [text[: answer.start], answer.of(text), text[answer.end :]]


def shorten_text(text: str, characters: int) -> str:
    """One line of at most ``characters``."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"
