from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.options import FilterOptions, MaterialOptions, build_filter, parse_moment


def test_no_options_put_no_condition() -> None:
    assert build_filter(FilterOptions()) == Filter()


def test_every_option_becomes_a_condition(tmp_path: Path) -> None:
    options = MaterialOptions(
        kind=[DocumentKind.PAPER],
        source=["news/*", str(tmp_path / ".." / tmp_path.name)],
        tag=["a", "b"],
        language=["de", "EN"],
        document=["d1"],
        since="2024-12-01",
        before="2024-12-05T12:00",
        conversation="c1",
    )
    assert build_filter(options) == Filter(
        document_ids=("d1",),
        kinds=(DocumentKind.PAPER,),
        sources=("news/*", str(tmp_path)),
        tags=("a", "b"),
        languages=("de", "en"),
        published_from=datetime(2024, 12, 1, tzinfo=UTC),
        published_before=datetime(2024, 12, 5, 12, tzinfo=UTC),
        conversation_id="c1",
    )


def test_what_is_no_code_of_a_language_is_told_with_what_to_write() -> None:
    with pytest.raises(UsageError, match="'german' is not the code of a language; write two letters"):
        build_filter(FilterOptions(language=["german"]))


def test_a_file_brings_its_rows(tmp_path: Path) -> None:
    table = tmp_path / "news.csv"
    table.touch()
    assert build_filter(FilterOptions(source=[str(table)])).sources == (str(table), f"{table}#*")


def test_a_time_zone_is_kept() -> None:
    moment = parse_moment("2024-12-05T12:00+02:00", "--since")
    assert moment == datetime(2024, 12, 5, 12, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize("text", ["", "yesterday", "2024-13-01", "05.12.2024"])
def test_what_is_no_date_is_refused_with_the_form_to_use(text: str) -> None:
    with pytest.raises(UsageError, match="write it as 2024-12-05"):
        parse_moment(text, "--since")


def test_an_empty_period_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing can match"):
        build_filter(FilterOptions(since="2024-12-05", before="2024-12-05"))
