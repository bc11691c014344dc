"""The picture of the packages in docs/architecture.md is drawn from their imports, and as they are now."""

from pathlib import Path

from bench.project import package_picture

PICTURE = Path(__file__).parents[3] / "docs" / "images" / "packages.svg"


def test_the_picture_is_that_of_the_imports():
    drawn = package_picture.draw(package_picture.read_imports())
    assert PICTURE.read_text("utf-8") == drawn, f"{PICTURE.name} is stale: run `make docs`"


def test_a_package_stands_above_all_that_it_imports():
    imports = {"base": frozenset(), "left": frozenset({"base"}), "top": frozenset({"base", "left"})}
    assert package_picture.rows_of(imports) == [["base"], ["left"], ["top"]]


def test_an_arrow_is_left_out_where_others_lead_to_the_same():
    imports = {"base": frozenset(), "left": frozenset({"base"}), "top": frozenset({"base", "left"})}
    assert package_picture.without_detours(imports)["top"] == {"left"}
