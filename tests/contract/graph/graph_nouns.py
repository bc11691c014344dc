"""The builders of ``ascertain.testing``, by the name that tests outside of it know."""

from ascertain.testing.graph_nouns import *  # noqa: F403
