"""docker-compose.yml holds the compose schema, pins its images and checks their health."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

COMPOSE = Path(__file__).parent.parent.parent / "docker-compose.yml"


@pytest.fixture(scope="module")
def services():
    return YAML(typ="safe").load(COMPOSE)["services"]


def check(path):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_file_holds_the_compose_schema():
    result = check(COMPOSE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_schema_finds_a_fault(tmp_path):
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(COMPOSE.read_text(encoding="utf-8").replace("healthcheck:", "healthchekc:"), encoding="utf-8")
    assert check(broken).returncode == 1


@pytest.mark.parametrize("name", ["neo4j", "memgraph", "qdrant"])
def test_each_service_is_pinned_healthy_and_local(services, name):
    service = services[name]
    image, _, tag = service["image"].rpartition(":")
    assert image
    assert tag.lstrip("v")[0].isdigit(), "a pinned tag is a version"
    assert tag.count(".") == 2
    assert service["healthcheck"]["test"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_what_could_not_be_run_is_said_where_a_user_reads_it():
    assert "checked against the compose schema, not run in CI" in COMPOSE.read_text(encoding="utf-8")
