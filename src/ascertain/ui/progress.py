"""A question under way: its steps and its text so far, from the service's events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from ascertain.ui.client import ServerEvent, ServiceProblem
from ascertain.ui.markup import shorten_text
from ascertain.wire.answers import DecisionJson

WORKING: Mapping[str, str] = {
    "cache": "Looking for an earlier answer",
    "rewrite": "Reading the question",
    "plan": "Planning",
    "strategy": "Choosing how to search",
    "expand": "Wording it in other ways",
    "retrieve": "Searching",
    "overview": "Surveying the themes",
    "digest": "Gathering the stories of the time",
    "document": "Reading the document",
    "compute": "Computing over the tables",
    "analyse": "Reading every document of the period",
    "validate": "Checking whether it is true",
    "research": "Researching with several agents",
    "gather": "Gathering every place that names it",
    "judge": "Judging what was found",
    "switch": "Changing the strategy",
    "refine": "Wording it anew",
    "undate": "Looking without the dates",
    "classify": "Sorting the question",
    "web": "Searching the web",
    "generate": "Writing",
    "check": "Checking every claim",
    "evaluate": "Evaluating the answer",
    "greet": "Replying",
    "reject": "Saying what was searched",
    "finish": "Done",
}
OUTCOME_CHARACTERS = 120
QUIET = frozenset({"finish", "greet", "reject"})
"""Steps whose outcome is the answer itself."""


def step_name(node: str) -> str:
    """A step as people call it; a step this page does not know yet keeps its own name."""
    return WORKING.get(node, node.replace("_", " ").capitalize())


def path_rows(decisions: Sequence[DecisionJson]) -> list[dict[str, object]]:
    """Every decision of an answer: what was done, what came of it, why, and what it rests on."""
    return [
        {
            "name": step_name(decision.node),
            "outcome": decision.outcome,
            "reason": decision.reason,
            "detail": _step_detail(decision),
        }
        for decision in decisions
    ]


def _step_detail(decision: DecisionJson) -> str:
    scores = [f"{name.replace('_', ' ')} {score:.3g}" for name, score in decision.scores.items()]
    seconds = [f"{decision.seconds:.2f} s"] if decision.seconds >= 0.005 else []
    return " · ".join([*scores, *seconds])


@dataclass(slots=True)
class Step:
    """One step of the work; ``outcome`` is empty while it runs."""

    node: str
    outcome: str = ""
    is_running: bool = True


@dataclass(slots=True)
class Pending:
    """A question not yet answered, kept between the runs of the page, so that a click in between loses nothing."""

    question: str
    request: Mapping[str, object]
    answer_id: str = ""
    last_event: str = ""
    steps: list[Step] = field(default_factory=list[Step])
    text: str = ""
    draft: str = ""

    def take(self, event: ServerEvent) -> None:
        """Note an event; raises ServiceProblem for one that says the question failed."""
        self.last_event = event.id or self.last_event
        data = event.data
        if event.name == "started":
            self.answer_id = str(data.get("answer_id", ""))
        elif event.name == "node":
            self._end_step(data)
        elif event.name == "draft":
            self.draft = ("" if data.get("is_new") else self.draft) + str(data.get("text", ""))
        elif event.name == "text":
            self.text += str(data.get("text", ""))
        elif event.name == "error":
            problem = data.get("problem", data)
            raise ServiceProblem(str(problem.get("detail") or problem.get("title") or "the question failed"))

    def _end_step(self, data: Mapping[str, object]) -> None:
        node = str(data.get("node", ""))
        if data.get("state") == "started":
            self.steps.append(Step(node))
            return
        step = next((step for step in reversed(self.steps) if step.node == node and step.is_running), None)
        if step is None:
            step = Step(node)
            self.steps.append(step)
        step.is_running = False
        step.outcome = str(data.get("outcome") or "")


def progress_html(pending: Pending) -> str:
    """The steps so far, and the text as it comes: the draft until the checked one is there."""
    rows = "".join(_step_row(step) for step in pending.steps)
    if not pending.steps:
        rows = _step_row(Step("rewrite"))
    if pending.text:
        text = f'<div class="asc-text" dir="auto">{escape(pending.text)}</div>'
    elif pending.draft:
        # read out, it would be heard again with each word
        label = '<span class="asc-muted">Draft, not checked yet</span>'
        text = f'{label}<div class="asc-text draft" dir="auto" aria-hidden="true">{escape(pending.draft)}</div>'
    else:
        text = ""
    return f'<div class="asc" role="status" aria-live="polite"><ol class="asc-steps">{rows}</ol>{text}</div>'


def question_html(question: str) -> str:
    """What was asked."""
    return f'<h2 class="asc asc-question" dir="auto">{escape(question)}</h2>'


def _step_row(step: Step) -> str:
    name = escape(step_name(step.node))
    if step.is_running:
        return f'<li class="running"><span>{name} …</span></li>'
    outcome = "" if step.node in QUIET else escape(shorten_text(step.outcome, OUTCOME_CHARACTERS))
    return f'<li><span>{name} <span class="asc-outcome" dir="auto">{outcome}</span></span></li>'
