"""Tables of documents as the real readers store them, and questions put to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ascertain.documents.sources.files import read_path
from ascertain.reports.tables.columns import TypedTable, type_table
from ascertain.reports.tables.engine import TableEngine
from ascertain.reports.tables.query import Outcome
from ascertain.reports.tables.questions.interpretation import Reading, interpret
from ascertain.reports.tables.reading import Table, read_tables
from ascertain.reports.tables.wording import Wording

SALES = """day,region,product,units,revenue_eur,express
2025-01-03,North,Oak chair,4,360.00,yes
2025-01-19,South,Oak chair,2,180.00,no
2025-02-02,North,Pine table,1,240.00,no
2025-02-14,West,Pine table,3,720.00,yes
2025-03-01,South,Oak chair,6,540.00,no
2025-03-30,North,Desk,2,500.00,no
"""
REGIONS = "region\tmanager\tcountry\nNorth\tMara Lind\tNorway\nSouth\tPaul Ott\tAustria\nWest\tIna Berg\tNorway\n"
CREW = """# Crew

| Name | Role | Wage | Joined | Nights |
|---|---|---|---|---|
| Ola Berg | Head cook | $31.00 | 2019-04-01 | no |
| Tim Roe | Night cook | $24.50 | 2023-09-15 | yes |
| Una Fox | Cook's apprentice | $15.00 | 2024-08-01 | no |
| Vic Hart | Waiter | $17.00 | 2021-02-11 | yes |
"""
PEAKS = """Peak;Height (m);First climbed;Range
Grauspitz;2.599,5;1868;Alps
Weisshorn;4.506,0;1861;Alps
Ben Dearg;1.084,0;;Highlands
Toubkal;4.167,0;1923;Atlas
"""


class Tables:
    """Typed tables, and the answers to questions put to them."""

    def __init__(self, typed: Sequence[TypedTable]) -> None:
        self.typed = list(typed)

    def read(self, question: str) -> Reading | None:
        return interpret(question, self.typed)

    def run(self, question: str) -> tuple[Reading, Outcome]:
        reading = self.read(question)
        assert reading is not None, question
        with TableEngine(reading.extend_tables(self.typed), reading.query) as engine:
            return reading, engine.run()

    def say(self, question: str) -> str:
        reading, outcome = self.run(question)
        return Wording(reading.extend_tables(self.typed), reading, outcome).write()


@pytest.fixture
def read_files(tmp_path: Path) -> Callable[..., list[Table]]:
    """The tables of files with these texts, by their names, as the readers store them."""

    def read(**texts: str | bytes) -> list[Table]:
        documents = []
        for name, text in texts.items():
            path = tmp_path / name.replace("_dot_", ".")
            path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
            documents += read_path(path)
        return read_tables(documents)

    return read


@pytest.fixture
def shop(read_files: Callable[..., list[Table]]) -> Tables:
    """Sales, regions, the crew and some peaks."""
    tables = read_files(sales_dot_csv=SALES, regions_dot_tsv=REGIONS, crew_dot_md=CREW, peaks_dot_csv=PEAKS)
    return Tables([type_table(table) for table in tables])
