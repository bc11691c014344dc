"""Bad usage gives one clear line with the remedy and a non-zero exit, never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from scripted_chat_server import silent

from ascertain.core.system.extras import install_command

MILLION = "why " * 262_144

CASES = {
    "no such command": (("serch", "x"), "Did you mean 'search'", 2),
    "unknown option": (("search", "x", "--colour"), "ascertain search --help", 2),
    "missing argument": (("search",), "Missing argument 'QUERY'", 2),
    "missing value": (("ask", "x", "--home"), "--home", 2),
    "no question": (("ask",), "either a question or --batch", 2),
    "no such path": (("add", "not-there.pdf"), "not-there.pdf: no such file or folder", 2),
    "no home": (("ask", "why?"), "add documents first: ascertain add PATH", 2),
    "no home, given": (("ask", "why?", "--home", "other"), "ascertain add PATH --home other", 2),
    "no home to list": (("documents",), "add documents first", 2),
    "home is a file": (("ask", "why?", "--home", "file.txt"), "file.txt is a file", 2),
    "option begun": (("ask", "why?", "--strateg", "hybrid"), "--strateg; did you mean --strategy?", 2),
    "option misspelt": (("ask", "why?", "--jsn"), "--jsn; did you mean --json?", 2),
    "option unlike any": (("ask", "why?", "--zzzz"), "No such option: --zzzz; see 'ascertain ask --help'", 2),
    "unknown profile": (("ask", "why?", "--profile", "newz"), "did you mean news?", 2),
    "unknown strategy": (("search", "x", "--strategy", "magic"), "semantic", 2),
    "unknown kind": (("search", "x", "--kind", "poem"), "transcript", 2),
    "k is not a number": (("search", "x", "--k", "many"), "valid integer", 2),
    "no such config": (("stats", "--config", "gone.toml"), "gone.toml: no such configuration file", 2),
    "bad config": (("stats", "--config", "bad.toml"), "did you mean", 2),
    "no such batch": (("ask", "--batch", "gone.jsonl"), "gone.jsonl", 2),
    "delete what": (("delete", "--yes"), "say what to delete", 2),
    "eval without data": (("eval", "retrieval", "--data", "gone", "--set", "x"), "gone", 2),
}
WITH_HOME = {
    "empty question": (("ask", "  "), "the question is empty"),
    "empty query": (("search", ""), "is empty"),
    "question without words": (("ask", "?!"), "no words"),
    "question of a megabyte": (("ask", MILLION[:130_000]), "shorten it"),
    "negative k": (("search", "x", "--k", "-1"), "k is -1"),
    "k of zero": (("search", "x", "--k", "0"), "k is 0"),
    "days back of zero": (("search", "x", "--days-back", "0"), "1 to 365"),
    "bad date": (("search", "x", "--since", "yesterday"), "write it as 2024-12-05"),
    "bad day to pretend": (("ask", "x", "--as-of", "soon"), "write it as 2024-12-05"),
    "nothing to delete": (("delete", "feedfacefeedface0000", "--yes"), "no document matches"),
}


def is_one_line(outcome, message: str) -> bool:
    return (
        outcome.out == ""
        and outcome.err.startswith("ascertain: ")
        and outcome.err.count("\n") == 1
        and message in outcome.err
    )


@pytest.mark.parametrize("case", CASES)
def test_bad_usage_is_one_line_on_standard_error(inline, tmp_path, case):
    (tmp_path / "file.txt").write_text("x", encoding="utf-8")
    (tmp_path / "bad.toml").write_text("[retreival]\ntop_k = 3\n", encoding="utf-8")
    arguments, message, code = CASES[case]
    outcome = inline(*arguments)
    assert is_one_line(outcome, message), (outcome.out, outcome.err)
    assert outcome.code == code


@pytest.mark.parametrize("case", WITH_HOME)
def test_a_bad_request_of_a_good_home_is_one_line_too(inline, home, case):
    arguments, message = WITH_HOME[case]
    outcome = inline(*arguments, "--home", home)
    assert is_one_line(outcome, message), (outcome.out, outcome.err)
    assert outcome.code == 2


def test_an_empty_home_says_so(inline, tmp_path):
    (tmp_path / "empty").mkdir()
    outcome = inline("ask", "why?", "--home", "empty")
    assert is_one_line(outcome, "ascertain add PATH --home empty"), outcome.err
    assert outcome.code == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"question": "a?"}\nnot json\n', "questions.jsonl:2: not JSON"),
        ('{"question": "a?"}\n\n["b?"]\n', "questions.jsonl:3: not an object"),
        ('{"query": "a?"}\n', 'questions.jsonl:1: "question" is missing'),
        ('{"question": "  "}\n', "questions.jsonl:1: the question is empty"),
        ('{"question": "a?", "conversation_id": 5}\n', 'questions.jsonl:1: "conversation_id"'),
        ("\n", "it has no questions"),
        ("[" * 100_000, "questions.jsonl:1: not JSON"),
    ],
)
def test_a_bad_batch_names_the_line_before_anything_is_asked(inline, home, tmp_path, lines, message):
    (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
    outcome = inline("ask", "--batch", "questions.jsonl", "--home", home)
    assert is_one_line(outcome, message), (outcome.out, outcome.err)
    assert outcome.code == 2


def test_a_batch_question_of_a_megabyte_is_refused_by_line(inline, home):
    outcome = inline("ask", "--batch", "-", "--home", home, stdin=f'{{"question": "{MILLION}"}}')
    assert is_one_line(outcome, "standard input:1: the question has 1,048,"), outcome.err[:300]


@pytest.mark.parametrize("case", ["unknown option", "no such path", "no home"])
def test_the_real_command_fails_the_same_way(shell, case):
    arguments, message, code = CASES[case]
    outcome = shell(*arguments)
    assert is_one_line(outcome, message), (outcome.out, outcome.err)
    assert outcome.code == code


def test_debug_shows_the_traceback(inline):
    outcome = inline("--debug", "ask", "why?")
    assert "Traceback" in outcome.err
    assert outcome.err.splitlines()[-1].startswith("ascertain: ")


def test_an_interrupt_says_how_to_go_on(start, home):
    process = start("ask", "--batch", "-", "--home", home)
    time.sleep(2)  # by then it waits for standard input, or is still loading: both must end the same way
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        # Python drops an exception that comes up in the clean-up of an object, which loading has plenty of: people press it again
        process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "ascertain: interrupted; run the same command again to continue\n"


def test_an_interrupt_inside_text_that_is_run_gives_its_exit_code(tmp_path):
    (tmp_path / "interrupted.py").write_text(
        "import sys\nfrom ascertain.interfaces.cli.main import run_with_guard\n"
        "sys.exit(run_with_guard(lambda: exec('raise KeyboardInterrupt'), debug=False))\n"
    )
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "ascertain: interrupted; run the same command again to continue\n"


@pytest.mark.parametrize("options", [[], ["--stream"]], ids=["at once", "streamed"])
def test_an_interrupt_does_not_wait_for_a_chat_model_that_hangs(start, home, tmp_path, scripted_chat_server, options):
    asked = threading.Event()

    def hang(request):
        asked.set()
        return silent

    scripted_chat_server.reply_by(hang)
    chat = f'model = "openai:tiny"\nbase_url = "{scripted_chat_server.base_url}"\ntimeout_seconds = 600\n'
    (tmp_path / "ascertain.toml").write_text(f"[models.chat]\n{chat}")
    process = start("ask", "How are refunds paid?", "--home", home, *options)
    assert asked.wait(120)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err.endswith("ascertain: interrupted; run the same command again to continue\n")
    assert len(scripted_chat_server.requests) == 1


def test_a_closed_pipe_is_silent(start, home):
    with start("documents", "--home", home) as process:
        process.stdout.close()
        assert process.stderr.read() == ""


WITHOUT_PACKAGE = """
import sys
from importlib.machinery import PathFinder

