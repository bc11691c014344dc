"""Opening a model in ONNX form to run on the processor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import onnxruntime  # pyright: ignore[reportMissingTypeStubs]


def onnx_session(weights: Path, threads: int) -> Any:
    """A session with so many threads, 0 for one a core. Raises what the runtime raises: bare subclasses of Exception.

    Threads without work sleep. By default they spin for a while, which answers one caller 4 % earlier and takes the processor from
    everybody else: beside other work the embedding of a question cost twice the processor time (bench/results/embedding_threads.json).
    """
    runtime = cast(Any, onnxruntime)  # ships no types
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # warnings about unused initialisers are noise to a user
    return runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
