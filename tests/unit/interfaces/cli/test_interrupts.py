import signal

import pytest

from ascertain.core.errors import UsageError
from ascertain.interfaces.cli.main import EXIT_INTERRUPTED, run_with_guard


def press():
    signal.raise_signal(signal.SIGINT)


def press_unheard():
    """As while an object is cleaned up, where Python drops what is raised; then the command fails over what came of it."""
    try:
        press()
    except KeyboardInterrupt:
        raise UsageError("there is no question in standard input") from None


@pytest.mark.parametrize("command", [press, press_unheard])
def test_ctrl_c_ends_a_command_as_interrupted(command, capsys):
    assert run_with_guard(command, debug=False) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == "ascertain: interrupted; run the same command again to continue\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_fails_by_itself_is_told(capsys):
    def fail():
        raise UsageError("there is no question")

    assert run_with_guard(fail, debug=False) == 2
    assert capsys.readouterr().err == "ascertain: there is no question\n"
