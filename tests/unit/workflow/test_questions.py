import subprocess
import sys

import pytest

from ascertain.core.errors import UsageError
from ascertain.workflow.question_text import check_question


def test_space_around_a_question_is_taken_off():
    assert check_question("  why? \n", 10) == "why?"


@pytest.mark.parametrize(
    ("question", "said"), [("", "is empty"), (" \t", "is empty"), ("?!", "no words"), ("x" * 11, "11 characters")]
)
def test_what_cannot_be_looked_up_is_refused_with_the_reason(question, said):
    with pytest.raises(UsageError, match=said):
        check_question(question, 10)


def test_a_search_does_not_wait_for_the_graph_library():
    program = (
        "import sys, ascertain.app.ascertain, ascertain.workflow.question_text; sys.exit('langgraph' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
