"""The command line's frame: exit codes, one message instead of a traceback, interruption, options, help."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest
import typer
from bolt_server import Failure, Records, bolt_server

from arcgraph import errors
from arcgraph.cli import app, main
from arcgraph.cli.common import exit_code

# What a server is asked in turn: does it answer, what is it, which procedures has it, how many nodes.
SERVER = [
    Records(["ok"], [[1]]),
    Records(["name", "version", "edition"], [["Neo4j Kernel", "5.26.0", "community"]]),
    Records(["package", "procedures"], [["apoc", 3], ["db", 9]]),
    Records(["nodes"], [[7]]),
]


@pytest.fixture(autouse=True)
def _no_server_in_the_environment(monkeypatch, tmp_path):
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE", "MEMGRAPH_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def temporary_command():
    """Adds a command to the app for one test."""

    def add(body):
        app.command("temporary")(body)

    before = list(app.registered_commands)
    yield add
    app.registered_commands[:] = before


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"arcgraph {version('arcgraph-qa')}\n"


@pytest.mark.parametrize("command", [command.name or command.callback.__name__ for command in app.registered_commands])
def test_every_command_has_help(command, capsys):
    assert main([command, "--help"]) == 0
    assert len(capsys.readouterr().out) > 100


@pytest.mark.parametrize("command", ["ask", "schema", "load", "index", "doctor"])
def test_every_command_with_a_graph_takes_the_shared_options(command):
    (registered,) = [c for c in app.registered_commands if (c.name or c.callback.__name__) == command]
    group = typer.main.get_command(app)
    options = {option for parameter in group.commands[command].params for option in parameter.opts}
    assert registered.callback.__doc__
    assert {"--database", "--timeout", "--json", "--to" if command == "load" else "--graph"} <= options


@pytest.mark.parametrize("arguments", [["nonsense"], ["doctor", "--nonsense"], ["doctor", "--timeout", "soon"], []])
def test_usage(arguments, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "Usage" in printed.out + printed.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.LoadError("x"), 2),
        (errors.StorageError("x"), 2),
        (errors.MissingExtra("x", "local"), 2),
        (errors.ConnectError("x"), 3),
        (errors.ServerGone("x"), 3),
        (errors.Refused("x", None), 1),
        (errors.QueryError("x"), 1),
        (errors.QueryTimeout("x"), 1),
    ],
)
def test_errors_are_one_message_and_a_code(error, code, temporary_command, capsys):
    def body():
        raise error

    temporary_command(body)
    assert exit_code(error) == code
    assert main(["temporary"]) == code
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"arcgraph: {error}\n")


def test_a_bug_keeps_its_traceback(temporary_command):
    def body():
        raise RuntimeError("a bug")

    temporary_command(body)
    with pytest.raises(RuntimeError, match="a bug"):
        main(["temporary"])


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, typer.Abort])
def test_an_interruption_is_clean(interruption, temporary_command, capsys):
    def body():
        raise interruption

    temporary_command(body)
    assert main(["temporary"]) == 130
    assert capsys.readouterr().err.endswith("arcgraph: interrupted\n")


def test_no_answer_is_an_exit_code_of_its_own(temporary_command):
    def body():
        raise typer.Exit(1)

    temporary_command(body)
    assert main(["temporary"]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_has_seen_enough_is_no_error():
    program = """
import sys
from arcgraph.cli import app, main

@app.command()
def lines():
    for _ in range(20000):
        print("x" * 99)

sys.exit(main(["lines"]))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as lines:
        assert lines.stdout.readline()
        lines.stdout.close()
        assert lines.stderr.read() == b""
        assert lines.wait(30) == 0


# --- doctor ------------------------------------------------------------------------------------------------------


def checks(capsys):
    report = json.loads(capsys.readouterr().out)
    return report, {check["name"]: check for check in report["checks"]}


def test_doctor_says_what_is_here_and_how_to_get_the_rest(capsys, tmp_path):
    assert main(["doctor", "--json"]) == 0
    report, found = checks(capsys)
    assert report["ok"]
    assert found["arcgraph-qa"]["detail"] == version("arcgraph-qa")
    assert found["cache"]["detail"] == str(tmp_path / "cache")
    assert found["graph"]["remedy"] == "give --graph TARGET or set NEO4J_URI"
    for name in ("static", "local", "llm", "qdrant"):
        check = found[f"extra {name}"]
        assert check["state"] == "ok" or f"arcgraph-qa[{name}]" in check["remedy"] or "3.11 to 3.13" in check["remedy"]


def test_doctor_for_people(capsys):
    assert main(["doctor"]) == 0
    assert "none was named" in capsys.readouterr().out


def test_doctor_says_which_model_answers_and_nothing_secret(capsys, monkeypatch):
    def model():
        main(["doctor", "--json"])
        report, found = checks(capsys)
        assert "hush" not in json.dumps(report)
        return found["model"]

    monkeypatch.delenv("ARCGRAPH_LLM_MODEL", raising=False)
    told = model()
    assert (told["state"], told["remedy"]) == ("optional", "set ARCGRAPH_LLM_MODEL")
    monkeypatch.setenv("ARCGRAPH_LLM_MODEL", "harbour-7b")
    monkeypatch.setenv("ARCGRAPH_LLM_URL", "http://ann:hush@localhost:9/v1")
    assert model()["detail"] == "harbour-7b at http://localhost:9/v1"
    monkeypatch.setenv("ARCGRAPH_LLM_URL", "localhost")
    assert model()["state"] == "fault"


def test_doctor_finds_a_cache_that_cannot_be_written(capsys, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "file"))
    assert main(["doctor", "--json"]) == 0
    report, found = checks(capsys)
    assert not report["ok"]
    assert "cannot be written" in found["cache"]["detail"]
    assert found["cache"]["remedy"] == "set ARCGRAPH_CACHE_DIR"


def test_doctor_reports_a_graph_that_cannot_be_reached(capsys):
    with bolt_server(login=Failure("Neo.ClientError.Security.Unauthorized", "no")) as server:
        assert main(["doctor", "--graph", server.uri, "--json"]) == 3
    report, found = checks(capsys)
    assert not report["ok"]
    assert "refused the user or the password" in found["graph"]["detail"]


def test_doctor_asks_a_server_what_it_is(capsys):
    with bolt_server(*SERVER) as server:
        assert main(["doctor", "--graph", server.uri, "--json"]) == 0
    _, found = checks(capsys)
    assert found["server"]["detail"] == "Neo4j 5.26.0 community"
    assert found["apoc"]["detail"] == "3 procedures, none of them needed"
    assert found["content"]["detail"] == "7 nodes"


def test_doctor_looks_into_a_graph_file(capsys, embedded_graph):
    embedded_graph.write("CREATE (:Person {_arc_name: 'Ada'})")
    embedded_graph.save()
    assert main(["doctor", "--graph", str(embedded_graph.path), "--json"]) == 0
    _, found = checks(capsys)
    assert found["content"]["detail"] == "1 nodes"


@pytest.mark.skipif(sys.platform == "win32", reason="a console of its own is another matter there")
def test_a_password_is_asked_for_and_never_an_argument():
    with bolt_server(*SERVER) as server:
        command = [sys.executable, "-m", "arcgraph.cli", "doctor", "--graph", server.uri, "--password", "--json"]
        # In a session of its own there is no terminal to ask on, so the answer comes from standard input.
        done = subprocess.run(
            command, input="typed\n", capture_output=True, text=True, timeout=60, check=False, start_new_session=True
        )
    assert done.returncode == 0
    assert "Password" in done.stderr
    assert "typed" not in done.stdout + done.stderr
