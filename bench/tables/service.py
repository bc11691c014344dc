"""The tables about the HTTP service: rows as text, from ``service_load.json`` and ``service_against.json``."""

from __future__ import annotations

from bench.tables.stores import Results, Table

NAMES = {
    "new": "every question computed again",
    "usual": "settings as they come",
    "read": "the same, each answer read for 30 s",
}


def load_table(results: Results) -> Table:
    """What all clients at once see, beside one alone."""
    found = results("service_load")
    head = [
        f"{found['clients']} clients for {found['seconds']:.0f} s over {found['chunks']:,} chunks",
        "requests",
        "errors",
        "requests/s",
        "one alone, median ms",
        "median ms",
        "95 % ms",
        "95 % over one alone",
        "memory MB at the end",
        "growth in the last half",
    ]
    rows = [
        [
            NAMES[name],
            f"{load['requests']:,}",
            str(sum(load["errors"].values())),
            f"{load['requests_per_second']:.1f}",
            f"{1000 * load['alone_median_seconds']:.0f}",
            f"{1000 * load['median_seconds']:.0f}",
            f"{1000 * load['p95_seconds']:.0f}",
            f"{load['times_alone']:.1f} times",
            f"{load['memory_megabytes'][-1]:,}",
            f"{100 * load['memory_growth']:+.1f} %",
        ]
        for name, load in found["loads"].items()
    ]
    return head, rows


PARTS = {
    "alone": "one client alone, passages not asked about before",
    "together": "all clients, without a pause",
    "alone_again": "one client alone, the questions of the first row again",
}


def against_table(results: Results) -> Table:
    """What a new question costs the service of an earlier commit and this one."""
    found = results("service_against")
    head = [
        f"{found['clients']} clients for {found['seconds']:.0f} s over {found['chunks']:,} chunks",
        "processor ms per question, before",
        "now",
        "ratio",
        "median ms, before",
        "now",
        "95 % ms, before",
        "now",
    ]
    rows: list[list[str]] = []
    for part, name in PARTS.items():
        before, now = (found["services"][which][part] for which in ("before", "now"))
        row = [name, f"{before['processor_ms']:.0f}", f"{now['processor_ms']:.0f}", f"{found['ratios'][part]:.2f}"]
        for figure in ("median_seconds", "p95_seconds"):
            row += [f"{1000 * each[figure]:.0f}" for each in (before, now)]
        rows.append(row)
    return head, rows
