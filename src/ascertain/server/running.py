"""Running the service in this process, from the settings to the last request."""

from __future__ import annotations

from collections.abc import Callable

from ascertain.app.ascertain import Ascertain
from ascertain.server.application import create_app
from ascertain.server.lifecycle import warm_up
from ascertain.server.serving import check_reach, listen, server_of, url_of
from ascertain.telemetry.logs import configure_logs, logger


def run(knowledge: Ascertain, announce: Callable[[str, bool], None]) -> None:
    """Serve until a signal says to end. ``announce`` is told the address, and whether the service is open, once it takes requests.

    Raises UsageError for an address that cannot be had or must not be served without a key.
    """
    settings = knowledge.settings
    is_open = check_reach(knowledge, settings.server.host)
    # the address is taken first: a port that is in use is told before anything is loaded
    with listen(settings.server.host, settings.server.port) as listening:
        configure_logs(settings.telemetry)
        app = create_app(knowledge, settings)
        logger.info("loaded", extra={"seconds": round(warm_up(knowledge), 3)})
        url = url_of(listening, settings.server.host)
        server_of(app, lambda: announce(url, is_open)).run(sockets=[listening])
