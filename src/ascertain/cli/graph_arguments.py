"""Arguments of the commands about the graph."""

from __future__ import annotations

from typing import Annotated

import typer

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name, an alias or an id.")]
First = Annotated[str, typer.Argument(metavar="A", help="A name, an alias or an id.")]
Second = Annotated[str, typer.Argument(metavar="B", help="Another.")]
