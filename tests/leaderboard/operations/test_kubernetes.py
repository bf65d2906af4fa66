"""The manifests of docker/kubernetes: they build, are valid, and run the processes of the compose file."""

import re
import subprocess
from functools import cache
from typing import Any

import kubernetes_validate
import pytest
import yaml

from leaderboard import __version__
from tests.paths import ROOT
from tests.services import PROGRAMS, find_program

pytestmark = pytest.mark.kubernetes
FOLDER = ROOT / "docker" / "kubernetes"
VERSIONS = ("1.30", "1.37")
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yml").read_text())["services"]
VARIABLES = set(re.findall(r"^\| `([A-Z_0-9]+)` \|", (ROOT / "README.md").read_text(), re.MULTILINE))


@cache
def manifests() -> dict[tuple[str, str], dict[str, Any]]:
    """What would be applied, by kind and name."""
    kubectl = find_program(PROGRAMS["kubernetes"])
    assert kubectl is not None
    built = subprocess.run([kubectl, "kustomize", FOLDER], capture_output=True, text=True, check=True)
    return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(built.stdout)}


def pods() -> dict[str, dict[str, Any]]:
    return {
        name: manifest["spec"]["template"]["spec"]
        for (kind, name), manifest in manifests().items()
        if kind in ("Deployment", "Job")
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_each_is_valid(version: str) -> None:
    for manifest in manifests().values():
        kubernetes_validate.validate(manifest, version, strict=True)


def test_every_file_is_named() -> None:
    named = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
    generated = {file for generator in named["configMapGenerator"] for file in generator["envs"]}
    assert {file.name for file in FOLDER.iterdir()} == {"kustomization.yaml", *named["resources"], *generated}
    assert named["images"][0]["newTag"] == __version__


def test_the_processes_are_those_of_the_compose_file() -> None:
    for name, pod in pods().items():
        assert pod["containers"][0]["command"] == COMPOSE[name]["command"], name
    assert set(COMPOSE) - set(pods()) == {"postgres", "redis", "worker-bleurt"}


def test_no_container_runs_as_root_or_writes_to_its_image() -> None:
    for name, pod in pods().items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert not pod["automountServiceAccountToken"], name
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"], name
            assert not context["allowPrivilegeEscalation"], name
            assert context["capabilities"] == {"drop": ["ALL"]}, name
            assert container["resources"]["limits"]["memory"], name


def test_limits_of_memory_are_those_that_the_documentation_states() -> None:
    text = (ROOT / "docs" / "deploy.md").read_text()
    stated = dict(re.findall(r"^\| `(web|beat|worker-\w+)` \|.*\| (\d+ [GM]iB) \|$", text, re.MULTILINE))
    assert set(stated) == {name for kind, name in manifests() if kind == "Deployment"}
    for name, limit in stated.items():
        short = limit.removesuffix("B").replace(" ", "")
        resources = pods()[name]["containers"][0]["resources"]
        assert resources["limits"]["memory"] == short, name
        assert COMPOSE[name]["mem_limit"] == short.removesuffix("i").lower(), name


def test_each_long_process_has_a_probe() -> None:
    for (kind, name), manifest in manifests().items():
        if kind == "Deployment":
            probe = manifest["spec"]["template"]["spec"]["containers"][0]["livenessProbe"]
            if "exec" in probe:
                of_compose = COMPOSE[name]["healthcheck"]["test"][-1]
                assert of_compose.startswith(probe["exec"]["command"][-1])
                assert "python" not in of_compose, "a probe starts no program of the site"
            else:
                assert probe["httpGet"]["path"] == "/healthz"


def test_the_variables_exist() -> None:
    text = (FOLDER / "configuration.env").read_text()
    secrets = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", text))
    assert len(secrets) > 5
    assert secrets | set(configuration()["data"]) <= VARIABLES | {"WEB_CONCURRENCY"}  # gunicorn's


def configuration() -> dict[str, Any]:
    [(name, made)] = [(name, manifest) for (kind, name), manifest in manifests().items() if kind == "ConfigMap"]
    assert re.fullmatch(r"manyhop-[0-9a-z]{10}", name)
    return made


def test_a_changed_configuration_restarts_the_pods() -> None:
    name = configuration()["metadata"]["name"]
    for pod in pods().values():
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            assert {"configMapRef": {"name": name}} in container["envFrom"]


def test_what_is_scaled_by_itself_states_no_number() -> None:
    for (kind, _), manifest in manifests().items():
        if kind == "HorizontalPodAutoscaler":
            assert "replicas" not in manifests()["Deployment", manifest["spec"]["scaleTargetRef"]["name"]]["spec"]


def test_selectors_find_their_pods_and_the_scaled_metric_exists() -> None:
    deployments = {name for kind, name in manifests() if kind == "Deployment"}
    for (kind, name), manifest in manifests().items():
        spec = manifest.get("spec", {})
        selector = spec.get("podSelector") or spec.get("selector")
        labels = (selector or {}).get("matchLabels", selector) or {}
        assert labels.get("app", "web") in deployments, (kind, name)
    scaler = manifests()["HorizontalPodAutoscaler", "worker-cpu"]["spec"]
    assert scaler["scaleTargetRef"]["name"] in deployments
    metric = scaler["metrics"][0]["external"]["metric"]
    described = (ROOT / "docs" / "operations.md").read_text()
    assert f"| `{metric['name']}` | `queue` |" in described
