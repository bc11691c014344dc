"""Ports below the app that those above it name."""

from ascertain.documents.sources.web.urls import address_of as address_of
from ascertain.stores.ports.service import RateLimits as RateLimits
from ascertain.stores.ports.service import ServiceStores as ServiceStores
