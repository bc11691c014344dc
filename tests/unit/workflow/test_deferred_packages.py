"""Packages whose own code runs when something of theirs is first used."""

import subprocess
import sys


def run_python(*lines: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_the_workflow_loads_no_client_of_langgraph_servers():
    spared = "{'langgraph_sdk.client', 'httpx', 'websockets', 'langsmith.types.sandbox_response'}"
    assert run_python("import sys, ascertain.workflow.ask.run", f"print(len({spared} & set(sys.modules)))") == ["0"]


def test_a_deferred_package_is_whole_for_whoever_uses_it():
    names = (
        "import langgraph_sdk, langsmith.types, importlib",
        "for package in (langgraph_sdk, langsmith.types):",
        "    print(hasattr(package, 'no_such_name'), package.__name__, package.__file__)",
        "    print(importlib.import_module(package.__name__) is package)",
        "    print(*sorted(name for name in vars(package) if not name.startswith('_')))",
    )
    assert set(run_python(*names)) <= set(run_python("import ascertain.workflow.ask.run", *names))


def test_the_clients_work_after_the_workflow_was_loaded():
    assert run_python(
        "import ascertain.workflow.ask.run, langsmith",
        "from langsmith import Client, traceable",
        "from langgraph_sdk import *",
        "client = Client(api_key='none', api_url='http://127.0.0.1:9', auto_batch_tracing=False)",
        "print(traceable(lambda: 7)(), langsmith.types.run_select_field.RunSelectField is not None)",
        "print(get_sync_client(url='http://127.0.0.1:9').assistants is not None)",
    ) == ["7", "True", "True"]


def test_one_of_several_threads_runs_it_and_what_is_there_or_absent_is_left_alone():
    assert run_python(
        "import sys, email",
        "from concurrent.futures import ThreadPoolExecutor",
        "from ascertain.workflow.deferred_packages import defer_package",
        "[defer_package(name) for name in ('langgraph_sdk', 'email', 'no_such_package')]",
        "import langgraph_sdk",
        "with ThreadPoolExecutor(8) as pool:",
        "    found = set(pool.map(lambda _: langgraph_sdk.get_client, range(8)))",
        "print(len(found), sys.modules['email'] is email, 'no_such_package' in sys.modules)",
    ) == ["1", "True", "False"]


def test_a_package_that_cannot_run_says_why_each_time(tmp_path):
    (tmp_path / "half_installed").mkdir()
    (tmp_path / "half_installed" / "__init__.py").write_text("import no_such_dependency")
    told = run_python(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})",
        "from ascertain.workflow.deferred_packages import defer_package",
        "defer_package('half_installed')",
        "import half_installed",
        "for _ in range(2):",
        "    try: half_installed.Client",
        "    except Exception as error: print(type(error).__name__, error.name)",
    )
    assert told == ["ModuleNotFoundError", "no_such_dependency"] * 2
