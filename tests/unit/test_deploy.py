"""What deploy/ tells servers to run is what the program understands."""

import json
import re
import shlex
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from ascertain.core.settings import ServerSettings, load_settings
from ascertain.interfaces.cli.application import app
from ascertain.interfaces.server.application import CLOSING_SECONDS
from ascertain.interfaces.server.routes import health

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
MANIFESTS = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
IMAGE = "ascertain:0.1.0"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def dockerfile():
    """The instructions of the Dockerfile in order: name and arguments, comments left out and lines joined."""
    lines = [line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(name, " ".join(rest.split())) for name, _, rest in (line.partition(" ") for line in joined.splitlines())]


def instruction(name):
    """The arguments of the last instruction of this name, which is the one that holds."""
    return next(arguments for each, arguments in reversed(dockerfile()) if each == name)


def objects(kind=None):
    every = [each for path in MANIFESTS for each in yaml.safe_load_all(path.read_text())]
    return [each for each in every if kind in {None, each["kind"]}]


def pods(node):
    """Every pod specification inside ``node``."""
    if isinstance(node, dict):
        if "containers" in node:
            yield node
        for value in node.values():
            yield from pods(value)
    elif isinstance(node, list):
        for value in node:
            yield from pods(value)


def containers():
    return [container for pod in pods(objects()) for container in pod["containers"]]


def commands():
    """Arguments of every call of ``ascertain``."""
    assert json.loads(instruction("ENTRYPOINT")) == ["ascertain"]
    services = [each["command"] for each in COMPOSE["services"].values() if each["image"] == IMAGE]
    services.append(json.loads(instruction("CMD")))
    in_pods = [each["args"] for each in containers() if each["image"] == IMAGE and "args" in each]
    entries = [shlex.split(each["spec"]["entrypoint"]) for each in objects("RayJob")]
    assert all(entry[0] == "ascertain" for entry in entries)
    return services + in_pods + [entry[1:] for entry in entries]


def parsed(arguments):
    """The command that ``arguments`` name, with its options checked and nothing run."""
    command, context = get_command(app), None
    while True:
        context = command.make_context(command.name, list(arguments), parent=context)
        if not hasattr(command, "resolve_command"):
            return context
        rest = [*context._protected_args, *context.args]
        _, command, arguments = command.resolve_command(context, rest)


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_every_command_is_one_of_the_program(arguments):
    assert parsed(arguments).params


def test_a_wrong_command_would_be_noticed():
    with pytest.raises(Exception, match="creat"):
        parsed(["db", "creat"])
    with pytest.raises(Exception, match="engin"):
        parsed(["add", "/documents", "--engin", "ray"])


def test_every_setting_is_one_of_the_program(tmp_path):
    maps = [each["data"] for each in objects("ConfigMap")]
    services = [each["environment"] for each in COMPOSE["services"].values() if each["image"] == IMAGE]
    in_pods = [
        {variable["name"]: variable.get("value", "set") for variable in container["env"]}
        for container in containers()
        if container["image"] == IMAGE and "env" in container
    ]
    image = dict(re.findall(r"\b(ASCERTAIN_\w+)=(\S+)", (DEPLOY / "Dockerfile").read_text()))
    for environ in [*maps, *services, *in_pods, image]:
        assert any(name.startswith("ASCERTAIN_") for name in environ)
        load_settings(home=tmp_path, environ=environ, arguments={})
    for environ in [*maps, *services]:
        settings = load_settings(home=tmp_path, environ=environ, arguments={}).settings
        assert settings.store.is_shared
    assert load_settings(environ=image, arguments={}).settings.home == Path("/var/lib/ascertain")


