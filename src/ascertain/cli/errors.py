"""One line on standard error for everything that can go wrong, and the exit code for it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from ascertain.core.errors import AscertainError, ConfigurationError, UsageError

if TYPE_CHECKING:
    from typer import TyperException

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def run_guarded(command: Callable[[], object], debug: bool) -> int:
    """Run ``command`` and return its exit code; errors become one line, with the traceback before it for ``debug``."""
    with _interrupts() as pressed:
        try:
            result = command()
        except KeyboardInterrupt:
            return interrupted()
        except BrokenPipeError:
            # the reader went away; point stdout elsewhere so that the interpreter's last flush does not complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            if debug:
                traceback.print_exc()
            return interrupted() if pressed.is_set() else _explain(error)
    if result == EXIT_INTERRUPTED:
        return interrupted()
    return result if isinstance(result, int) else 0


@contextmanager
def _interrupts() -> Generator[threading.Event]:
    """Set once Ctrl-C was pressed: Python drops an exception that comes up in the clean-up of an object, which loading has plenty of."""
    pressed = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield pressed  # whoever runs the command has a way of their own
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


def interrupted() -> int:
    """Say so, and how to go on."""
    return _fail("interrupted; run the same command again to continue", EXIT_INTERRUPTED)


def _explain(error: Exception) -> int:
    from typer import Abort, TyperException

    if isinstance(error, Abort):
        return _fail("cancelled; nothing was changed", EXIT_FAILURE)
    if isinstance(error, TyperException):
        return _fail(_usage_message(error), error.exit_code)
    if isinstance(error, (UsageError, ConfigurationError)):
        return _fail(str(error), EXIT_USAGE)
    if isinstance(error, AscertainError):
        return _fail(str(error), EXIT_FAILURE)
    if isinstance(error, OSError):
        return _fail(_system_message(error), EXIT_FAILURE)
    if isinstance(error, MemoryError):
        return _fail(
            "out of memory; add fewer documents at once or use a smaller ingest.embed_batch", EXIT_FAILURE
        )
    return _fail(
        f"unexpected {type(error).__name__}: {error}; run again with --debug and report the traceback",
        EXIT_FAILURE,
    )


def _usage_message(error: TyperException) -> str:
    """Typer's message with the help command to look at, as typer itself would print in several lines."""
    message = error.format_message().rstrip(".")
    path: object = getattr(getattr(error, "ctx", None), "command_path", "ascertain")
    return message if message.endswith("?") else f"{message}; see '{path} --help'"


def _system_message(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def _fail(message: str, code: int) -> int:
    line = " ".join(message.split())
    print(f"ascertain: {line}", file=sys.stderr)  # noqa: T201  (rich is not imported for one line)
    return code
