"""What an answer says about the web: that it was searched without use, or why it was not."""

from __future__ import annotations

from ascertain.core.passages import Confidence, Level
from ascertain.workflow.ask.state import AskState, Web

NO_PROVIDER = "The web was not searched: no provider is set (news.providers)."


def about_web(state: AskState) -> str:
    """A sentence for a rejection; empty where the web is no matter."""
    if state["web"] is Web.UNSET:
        return NO_PROVIDER
    return f"The web was asked too: {state['web_report']}." if state["web"] is Web.SEARCHED else ""


def unsearched(state: AskState, confidence: Confidence) -> str:
    """A sentence for an answer that news might have bettered: one about news, or one that is hardly sure."""
    is_poor = confidence.level in {Level.LOW, Level.NONE}
    wanted = is_poor or state["request"].mode == "news"
    return NO_PROVIDER if wanted and state["web"] is Web.UNSET else ""