def test_probes_ask_for_paths_that_are_there():
    service = {route.path for route in health.health_router.routes}
    asked = re.findall(r"http://127\.0\.0\.1:8080(/[\w/]+)", (DEPLOY / "compose.yaml").read_text())
    asked += re.findall(r"http://127\.0\.0\.1:8080(/[\w/]+)", instruction("HEALTHCHECK"))
    assert len(asked) == 2
    for container in containers():
        probes = [container.get(f"{kind}Probe", {}).get("httpGet") for kind in ("startup", "readiness", "liveness")]
        asked += [probe["path"] for probe in probes if probe]
    annotations = [each["spec"]["template"]["metadata"].get("annotations", {}) for each in objects("Deployment")]
    asked += [each["prometheus.io/path"] for each in annotations if each]
    assert set(asked) == {"/healthz", "/readyz", "/metrics"}
    assert set(asked) <= service


def test_the_service_has_the_time_it_takes_to_end():
    takes = ServerSettings().drain_seconds + CLOSING_SECONDS
    assert int(COMPOSE["services"]["api"]["stop_grace_period"].removesuffix("s")) > takes
    api = next(each for each in objects("Deployment") if each["metadata"]["name"] == "ascertain-api")
    pod = api["spec"]["template"]["spec"]
    pause = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > pause + takes


def test_all_parts_run_one_image_of_this_version():
    project = (ROOT / "pyproject.toml").read_text()
    assert "ascertain:" + re.search(r'^version = "(.+)"', project, re.M)[1] == IMAGE
    images = {each["image"].partition("@")[0] for each in [*COMPOSE["services"].values(), *containers()]}
    assert images == {IMAGE, "pgvector/pgvector:pg18", "caddy:2", "ollama/ollama:latest"}
    pinned = re.search(r"^for image in (.+); do$", (DEPLOY / "pin_images").read_text(), re.M)[1].split()
    assert set(pinned) == images - {IMAGE} | {"python:3.11-slim"}


def test_the_ray_of_the_manifests_is_the_ray_of_the_image():
    locked = re.search(r"^ray==(\S+)", (ROOT / "requirements" / "servers.txt").read_text(), re.M)[1]
    assert {each["spec"]["rayClusterSpec"]["rayVersion"] for each in objects("RayJob")} == {locked}


def test_the_image_has_the_versions_that_are_tested():
    def pins(name):
        text = (ROOT / "requirements" / name).read_text()
        return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.M))

    image, tested = pins("servers.txt"), pins("bench.txt")
    assert pins("plain.txt").items() <= image.items()
    assert {name: version for name, version in image.items() if tested.get(name, version) != version} == {}


