"""The ask workflow: it judges its own retrieval and its own answer, and changes course."""

from ascertain.workflow.deferred_packages import defer_package

for _package in ("langgraph_sdk", "langsmith.types"):
    defer_package(_package)
