"""Nothing of one tenant is visible to another, whatever they call their things."""

from itertools import count

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from service_nouns import NOON, a_cached_answer, a_given_answer, a_job, events, later, tenants, texts

from ascertain.core.service.service import JobState
from ascertain.stores.ports.service import FetchState

_numbers = count()
ACTIONS = st.sampled_from(("job", "cancel", "file", "delete", "answer", "judge", "cache", "clear", "events", "fetch"))


class Expected:
    """What one tenant should see: what it wrote itself and did not remove."""

    def __init__(self, service, tenant):
        self.service, self.tenant = service, tenant
        self.jobs, self.files, self.answers, self.cached, self.logs, self.fetches = ({} for _ in range(6))

    def act(self, action, name, number):
        """One action, and what it changes for this tenant."""
        service, tenant, mark = self.service, self.tenant, f"{self.tenant!r} {number}"
        match action:
            case "job":
                service.jobs.add(a_job(name, what=mark, tenant=tenant))
                self.jobs.setdefault(name, (mark, JobState.QUEUED))
            case "cancel":
                is_open = self.jobs.get(name, ("", JobState.CANCELLED))[1] is JobState.QUEUED
                assert service.jobs.cancel(name, NOON, tenant) == is_open
                if is_open:
                    self.jobs[name] = (self.jobs[name][0], JobState.CANCELLED)
            case "file":
                service.files.put(name, mark, [mark.encode("utf-8", "surrogatepass")], NOON, tenant)
                self.files[name] = mark
            case "delete":
                assert service.files.delete(name, tenant) == (self.files.pop(name, None) is not None)
            case "answer":
                service.feedback.note(a_given_answer(name, question=mark, tenant=tenant))
                self.answers.setdefault(name, (mark, None))
            case "judge":
                judged = service.feedback.judge(name, "up", mark, later(seconds=number), tenant)
                assert (judged is not None) == (name in self.answers)
                if judged:
                    self.answers[name] = (self.answers[name][0], mark)
            case "cache":
                service.answers.put(a_cached_answer(name, corpus=mark, tenant=tenant), 100)
                self.cached[name] = mark
            case "clear":
                assert service.answers.clear(tenant) == len(self.cached)
                self.cached.clear()
            case "events":
                log = self.logs.setdefault(name, [])
                log.append(len(log) + 1)
                service.events.append(name, events(len(log)), NOON, tenant)
            case "fetch":
                service.fetches.put(FetchState(name, NOON, mark), tenant)
                self.fetches[name] = mark

    def check(self, names):
        """The lists, and each of the names."""
        service, tenant = self.service, self.tenant
        assert {job.id: (job.what, job.state) for job in service.jobs.jobs(tenant)} == self.jobs
        assert {file.id: file.name for file in service.files.files(tenant)} == self.files
        judged = {answer.answer_id: answer.comment for answer in service.feedback.judged(tenant)}
        assert judged == {name: mark for name, (_, mark) in self.answers.items() if mark is not None}
        for name in names:
            self._check_name(name)

    def _check_name(self, name):
        service, tenant = self.service, self.tenant
        job, file = service.jobs.get(name, tenant), service.files.get(name, tenant)
        assert (job and (job.what, job.state)) == self.jobs.get(name)
        assert (file and file.name) == self.files.get(name)
        if file:
            with service.files.open(name, tenant) as path:
                assert path.read_bytes().decode("utf-8", "surrogatepass") == self.files[name]
        answer = service.feedback.get(name, tenant)
        assert (answer and answer.question) == self.answers.get(name, (None, None))[0]
        cached = service.answers.get("scope", name, tenant)
        assert (cached and cached.corpus) == self.cached.get(name)
        logged = service.events.after(name, 0, tenant)
        assert (logged and [event.number for event in logged]) == self.logs.get(name)
        state = service.fetches.get(name, tenant)
        assert (state and state.etag) == self.fetches.get(name)


@hypothesis_settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    actions=st.lists(st.tuples(ACTIONS, st.integers(0, 3), tenants), max_size=25),
    names=st.lists(texts, min_size=4, max_size=4, unique=True),
)
def test_each_sees_its_own_and_nothing_else(service, actions, names):
    # Examples share a knowledge base, so the tenants of each are new ones.
    prefix = f"{next(_numbers)}:"
    expected = {}
    for number, (action, place, name) in enumerate(actions, 1):
        tenant = prefix + name
        seen = expected.setdefault(tenant, Expected(service, tenant))
        seen.act(action, names[place], number)
    for seen in expected.values():
        seen.check(names)
    Expected(service, prefix + "a stranger").check(names)
