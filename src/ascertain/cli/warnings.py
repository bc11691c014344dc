"""What the parts below say through logging, such as "waiting for another writer", for people on standard error."""

from __future__ import annotations

import logging


def show_warnings() -> None:
    """Print warnings of ``ascertain`` as they come, each on a line."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("ascertain: %(message)s"))
    logger = logging.getLogger("ascertain")
    logger.handlers = [handler]
    logger.setLevel(logging.WARNING)
    logger.propagate = False
