import io
import json
import logging
import string
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.app.telemetry.logs import (
    JsonLines,
    Redaction,
    TextLines,
    configure_logs,
    log_fields,
    log_request,
    logger,
)
from ascertain.core.settings import TelemetrySettings

TOUCHED = ("", "ascertain", "ascertain.service", "uvicorn", "uvicorn.error", "uvicorn.access", "httpx", "httpcore")


@pytest.fixture
def lines(monkeypatch):
    """Sets logs up and reads what was written since, as objects; the loggers are as before afterwards."""
    loggers = [logging.getLogger(name) for name in TOUCHED]
    before = [(list(each.handlers), each.level, each.propagate) for each in loggers]
    stream = io.StringIO()

    def configured(**settings):
        configure_logs(TelemetrySettings(**settings), stream)
        return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]

    configured.stream = stream
    yield configured
    logging.captureWarnings(False)
    for each, (handlers, level, propagate) in zip(loggers, before, strict=True):
        each.handlers, each.propagate = handlers, propagate
        each.setLevel(level)


def test_a_request_is_one_line_with_its_route_status_and_time(lines):
    written = lines()
    with log_fields(request_id="r-1", tenant="acme"):
        log_request("GET", "/v1/documents/{id}", 200, 0.0123)
    (line,) = written()
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "message": "request",
        "logger": "ascertain.service",
        "request_id": "r-1",
        "tenant": "acme",
        "method": "GET",
        "route": "/v1/documents/{id}",
        "status": 200,
        "seconds": 0.0123,
    }


def test_a_failure_of_the_server_is_an_error(lines):
    written = lines()
    log_request("POST", "/v1/ask", 503, 0.1)
    assert written()[0]["level"] == "error"


def test_fields_end_with_what_they_were_for(lines):
    written = lines()
    with log_fields(request_id="r-1"), log_fields(tenant="acme"):
        logger.info("inside")
    logger.info("outside")
    inside, outside = written()
    assert (inside["request_id"], inside["tenant"]) == ("r-1", "acme")
    assert not {"request_id", "tenant"} & outside.keys()


def test_only_known_fields_are_written(lines):
    written = lines()
    logger.info("question answered", extra={"seconds": 0.2, "question": "who earns what?", "text": "Ada earns 9"})
    (line,) = written()
    assert line["seconds"] == 0.2
    assert not {"question", "text"} & line.keys()


def test_an_exception_is_its_type_and_its_way_without_its_words(lines):
    written = lines()
    try:
        int("who earns what?")
    except ValueError:
        logger.exception("the question failed")
    (line,) = written()
    assert (line["message"], line["error"]) == ("the question failed", "ValueError")
    assert "test_logs.py" in line["at"]
    assert "earns" not in json.dumps(line)


def test_an_exception_with_a_cause_leads_to_the_cause(lines):
    def failing():
        return {}["who earns what?"]

    written = lines()
    try:
        try:
            failing()
        except KeyError as error:
            raise RuntimeError from error
    except RuntimeError:
        logger.exception("the question failed")
    (line,) = written()
    assert line["error"] == "RuntimeError from KeyError"
    assert line["at"].partition(" < ")[0].endswith(" failing")


def test_a_group_of_exceptions_leads_to_the_first_in_it(lines):
    written = lines()
    group = ExceptionGroup("unhandled errors in a TaskGroup", [ExceptionGroup("more", [KeyError("hunter2")])])
    logger.error("the stream failed", exc_info=group)
    (line,) = written()
    assert line["error"] == "ExceptionGroup of ExceptionGroup of KeyError"
    assert "hunter2" not in str(line)


@pytest.mark.parametrize(
    ("name", "template", "filled", "told"),
    [
        (
            "uvicorn.error",
            "Uvicorn running on %s",
            ("http://127.0.0.1:8000",),
            "Uvicorn running on http://127.0.0.1:8000",
        ),
        ("ascertain.stores", "building the vector graph of %d chunks", (7,), "building the vector graph of 7 chunks"),
        ("openai", "refused: %s", ("who earns what?",), "test_logs:{}: refused: %s"),
        ("openai", "refused: who earns what?", (), "test_logs:{}"),
    ],
)
def test_other_libraries_are_told_without_what_they_were_given(name, template, filled, told, lines):
    written = lines()
    logging.getLogger(name).warning(template, *filled)
    (line,) = written()
    number = line["message"].split(":")[1] if line["message"].startswith("test_logs") else ""
    assert line["message"] == told.format(number)
    assert line["logger"] == name


def test_libraries_that_write_addresses_with_queries_are_silent(lines):
    written = lines()
    logging.getLogger("httpx").info("HTTP Request: GET https://x.org?q=%s", "ether")
    logging.getLogger("uvicorn.access").info('%s - "%s %s HTTP/%s" %d', "::1", "GET", "/v1/search?q=x", "1.1", 200)
    assert written() == []


def test_uvicorns_own_handlers_do_not_write_a_second_line(lines):
    logging.getLogger("uvicorn.error").addHandler(logging.StreamHandler())
    written = lines()
    logging.getLogger("uvicorn.error").info("Started server process")
    assert len(written()) == 1


def test_warnings_of_python_become_lines(lines):
    written = lines()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("of who earns what", UserWarning, stacklevel=1)
    assert written()[0]["logger"] == "py.warnings"
    assert "earns" not in json.dumps(written())


def test_the_level_is_that_of_the_settings(lines):
    written = lines(log_level="error")
    logger.warning("not told")
    logging.getLogger("openai").warning("not told")
    logger.error("told")
    assert [line["message"] for line in written()] == ["told"]


def test_debug_lines_of_this_program_only(lines):
    written = lines(log_level="debug")
    logger.debug("told")
    logging.getLogger("openai").debug("not told")
    assert [line["message"] for line in written()] == ["told"]


def test_text_has_the_same_in_one_line(lines):
    lines(log_format="text")
    with log_fields(request_id="r-1"):
        log_request("GET", "/healthz", 200, 0.001)
    text = lines.stream.getvalue()
    assert text.endswith(" INFO request request_id=r-1 method=GET route=/healthz status=200 seconds=0.001\n")


def test_secrets_of_the_environment_are_replaced_everywhere(lines, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "8f14e45fceea")
    written = lines()
    with log_fields(request_id="8f14e45fceea"):
        logger.info("Tavily refused %s", "8f14e45fceea")
    assert "8f14e45fceea" not in json.dumps(written())


PRINTED = st.text(min_size=1, max_size=200)
SECRET = st.text(string.ascii_letters + string.digits, min_size=10, max_size=40)


def record(message, *filled, **fields):
    made = logging.LogRecord("ascertain.x", logging.INFO, __file__, 1, message, filled, None)
    vars(made).update(fields)
    return made


@given(text=PRINTED, secret=SECRET, field=PRINTED)
def test_any_text_is_one_line_and_holds_no_secret(text, secret, field):
    redaction = Redaction.of({"A_KEY": secret})
    for form in (JsonLines(redaction), TextLines(redaction)):
        line = form.format(record("%s and %s", text, f"{text}{secret}", request_id=f"{field}{secret}"))
        assert len(line.splitlines()) == 1
        assert secret not in line.replace("***", " ")


@given(text=PRINTED)
def test_json_gives_back_what_was_logged(text):
    line = json.loads(JsonLines(Redaction()).format(record("%s", "done", request_id=text)))
    assert line["request_id"] == Redaction()(text)
