import re
from importlib.resources import files

import pytest

from ascertain.ui.launch import DARK, LIGHT, read_resource, style_sheet, theme_options

TOKENS = {
    name: {"light": light, "dark": dark}
    for name, light, dark in re.findall(
        r"--asc-([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", read_resource("tokens.css")
    )
}
READ = [
    *(("ink", ground) for ground in ("surface", "raised", "accent-soft", "partly-soft")),
    *(("muted", ground) for ground in ("surface", "raised")),
    *(("accent", ground) for ground in ("surface", "accent-soft")),
    ("mark-ink", "mark"),
    *((f"kind-{kind}", ground) for kind in ("one", "two", "three", "four", "five") for ground in ("surface", "raised")),
    *((verdict, f"{verdict}-soft") for verdict in ("supported", "partly", "unsupported", "contradicted")),
]


def luminance(colour):
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), READ)
def test_text_can_be_read_on_its_ground(scheme, text, ground):
    # 4.5:1 is level AA of WCAG 2.2 for text of ordinary size
    assert contrast(TOKENS[text][scheme], TOKENS[ground][scheme]) >= 4.5


@pytest.mark.parametrize(("theme", "scheme"), [(LIGHT, "light"), (DARK, "dark")])
def test_text_can_be_read_on_the_page(theme, scheme):
    for ground in ("backgroundColor", "sidebar.backgroundColor"):
        for text in ("ink", "muted", "accent"):
            assert contrast(TOKENS[text][scheme], theme[ground]) >= 4.5


def test_both_themes_set_the_same():
    assert set(LIGHT) == set(DARK)


def test_streamlit_knows_every_option():
    from streamlit import config

    known = set(config.get_config_options())
    assert {name for name in theme_options() if name not in known} == set()


def assets(ending):
    return sorted(
        entry.name for entry in files("ascertain.ui").joinpath("assets").iterdir() if entry.name.endswith(ending)
    )


@pytest.mark.parametrize("name", assets(".css"))
def test_style_sheets_fetch_nothing(name):
    assert "url(" not in read_resource(name)
    assert "@import" not in read_resource(name)


def test_parts_never_write_markup():
    assert {"dom.js", "answer.js", "drawing.js"} < set(assets(".js"))
    for name in assets(".js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", read_resource(name))


def test_style_sheet_is_one_element():
    assert style_sheet().count("<") == 2
