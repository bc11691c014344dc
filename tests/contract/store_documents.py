"""The builders of ``ascertain.testing``, by the name that tests outside of it know."""

from ascertain.testing.store_documents import *  # noqa: F403
