from ascertain.interfaces.cli.commands.asking.ask import WORKING
from ascertain.workflow.ask.routes import Node

WITHOUT_WORK = {Node.GREET, Node.REJECT, Node.FINISH}
"""Steps that end at once: nobody waits for them."""


def test_every_step_one_waits_for_says_what_is_done():
    assert set(Node) - WITHOUT_WORK <= set(WORKING)
