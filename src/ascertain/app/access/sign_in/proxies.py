"""A proxy that signs people in: whom it names in a header of a request, once it is sure that it was the proxy."""

from __future__ import annotations

import logging
from datetime import datetime
from ipaddress import ip_address, ip_network

from starlette.datastructures import Headers

from ascertain.app.access.connections import is_foreign_page
from ascertain.app.access.sign_in.admission import NotAdmitted, Person, admit_person, split_groups
from ascertain.app.access.viewers import Viewer, note_audit
from ascertain.app.ports import ServiceStores
from ascertain.core.settings import ServerSettings

_logger = logging.getLogger("ascertain.interfaces.server")

MOST_NOTED = 10_000
"""People, and addresses, that this process remembers to have noted; beyond that it begins anew."""


class ProxyUsers:
    """Those whom the proxies of the settings name. Safe to use from several threads."""

    def __init__(self, server: ServerSettings, own_tenant: str) -> None:
        self._proxy = server.proxy
        self._access = server.access
        self._own_tenant = own_tenant
        self._networks = tuple(map(ip_network, server.proxy.addresses)) if server.proxy.user_header else ()
        self._noted: set[tuple[str, ...]] = set()

    def find_person(self, headers: Headers, address: str) -> Person | None:
        """Whom a request from ``address`` is of by its proxy; None where no proxy names anybody.

        The header counts from the proxies only, and not for the page of a stranger, which a browser sends the cookies of a proxy along
        for. Raises NotAdmitted for somebody who is named and not let in.
        """
        if not self._networks:
            return None
        named = headers.getlist(self._proxy.user_header)
        if not any(named) or is_foreign_page(headers):
            return None
        if not self._is_proxy(address):
            if self.is_new("address", address):
                _logger.warning(
                    "%s came from %s, which is none of server.proxy.addresses: ignored",
                    self._proxy.user_header,
                    address,
                )
            return None
        if len(named) > 1:
            # what a client sent may be among them: the proxy adds to it instead of taking it out
            raise NotAdmitted(
                "no-user",
                f"the header {self._proxy.user_header} came more than once; the proxy must take out its clients'",
            )
        groups = headers.getlist(self._proxy.groups_header) if self._proxy.groups_header else []
        if len(groups) > 1:
            raise NotAdmitted(
                "no-user",
                f"the header {self._proxy.groups_header} came more than once; the proxy must take out its clients'",
            )
        return admit_person(self._access, named[0].strip(), split_groups("".join(groups)), self._own_tenant)

    def note_person(self, stores: ServiceStores, person: Person, viewer: Viewer, moment: datetime) -> None:
        """Put on record, once a day and process, that somebody came in."""
        if self.is_new(person.tenant, person.user, person.role.value, moment.date().isoformat()):
            note_audit(stores, viewer, person.tenant, "sign_in", subject=f"{person.user} {person.role.value} by proxy")

    def _is_proxy(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        mapped = getattr(found, "ipv4_mapped", None)
        return any((mapped or found) in network for network in self._networks)

    def is_new(self, *what: str) -> bool:
        """Whether this is the first time that this process hears of it."""
        if what in self._noted:
            return False
        if len(self._noted) >= MOST_NOTED:
            self._noted.clear()
        self._noted.add(what)
        return True
