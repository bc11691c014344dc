"""What threads of the embedding model cost that spin while they wait, into ``results/embedding_threads.json``.

    python bench/embedding_threads.py [--rounds N]

ONNX Runtime's threads spin by default; ours sleep (``models/onnx_session.py``). Both embed the same question and the same 32 sentences, in
turns: alone on the machine, and beside as many busy processes as there are cores, as the threads of a service under load are.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast
from unittest import mock

import onnxruntime  # pyright: ignore[reportMissingTypeStubs]

from ascertain.models import onnx
from setting import circumstances, save, show_status

TEXTS = {
    "one question": ["How did the merge change the way that Ethereum is secured?"],
    "32 sentences": [
        f"In round {number}, validators who had staked 32 ether each took the place of miners, and the network used far less energy."
        for number in range(32)
    ],
}
CALLS = {"one question": 40, "32 sentences": 8}


@contextmanager
def crowd(processes: int) -> Generator[None]:
    """So many busy processes beside this one."""
    with ExitStack() as ends:
        for _ in range(processes):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            ends.callback(process.wait)
            ends.callback(process.kill)
        yield


def as_it_comes(weights: Path, threads: int) -> Any:
    """A session whose threads spin."""
    runtime = cast(Any, onnxruntime)  # ships no types
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads or len(os.sched_getaffinity(0))
    options.log_severity_level = 3
    return runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def spinning() -> onnx.OnnxEmbedder:
    """The built-in model, but for its threads."""
    with mock.patch.object(onnx, "onnx_session", as_it_comes):
        return onnx.OnnxEmbedder.load(onnx.BUILT_IN)


def measure(model: onnx.OnnxEmbedder, what: str) -> dict[str, list[float]]:
    """Wall and processor time of each call, in ms."""
    found: dict[str, list[float]] = {"wall_ms": [], "processor_ms": []}
    for _ in range(CALLS[what]):
        began, used = time.perf_counter(), time.process_time()
        model.embed_documents(TEXTS[what])
        found["wall_ms"].append((time.perf_counter() - began) * 1000)
        # threads that spin do so for a while after the call too
        time.sleep(0.005)
        found["processor_ms"].append((time.process_time() - used) * 1000)
    return found


def main() -> None:
    """Measure and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    rounds = parser.parse_args().rounds
    models = {"spinning": spinning(), "sleeping": onnx.OnnxEmbedder.load(onnx.BUILT_IN)}
    cores = len(os.sched_getaffinity(0))
    measured: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for beside, processes in (("alone", 0), ("beside busy processes", cores)):
        with crowd(processes):
            for turn in range(rounds):
                show_status(f"{beside}, round {turn + 1} of {rounds}")
                for what in TEXTS:
                    for name, model in models.items():
                        for kind, values in measure(model, what).items():
                            measured.setdefault((beside, what, name), {}).setdefault(kind, []).extend(values)
    rows = []
    for beside in ("alone", "beside busy processes"):
        for what in TEXTS:
            row: dict[str, object] = {"beside": beside, "what": what}
            for kind in ("wall_ms", "processor_ms"):
                middle = {name: statistics.median(measured[beside, what, name][kind]) for name in models}
                row[kind] = {**middle, "ratio": middle["sleeping"] / middle["spinning"]}
            rows.append(row)
            print(row)
    save("embedding_threads", {**circumstances(), "rounds": rounds, "calls": CALLS, "rows": rows})


if __name__ == "__main__":
    main()