def test_what_is_copied_into_the_image_is_there_and_let_through():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    let_through = [line[1:] for line in ignored if line.startswith("!")]
    copied = [arguments.split()[:-1] for name, arguments in dockerfile() if name == "COPY"]
    sources = [each for sources in copied if not sources[0].startswith("--from=") for each in sources]
    assert {"pyproject.toml", "src"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(fnmatch(source, pattern) for pattern in let_through), source
    assert set(let_through) == set(sources)


def test_the_extras_of_the_image_exist_and_are_locked():
    default = next(each for name, each in dockerfile() if name == "ARG" and each.startswith("EXTRAS="))
    named = [default, *re.findall(r"EXTRAS: \$\{(EXTRAS:-[\w,]+)\}", (DEPLOY / "compose.yaml").read_text())]
    named += re.findall(r"^EXTRAS=[\w,]+", (DEPLOY / ".env.example").read_text(), re.M)
    named += re.findall(r"\bEXTRAS=[\w,]+", (DEPLOY / "README.md").read_text())
    extras = {extra for each in named for extra in re.split("[=,-]", each)[1:] if extra}
    assert {"all", "postgres", "ray"} <= extras <= PROJECT["optional-dependencies"].keys()
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements" / "servers.txt").read_text(), re.M))
    assert requirements_of("all", "postgres", "ray") <= locked


def requirements_of(*extras):
    """The packages that extras ask for, those of the extras that they name among them."""
    every = PROJECT["optional-dependencies"]
    found = set()
    for requirement in [each for extra in extras for each in every[extra]]:
        own = re.fullmatch(r"ascertain\[(.+)\]", requirement)
        name = re.match(r"[\w.-]+", requirement)[0]
        found |= requirements_of(*own[1].split(",")) if own else {re.sub("[-_.]+", "-", name).lower()}
    return found


def test_one_container_keeps_its_home_in_the_volume_and_answers_on_its_port():
    home = re.search(r"ASCERTAIN_HOME=(\S+)", instruction("ENV"))[1]
    assert home == instruction("VOLUME") == instruction("WORKDIR")
    port = instruction("EXPOSE")
    started = parsed(json.loads(instruction("CMD")))
    assert started.params["host"] == "0.0.0.0"
    assert str(started.params["port"]) == port
    assert started.params["first_key"]
    readme = (DEPLOY / "README.md").read_text()
    line = re.search(r"^docker run .*--publish (\S+) --volume (\S+).* (\S+)$", readme, re.M)
    assert line.groups() == (f"127.0.0.1:{port}:{port}", f"ascertain:{home}", IMAGE)


def test_the_variables_of_the_compose_file_are_in_its_example():
    used = set(re.findall(r"\$\{(\w+)", (DEPLOY / "compose.yaml").read_text()))
    assert used == set(re.findall(r"^(\w+)=", (DEPLOY / ".env.example").read_text(), re.M))


def test_the_proxy_leads_to_the_service():
    proxy = COMPOSE["services"]["proxy"]
    assert f"{proxy['volumes'][0].partition(':')[0]}" == "./Caddyfile"
    caddyfile = (DEPLOY / "Caddyfile").read_text()
    upstream, port = re.search(r"dynamic a \{\$UPSTREAM:(\w+)\} (\d+)", caddyfile).groups()
    api = COMPOSE["services"][upstream]
    assert set(proxy["networks"]) <= set(api["networks"])
    assert parsed(api["command"]).params["port"] == int(port)


def test_what_the_manifests_refer_to_is_there():
    known = {(each["kind"], each["metadata"].get("name")) for each in objects()}
    for container in containers():
        for source in container.get("envFrom", []):
            assert ("ConfigMap", source["configMapRef"]["name"]) in known
        for variable in container.get("env", []):
            reference = variable.get("valueFrom", {}).get("secretKeyRef")
            if reference:
                assert ("Secret", reference["name"]) in known
                assert any(reference["key"] in each["stringData"] for each in objects("Secret"))
    for pod in pods(objects()):
        volumes = {volume["name"] for volume in pod.get("volumes", [])} | {"data"}
        for volume in pod.get("volumes", []):
            if "persistentVolumeClaim" in volume:
                assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in known
        for container in pod["containers"]:
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
    scaled = objects("HorizontalPodAutoscaler")[0]["spec"]["scaleTargetRef"]
    assert (scaled["kind"], scaled["name"]) in known


def test_services_and_budgets_select_pods_that_exist():
    labels = [
        template["metadata"]["labels"]
        for each in objects()
        for template in [each.get("spec", {}).get("template")]
        if template
    ]
    selectors = [each["spec"]["selector"] for each in objects("Service")]
    selectors += [each["spec"]["selector"]["matchLabels"] for each in objects("PodDisruptionBudget")]
    for selector in selectors:
        assert sum(selector.items() <= each.items() for each in labels) == 1


def test_nothing_runs_as_root_and_everything_says_what_it_needs():
    for each in objects():
        in_namespace = each["metadata"].get("namespace") == "ascertain"
        assert in_namespace or each["kind"] == "Namespace"
    for pod in pods(objects()):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]
    assert instruction("USER") == "10001:10001"


def test_no_secret_is_kept_in_the_files():
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            assert not re.search(r"://[^/\s:@]+:[^$@\s]+@", path.read_text()), path
    assert [each["stringData"]["store-key"] for each in objects("Secret")] == ["REPLACE-ME"]
