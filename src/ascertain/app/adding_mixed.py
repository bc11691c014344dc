"""Adding what a person names: paths and addresses as they come, told apart before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.portions import Portion
from ascertain.core.clock import Clock
from ascertain.core.errors import UsageError
from ascertain.ingest.report import IngestListener, IngestReport, SilentListener, merged
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.web.addresses import Address, address_of

if TYPE_CHECKING:
    from ascertain.app.adding import Adding
    from ascertain.stores.service.stores import ServiceStores


class MixedAdding:
    """Adds paths by one run and addresses by another after it."""

    def __init__(self, adding: Adding, service: Callable[[], ServiceStores], clock: Clock) -> None:
        self._adding = adding
        self._service = service
        self._clock = clock

    def add(
        self,
        named: Sequence[Path | str],
        options: ReadOptions,
        *,
        sync: bool,
        listener: IngestListener | None,
    ) -> IngestReport:
        """See ``Ascertain.add``."""
        paths, addresses = told_apart(named)
        if not addresses:
            return self._add_paths(paths, options, sync, listener)
        from ascertain.app.adding_addresses import AddressAdding, size_of

        adding = AddressAdding(self._adding, self._service, self._clock)
        if not paths:
            return adding.add(addresses, options, listener)
        heard = listener or SilentListener()
        report = self._add_paths(paths, options, sync, Portion(heard, more=size_of(addresses)))
        return merged(report, adding.add(addresses, options, Portion(heard)))

    def _add_paths(
        self, paths: Sequence[Path], options: ReadOptions, sync: bool, listener: IngestListener | None
    ) -> IngestReport:
        return self._adding.paths(
            paths,
            profile=options.profile,
            tags=options.tags,
            sync=sync,
            listener=listener,
            conversation_id=options.conversation_id,
        )


def told_apart(named: Sequence[Path | str]) -> tuple[list[Path], list[Address]]:
    """The paths and the addresses. Raises UsageError for a path that does not exist and an address of a kind that is not read."""
    paths: list[Path] = []
    addresses: list[Address] = []
    for each in named:
        address = address_of(each) if isinstance(each, str) else None
        if address is not None:
            addresses.append(address)
        elif Path(each).exists():
            paths.append(Path(each))
        else:
            raise UsageError(f"{each}: no such file or folder; nothing was added")
    return paths, addresses
