"""How many functions and modules of the package one question runs through.

``python -m bench.project.question_path [--verbose] [HOME]`` asks the questions of the demo, over the demo in HOME (made where it is not there; by
default in a folder that is deleted), each a first time to open everything and a second time under ``sys.setprofile``. Counted are functions
and methods; comprehensions, generator expressions and lambdas inside them are not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import ascertain
from ascertain.app.ascertain import Ascertain
from ascertain.app.demo import add_demo, read_demo
from ascertain.core.asking.runs import FixedClock

PACKAGE = f"{Path(ascertain.__file__).parent}/"


def main() -> None:
    """Print the figures of each question and their mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", nargs="?", type=Path)
    parser.add_argument(
        "--verbose", action="store_true", help="also name the modules, with how many of their functions ran"
    )
    given = parser.parse_args()
    demo = read_demo()
    with (
        tempfile.TemporaryDirectory(prefix="ascertain-path-") as folder,
        Ascertain.open(given.home or Path(folder) / "kb", clock=FixedClock(demo.now)) as knowledge,
    ):
        if not knowledge.exists:
            add_demo(knowledge, demo)
        rows: list[tuple[int, int]] = []
        for question in demo.questions:
            knowledge.ask(question.text, use_cache=False)
            entered = record_calls(lambda text=question.text: knowledge.ask(text, use_cache=False))
            functions = {code for code in entered if not code.co_name.startswith("<")}
            by_module = Counter(code.co_filename.removeprefix(PACKAGE) for code in functions)
            rows.append((len(functions), len(by_module)))
            print(f"{len(functions):5} functions {len(by_module):4} modules  {question.text}")
            if given.verbose:
                print(*(f"    {count:3} {name}" for name, count in by_module.most_common()), sep="\n")
    functions, modules = (statistics.fmean(each) for each in zip(*rows, strict=True))
    print(f"{functions:5.0f} functions {modules:4.0f} modules  mean")


def record_calls(work: Callable[[], object]) -> set[CodeType]:
    """The code of the package that ``work`` enters, in all threads that it starts."""
    entered: set[CodeType] = set()

    def note_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            entered.add(frame.f_code)

    threading.setprofile(note_call)
    sys.setprofile(note_call)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # pyright: ignore[reportArgumentType]  None takes it away
    return entered


if __name__ == "__main__":
    main()
