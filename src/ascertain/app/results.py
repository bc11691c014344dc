"""What the methods of ``Ascertain`` take and give back, in one place for those who call them."""

from __future__ import annotations

from ascertain.core.conversations import ConversationSummary as ConversationSummary
from ascertain.core.conversations import Turn as Turn
from ascertain.core.conversations import TurnRecord as TurnRecord
from ascertain.core.results import AnswerText as AnswerText
from ascertain.core.results import Done as Done
from ascertain.core.results import Event as Event
from ascertain.core.results import NodeFinished as NodeFinished
from ascertain.core.results import NodeStarted as NodeStarted
from ascertain.core.results import SearchResult as SearchResult
from ascertain.ingest.pipeline import Failure as Failure
from ascertain.ingest.pipeline import IngestListener as IngestListener
from ascertain.ingest.pipeline import IngestReport as IngestReport
from ascertain.ingest.report import GraphGain as GraphGain
from ascertain.sources.web.addresses import address_of as address_of
from ascertain.stores.graph_ports import GraphCounts as GraphCounts
from ascertain.stores.ports import HealthReport as HealthReport
from ascertain.stores.ports import StoreStats as StoreStats
from ascertain.stores.progress import IngestRun as IngestRun
from ascertain.stores.progress import RunState as RunState
from ascertain.stores.schema import SchemaChange as SchemaChange
from ascertain.stores.service.events import LoggedEvent as LoggedEvent
from ascertain.stores.service.feedback import GivenAnswer as GivenAnswer
from ascertain.stores.service.jobs import Job as Job
from ascertain.stores.service.jobs import JobState as JobState
from ascertain.stores.service.keys import ApiKey as ApiKey
from ascertain.stores.service.rates import RateLimits as RateLimits
from ascertain.stores.service.stores import ServiceStores as ServiceStores
