"""What the methods of ``Ascertain`` take and give back, in one place for those who call them."""

from __future__ import annotations

from ascertain.core.requests import AnswerText as AnswerText
from ascertain.core.requests import ConversationSummary as ConversationSummary
from ascertain.core.requests import Done as Done
from ascertain.core.requests import Event as Event
from ascertain.core.requests import NodeFinished as NodeFinished
from ascertain.core.requests import NodeStarted as NodeStarted
from ascertain.core.requests import SearchResult as SearchResult
from ascertain.core.requests import Turn as Turn
from ascertain.core.requests import TurnRecord as TurnRecord
from ascertain.ingest.pipeline import Failure as Failure
from ascertain.ingest.pipeline import IngestListener as IngestListener
from ascertain.ingest.pipeline import IngestReport as IngestReport
from ascertain.ingest.report import GraphGain as GraphGain
from ascertain.sources.web.urls import address_of as address_of
from ascertain.stores.graph_ports import GraphCounts as GraphCounts
from ascertain.stores.ingest_log import IngestRun as IngestRun
from ascertain.stores.ingest_log import RunState as RunState
from ascertain.stores.ports import HealthReport as HealthReport
from ascertain.stores.ports import StoreStats as StoreStats
from ascertain.stores.registry import SchemaChange as SchemaChange
from ascertain.stores.service_ports import ApiKey as ApiKey
from ascertain.stores.service_ports import GivenAnswer as GivenAnswer
from ascertain.stores.service_ports import Job as Job
from ascertain.stores.service_ports import JobState as JobState
from ascertain.stores.service_ports import LoggedEvent as LoggedEvent
from ascertain.stores.service_ports import RateLimits as RateLimits
from ascertain.stores.service_ports import ServiceStores as ServiceStores