class WithoutPackage(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return PathFinder.find_spec(name, [""] if name == hidden else path, target)

hidden = sys.argv.pop(1)
sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutPackage
from ascertain.interfaces.cli.main import run_cli
run_cli()
"""


@pytest.mark.parametrize(("package", "command", "extra"), [("uvicorn", "ui", "server"), ("mcp", "mcp", "mcp")])
@pytest.mark.parametrize("has_folder", [False, True])
def test_command_without_its_extra_names_it(package, command, extra, has_folder, tmp_path):
    if has_folder:
        (tmp_path / package).mkdir()
    given = [sys.executable, "-c", WITHOUT_PACKAGE, package, command]
    finished = subprocess.run(given, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert finished.returncode == 1
    assert f"needs the extra {extra}: {install_command(extra)}" in finished.stderr


def run_in_shell(limits: str, arguments: str, redirections: str = "") -> subprocess.CompletedProcess[str]:
    line = f"{limits} exec {sys.executable} -m ascertain {arguments} {redirections}"
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=120, check=False)


def test_a_closed_standard_output_gets_a_line_and_no_file_in_its_place(tmp_path):
    finished = run_in_shell("", f"config show --home {tmp_path}", ">&-")
    assert finished.returncode == 0
    assert finished.stderr.strip() == "ascertain: standard output is closed, so nothing is shown"
    silent = run_in_shell("", f"stats --home {tmp_path / 'none'}", "<&- >&- 2>&-")
    assert (silent.returncode, silent.stdout, silent.stderr) == (2, "", "")


def test_too_little_memory_gets_a_line_and_no_crash_of_a_library(tmp_path):
    finished = run_in_shell("ulimit -v 450000;", f"stats --home {tmp_path}")
    assert finished.returncode == 1
    assert (
        finished.stderr.strip()
        == "ascertain: this shell allows 460 MB of memory (ulimit -v), and 600 MB are needed; raise it"
    )


def test_too_few_descriptors_get_a_line(tmp_path):
    finished = run_in_shell("ulimit -n 5;", f"stats --home {tmp_path}")
    assert finished.returncode in {1, 2}
    assert len(finished.stderr.strip().splitlines()) == 1
    assert finished.stderr.startswith("ascertain: ")
