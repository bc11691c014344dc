"""What every store of leases must do: one at a time has it, and nobody keeps it beyond its process."""

import os
import signal
import time

TAKE_AND_WAIT = """
print(service.leases.take("run", "acme"), flush=True)
sys.stdin.readline()
"""
PATIENCE = 30.0
"""Seconds until a server has seen that a process is gone."""


def test_one_at_a_time_has_it_until_it_is_given_back(service, reopen):
    other = reopen()
    assert service.leases.take("run")
    assert not service.leases.take("run")
    assert not other.leases.take("run")
    other.leases.give_back("run")
    assert not other.leases.take("run")
    service.leases.give_back("run")
    assert other.leases.take("run")


def test_tenants_and_names_do_not_meet(service):
    assert service.leases.take("run", "acme")
    assert service.leases.take("run", "other")
    assert service.leases.take("run 2", "acme")


def test_nothing_is_kept_by_an_instance_that_was_closed(service, reopen):
    other = reopen()
    assert other.leases.take("run")
    other.close()
    assert service.leases.take("run")


def test_who_is_killed_has_nothing_any_more(service, process):
    other = process(TAKE_AND_WAIT)
    assert other.stdout.readline() == "True\n"
    assert not service.leases.take("run", "acme")
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    until = time.monotonic() + PATIENCE
    while not (taken := service.leases.take("run", "acme")) and time.monotonic() < until:
        time.sleep(0.05)
    assert taken
