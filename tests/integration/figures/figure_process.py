"""Adds a folder in a process of its own, for tests that kill it: ``python figure_process.py HOME FOLDER BASE_URL``."""

import os
import sys
from pathlib import Path

from ascertain import Ascertain

DESCRIBING = {
    "ASCERTAIN_INGEST__DESCRIBE_FIGURES": "true",
    "ASCERTAIN_MODELS__CHAT__TIER": "balanced",
    "ASCERTAIN_MODELS__CHAT__BALANCED__DESCRIBE": "seer",
}


def settings_for(base_url: str) -> dict[str, str]:
    return {**os.environ, **DESCRIBING, "ASCERTAIN_MODELS__CHAT__BASE_URL": base_url}


def main() -> None:
    home, folder, base_url = sys.argv[1:]
    with Ascertain.open(Path(home), environ=settings_for(base_url)) as knowledge:
        report = knowledge.add([folder])
    sys.stdout.write(
        f"{report.added} {report.figures.described} {report.figures.remembered} {report.figures.waiting}\n"
    )


if __name__ == "__main__":
    main()
