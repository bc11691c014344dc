"""Entry point of the ``ascertain`` script."""

from __future__ import annotations

import atexit
import ctypes
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from types import FrameType
from typing import Protocol, runtime_checkable

from ascertain.core.errors import AscertainError, ConfigurationError, UsageError

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
COLLECT_EVERY = 50_000
"""New objects between two collections of garbage; with Python's 700, imports take a tenth longer."""
COLLECT_OLDER_EVERY = 100
"""Collections between two that look through older objects too. With Python's 10 the only one of a question comes when
its libraries have just been loaded: 0.1 s of 1.9 s of its processor time, for nothing.
"""

MOST_ARENAS = 2
"""Heaps of the C library, which makes eight a core and gives each thread its own: what one thread has freed, another does not get.
After a thousand mixed requests a service on two cores held 480 of its 936 MB in sixteen (bench/service/soak.py).
"""
_M_ARENA_MAX = -8
"""The option of ``mallopt`` in glibc."""


@runtime_checkable
class CommandLineError(Protocol):
    """What typer raises for a command line that it cannot take; older versions have no public name for it."""

    exit_code: int

    def format_message(self) -> str:
        """What is wrong, in typer's words."""
        ...


def run_with_guard(command: Callable[[], object], debug: bool) -> int:
    """Run ``command`` and return its exit code; errors become one line, with the traceback before it for ``debug``."""
    with _watch_interrupts() as pressed:
        try:
            result = command()
        except KeyboardInterrupt:
            return report_interrupt()
        except BrokenPipeError:
            # the reader went away; point stdout elsewhere so that the interpreter's last flush does not complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            if debug:
                traceback.print_exc()
            return report_interrupt() if pressed.is_set() else _explain_error(error)
    if result == EXIT_INTERRUPTED:
        return report_interrupt()
    return result if isinstance(result, int) else 0


@contextmanager
def _watch_interrupts() -> Generator[threading.Event]:
    """Set once Ctrl-C was pressed: Python drops an exception raised while an object is cleaned up."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield pressed  # the caller handles it
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield pressed
    finally:
        if signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, before)


def report_interrupt() -> int:
    """Report it, and how to continue."""
    # an interrupt that leaves an exec of text, as modules do while they load (dataclasses), stays marked as unhandled, and
    # CPython then ends `python -m` by the signal instead of the exit code; the next exec of text takes the mark away
    exec("")
    return _print_failure("interrupted; run the same command again to continue", EXIT_INTERRUPTED)


def _explain_error(error: Exception) -> int:
    from typer import Abort

    if isinstance(error, Abort):
        return _print_failure("cancelled; nothing was changed", EXIT_FAILURE)
    if isinstance(error, CommandLineError):
        return _print_failure(_usage_message(error), error.exit_code)
    if isinstance(error, (UsageError, ConfigurationError)):
        return _print_failure(str(error), EXIT_USAGE)
    if isinstance(error, AscertainError):
        return _print_failure(str(error), EXIT_FAILURE)
    if isinstance(error, OSError):
        return _print_failure(_system_message(error), EXIT_FAILURE)
    if isinstance(error, MemoryError):
        return _print_failure(
            "out of memory; add fewer documents at once or use a smaller ingest.embed_batch", EXIT_FAILURE
        )
    return _print_failure(
        f"unexpected {type(error).__name__}: {error}; run again with --debug and report the traceback", EXIT_FAILURE
    )


def _usage_message(error: CommandLineError) -> str:
    """Typer's message with the option that was meant, or the help command to look at."""
    near = _find_meant_options(error)
    if near:
        return f"No such option: {getattr(error, 'option_name', '')}; did you mean {' or '.join(near)}?"
    message = error.format_message().rstrip(".")
    path: object = getattr(getattr(error, "ctx", None), "command_path", "ascertain")
    return message if message.endswith("?") else f"{message}; see '{path} --help'"


def _find_meant_options(error: CommandLineError) -> list[str]:
    """Options that begin with what was typed, or else the one most like it: typer names others with them."""
    from difflib import get_close_matches

    typed = str(getattr(error, "option_name", ""))
    near: Sequence[str] = getattr(error, "possibilities", None) or ()
    # without the dashes, which all have in common
    alike = get_close_matches(typed.lstrip("-"), [name.lstrip("-") for name in near], n=1)
    return sorted(name for name in near if name.startswith(typed)) or [f"--{name}" for name in alike]


def _system_message(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def _print_failure(message: str, code: int) -> int:
    line = " ".join(message.split())
    print(f"ascertain: {line}", file=sys.stderr)  # noqa: T201  (rich is not imported for one line)
    return code


def show_warnings() -> None:
    """Print warnings of ``ascertain`` as they come, each on a line."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("ascertain: %(message)s"))
    logger = logging.getLogger("ascertain")
    logger.handlers = [handler]
    logger.setLevel(logging.WARNING)
    logger.propagate = False


def run_cli() -> None:
    """Run the command line and exit with its code."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # a document may hold lone surrogates, and a terminal may not know every character
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(COLLECT_EVERY, COLLECT_OLDER_EVERY)
    _bound_arenas()
    codes: list[int] = []
    atexit.register(end_process, codes)  # the first to be registered is the last to be called
    codes.append(_refuse_low_memory() or run_with_guard(_run_command, debug="--debug" in sys.argv))
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # everything is printed: pressed again now, it would change the exit code
    sys.exit(codes[0])


def end_process(codes: Sequence[int]) -> None:
    """End the process without taking Python apart: that looks through all objects of all libraries for nothing, and stops threads in
    which a native library still loads, which abort.
    """
    with suppress(OSError, ValueError):  # what cannot be written is Python's to report
        sys.stdout.flush()
        sys.stderr.flush()
        if codes:
            os._exit(codes[0])


def _open_closed_streams() -> None:
    """Where the shell closed a standard stream (``>&-``), nothing is read or shown there. If it stayed closed, the next opened file would
    replace it, perhaps the database, and get what is printed.
    """
    names = ("stdin", "stdout", "stderr")
    closed = [number for number, name in enumerate(names) if getattr(sys, name) is None]
    for number in closed:
        opened = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, names[number], os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8"))
    if 1 in closed:
        _print_failure("standard output is closed, so nothing is shown", 0)


LEAST_MEMORY = 600_000_000
"""Bytes of address space below which the native libraries fail to load, some of them by a crash (measured with ``ulimit -v``)."""


def _refuse_low_memory() -> int:
    """0, or the exit code after reporting that the shell allows too little."""
    try:
        import resource
    except ImportError:  # other systems have no such limit
        return 0
    allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
    if allowed == resource.RLIM_INFINITY or allowed >= LEAST_MEMORY:
        return 0
    return _print_failure(
        f"this shell allows {allowed // 1_000_000:,} MB of memory (ulimit -v), and {LEAST_MEMORY // 1_000_000:,} MB are needed; raise it",
        EXIT_FAILURE,
    )


def _bound_arenas() -> None:
    """Before any thread exists; other C libraries than glibc have no such option and no such heaps."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MOST_ARENAS)


def _run_command() -> object:
    # imported here so that an interrupt while modules load is met by the guard too
    from typer.main import get_command

    from ascertain.interfaces.cli.application import app

    show_warnings()
    return get_command(app).main(prog_name="ascertain", standalone_mode=False)
