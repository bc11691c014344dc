"""HTML that the page writes itself. Everything that varies goes through ``escape``; Streamlit cleans it once more."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st


def show_title(title: str, text: str = "") -> None:
    """The heading of a page; both are words of the page itself."""
    below = f"<p>{escape(text)}</p>" if text else ""
    st.html(f'<div class="asc asc-title"><h1>{escape(title)}</h1>{below}</div>')


def show_named(name: str, facts: Sequence[str], lines: Sequence[str] = ()) -> None:
    """The name of something, what is known of it in a line, and more lines."""
    told = "".join(f'<span dir="auto">{escape(fact)}</span>' for fact in facts)
    below = "".join(f'<p dir="auto">{escape(line)}</p>' for line in lines)
    st.html(f'<div class="asc asc-named"><h2 dir="auto">{escape(name)}</h2><p>{told}</p>{below}</div>')


def show_heading(title: str) -> None:
    """A small heading over a group."""
    st.html(f'<h2 class="asc asc-heading">{escape(title)}</h2>')


def show_muted(text: str) -> None:
    """A line of lesser weight."""
    st.html(f'<p class="asc asc-muted" dir="auto">{escape(text)}</p>')


def show_state(title: str, lines: list[str], tone: str = "", command: str = "") -> None:
    """A box that says how things are and what to do; ``tone`` is ``calm``, ``bad`` or neither."""
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    code = f"<p><code>{escape(command)}</code></p>" if command else ""
    st.html(
        f'<div class="asc asc-state {escape(tone)}" role="status"><h2>{escape(title)}</h2>{below}{code}</div>'
    )
