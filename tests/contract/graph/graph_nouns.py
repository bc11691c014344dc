"""The builders of ``ascertain.testing``, by the name that tests outside of it know."""

from ascertain.testing.graph_store import *  # noqa: F403
