"""Ports below the app that those above it name."""

from ascertain.sources.web.urls import address_of as address_of
from ascertain.stores.service_ports import RateLimits as RateLimits
from ascertain.stores.service_ports import ServiceStores as ServiceStores
