"""How the page looks: colours and type for both themes, as Streamlit's own settings, and the small style sheet beside them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

LIGHT = {
    "primaryColor": "#0b6663",
    "backgroundColor": "#fbfaf6",
    "secondaryBackgroundColor": "#f1eee5",
    "textColor": "#1c2526",
    "linkColor": "#0b6663",
    "borderColor": "#dcd8cc",
    "sidebar.backgroundColor": "#f4f1ea",
    "sidebar.secondaryBackgroundColor": "#e9e5da",
}
DARK = {
    "primaryColor": "#6ccabf",
    "backgroundColor": "#14191b",
    "secondaryBackgroundColor": "#20282b",
    "textColor": "#e8ecea",
    "linkColor": "#6ccabf",
    "borderColor": "#343d40",
    "sidebar.backgroundColor": "#191f21",
    "sidebar.secondaryBackgroundColor": "#262f32",
}
BOTH: dict[str, object] = {
    # both faces come with Streamlit: nothing is fetched from elsewhere
    "font": "sans-serif",
    "headingFont": "serif",
    "baseRadius": "10px",
    "buttonRadius": "10px",
    "showWidgetBorder": True,
    "showSidebarBorder": True,
    "metricValueFontSize": "1.75rem",
}
# one for each strategy and kind; told apart in grey too
LIGHT_CHARTS = ["#0b6663", "#c98a2b", "#4f6d9a", "#9c4a6c", "#7a8b3a"]
DARK_CHARTS = ["#6ccabf", "#e6b564", "#93aedb", "#d98fb1", "#b9c97a"]


def theme_options() -> dict[str, object]:
    """Streamlit's options, by dotted name."""
    return {
        **{f"theme.{name}": value for name, value in BOTH.items()},
        **{f"theme.light.{name}": value for name, value in LIGHT.items()},
        **{f"theme.dark.{name}": value for name, value in DARK.items()},
        "theme.light.chartCategoricalColors": LIGHT_CHARTS,
        "theme.dark.chartCategoricalColors": DARK_CHARTS,
    }


@cache
def resource(name: str) -> str:
    """A file from ``assets``: a style sheet, a script, a picture."""
    return files("ascertain.ui").joinpath("assets", name).read_text(encoding="utf-8")


def style_sheet() -> str:
    """What the page's own elements look like, as an HTML element."""
    return f"<style>{resource('tokens.css')}{resource('page.css')}</style>"
