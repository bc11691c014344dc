"""Packages that LangGraph barely uses and whose import is deferred until one of their names is used.

LangGraph takes one type each from ``langgraph_sdk`` (a client of LangGraph servers) and ``langsmith.types`` (the shapes
of a tracing service). Both packages import everything they have as soon as one of their modules is imported: a third of
what LangGraph takes to load. Nothing is replaced: the module that stands in ``sys.modules`` is the package's own, and
the first name that it lacks runs its code.
"""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec, module_from_spec

_running = threading.RLock()


def defer_package(name: str) -> None:
    """Let ``name`` run its ``__init__`` when one of its names is first asked for; its modules can be imported before.

    Does nothing where it was imported already or is not installed.
    """
    if name in sys.modules:
        return
    spec = find_spec(name)
    if spec is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader
    parent, _, last = name.rpartition(".")

    is_begun = False

    def run_package(name: str) -> object:
        nonlocal is_begun
        with _running:
            if not is_begun:
                is_begun = True
                try:
                    loader.exec_module(module)
                except BaseException:
                    is_begun = False  # the next caller gets the same error
                    raise
                if vars(module).get("__getattr__") is run_package:
                    del module.__getattr__
            elif vars(module).get("__getattr__") is run_package and name not in vars(module):
                # the package itself asks, while it runs
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return getattr(module, name)

    module.__getattr__ = run_package
    sys.modules[name] = module
    if parent:
        setattr(sys.modules[parent], last, module)
