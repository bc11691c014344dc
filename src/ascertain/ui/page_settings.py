"""What ``ascertain ui`` hands to the page, by the environment of its process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ascertain.core.settings import UiSettings

URL_VARIABLE = "ASCERTAIN_UI__API_URL"
KEY_NAME_VARIABLE = "ASCERTAIN_UI__KEY_VARIABLE"
UPLOAD_MEGABYTES = 200
"""Largest file the page takes; the service has its own limit (server.max_upload_megabytes)."""


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Where the service is, and its key where the page's process has one."""

    api_url: str
    key: str | None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> PageSettings:
        """From the environment; without any of it the service of this machine, without a key."""
        usual = UiSettings()
        key_variable = environ.get(KEY_NAME_VARIABLE) or usual.key_variable
        return cls(environ.get(URL_VARIABLE) or usual.api_url, environ.get(key_variable) or None)


def handed_over(settings: UiSettings) -> dict[str, str]:
    """The environment of the page; the key itself stays in its own variable."""
    return {URL_VARIABLE: settings.api_url, KEY_NAME_VARIABLE: settings.key_variable}
