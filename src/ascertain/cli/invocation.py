"""One run of one command: its options, its settings, its knowledge base and where its output goes."""

from __future__ import annotations

import json
import os
import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ascertain.cli.options import SharedOptions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from rich.console import Console

    from ascertain.app.ascertain import Ascertain
    from ascertain.core.settings.layers import LoadedSettings


class Invocation:
    """Built at the start of every command from the options before and after its name."""

    def __init__(self, context: typer.Context, options: SharedOptions) -> None:
        earlier = context.obj if isinstance(context.obj, SharedOptions) else SharedOptions()
        self.options = options.over(earlier)

    @property
    def as_json(self) -> bool:
        """Whether programs read the output."""
        return self.options.as_json

    @cached_property
    def out(self) -> Console:
        """Standard output."""
        from ascertain.cli.console import open_console

        return open_console(sys.stdout)

    @cached_property
    def err(self) -> Console:
        """Standard error, for progress and remarks."""
        from ascertain.cli.console import open_console

        return open_console(sys.stderr)

    def settings(self, arguments: Mapping[str, object] | None = None) -> LoadedSettings:
        """Settings from every layer, ``arguments`` (dotted keys) on top."""
        from ascertain.core.settings import load_settings

        given: dict[str, object] = dict(arguments or {})
        if self.options.profile is not None:
            given["profile"] = self.options.profile
        return load_settings(
            home=self.options.home, config_file=self.options.config, environ=os.environ, arguments=given
        )

    def settings_file(self) -> tuple[Path, bool]:
        """The settings file in use, or the one that would be, and whether it exists."""
        from ascertain.core.settings.layers import CONFIG_NAME

        home = self.settings().settings.home
        if self.options.config is not None:
            return self.options.config.resolve(), True
        candidates = (Path(CONFIG_NAME).resolve(), home.resolve() / CONFIG_NAME)
        found = next((file for file in candidates if file.is_file()), None)
        return found or candidates[0], found is not None

    def open(self, as_of: datetime | None = None, arguments: Mapping[str, object] | None = None) -> Ascertain:
        """The knowledge base, pretending that it is ``as_of`` when given; use it as a context manager.

        ``arguments`` are settings by dotted key that options of the command set; None is not given.
        """
        from ascertain.app.ascertain import Ascertain

        return Ascertain(self.settings({"now": as_of, **(arguments or {})}).settings)

    def emit(self, value: object) -> None:
        """Print one JSON value, which shapes may be part of, on a line of standard output, at once."""
        from ascertain.wire.shape import encode_shape

        is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        sys.stdout.write(json.dumps(value, ensure_ascii=not is_unicode, default=encode_shape) + "\n")
        sys.stdout.flush()
