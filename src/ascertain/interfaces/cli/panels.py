"""The list of commands in the help, grouped by purpose."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class GroupedCommands(TyperGroup):
    """Plain text, as the rest of the help: typer's own panels need rich, and are unreadable in pipes."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each ``rich_help_panel`` of the commands, in the order of their first commands."""
        width = max(map(len, self.commands))
        room = formatter.width - 6 - width
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            panel = str(getattr(command, "rich_help_panel", None) or "Commands")
            sections.setdefault(panel, []).append((name.ljust(width), command.get_short_help_str(room)))
        for panel, rows in sections.items():
            with formatter.section(panel):
                formatter.write_dl(rows)
