import re

from ascertain.stores.postgres.migrations import list_steps


def test_steps_are_numbered_one_by_one():
    assert [step.number for step in list_steps()] == list(range(1, len(list_steps()) + 1))
    assert all(step.name.startswith(f"{step.number:04}_") for step in list_steps())


def test_steps_only_add_unless_they_say_so():
    taking_away = re.compile(r"^\s*(DROP|DELETE|TRUNCATE|ALTER TABLE \w+ (DROP|RENAME))\b", re.MULTILINE)
    functions = re.compile(r"\$(\w*)\$.*?\$\1\$", re.DOTALL)
    taking = [step for step in list_steps() if taking_away.search(functions.sub("", step.statements))]
    assert [step.name for step in taking if not step.needs] == []


def test_no_step_names_a_schema_since_every_knowledge_base_has_its_own():
    assert [step.name for step in list_steps() if "public." in step.statements] == []
