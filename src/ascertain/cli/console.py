"""Rich consoles that behave in pipes: no colour, no wrapping to an imagined width."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

PIPE_WIDTH = 10_000
"""Columns assumed when no terminal reads the output, so that a line of text stays a line."""


def open_console(stream: TextIO) -> Console:
    """A console on ``stream``; NO_COLOR and TERM are honoured by rich itself."""
    if stream.isatty():
        return Console(file=stream, highlight=False)
    return Console(file=stream, highlight=False, width=PIPE_WIDTH, no_color=True, emoji=False)
