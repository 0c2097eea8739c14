"""Settings: defaults, environment, explicit values, in that order; secrets stay hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcgraph.errors import UsageError
from arcgraph.settings import Settings, default_cache_dir


def test_defaults_hold_without_an_environment():
    settings = Settings.load({})
    assert (settings.graph.timeout, settings.ask.max_rows) == (10.0, 1_000)
    assert settings.search.embedder == "auto"


def test_the_environment_wins_over_defaults_and_explicit_values_over_both():
    environ = {"ARCGRAPH_GRAPH_TIMEOUT": "3.5", "ARCGRAPH_ASK_MAX_ROWS": "7", "ARCGRAPH_CACHE_DIR": "/elsewhere"}
    settings = Settings.load(environ, ask={"max_rows": 8})
    assert (settings.graph.timeout, settings.ask.max_rows) == (3.5, 8)
    assert settings.cache.dir == Path("/elsewhere")


def test_lists_are_comma_separated():
    settings = Settings.load({"ARCGRAPH_SEARCH_INCLUDE_LABELS": "Film, Person ,"})
    assert settings.search.include_labels == ("Film", "Person")


def test_every_bad_value_is_named_with_its_variable():
    environ = {"ARCGRAPH_GRAPH_TIMEOUT": "soon", "ARCGRAPH_ASK_MAX_HOPS": "99"}
    with pytest.raises(UsageError) as caught:
        Settings.load(environ)
    assert "ARCGRAPH_GRAPH_TIMEOUT" in str(caught.value)
    assert "ARCGRAPH_ASK_MAX_HOPS" in str(caught.value)


@pytest.mark.parametrize("parts", [{"serach": {}}, {"search": {"embeder": "none"}}])
def test_a_misspelt_setting_is_refused(parts):
    with pytest.raises(UsageError):
        Settings.load({}, **parts)


@pytest.mark.parametrize("name", ["embedder_key", "store_key", "store_url"])
def test_a_key_shows_in_no_representation(name):
    settings = Settings.load({f"ARCGRAPH_SEARCH_{name.upper()}": "hunter2"})
    assert getattr(settings.search, name).get_secret_value() == "hunter2"
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_a_bad_value_is_not_repeated_since_it_may_be_a_secret():
    with pytest.raises(UsageError) as caught:
        Settings.load({}, search={"embedder": "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_settings_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        Settings.load({}).graph.timeout = 1.0  # type: ignore[misc]


def test_the_cache_has_a_known_place(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.setattr("sys.platform", "linux")
    assert default_cache_dir() == Path("/somewhere/arcgraph")
