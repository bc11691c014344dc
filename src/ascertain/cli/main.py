"""Entry point of the ``ascertain`` script."""

from __future__ import annotations

import gc
import sys
from io import TextIOWrapper

from ascertain.cli.errors import run_guarded

COLLECT_EVERY = 50_000
"""New objects between two collections of garbage. By Python's default of 700 the import of the libraries of a question sets off hundreds,
which find nothing and take a tenth of its processor time."""


def run() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        # a document may hold lone surrogates, and a terminal may not know every character
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(COLLECT_EVERY)
    sys.exit(run_guarded(_run_command, debug="--debug" in sys.argv))


def _run_command() -> object:
    # imported here so that an interrupt while modules load is met by the guard too
    from typer.main import get_command

    from ascertain.cli.commands import app
    from ascertain.cli.warnings import show_warnings

    show_warnings()
    return get_command(app).main(prog_name="ascertain", standalone_mode=False)
