"""The command line as people meet it: through its real entry point, in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bolt_server import Hang, Records, bolt_server
from pages import environment

from arcgraph import connect
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.settings import Settings

SLOW = os.environ.get("ARCGRAPH_TEST_SLOW") == "1"
DESIGNER = "Who designed Kittiwake Light?"
UNKNOWN = "Who designed the Zzyzx Quandary?"
KEEPERS = "Who was the keeper of Marrow Light?"
Done = subprocess.CompletedProcess[str]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes differ there")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(cache: Path, tmp_path: Path) -> Callable[..., Done]:
    """``run("ask", …)``: one command, in an empty folder, with nothing set but what ``environ`` says."""

    def run(*arguments: str, **environ: str) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "arcgraph.cli", *arguments],
            cwd=tmp_path,
            env=environment(cache) | environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def ended(done: Done, code: int) -> Done:
    """The process, if it ended with ``code`` and without a traceback."""
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


# --- answers -------------------------------------------------------------------------------------------------------


def test_an_answer_for_people(run: Callable[..., Done]) -> None:
    printed = ended(run("ask", "--graph", "demo:", DESIGNER), 0).stdout
    assert printed.startswith("Edda Brisk (read as: ")
    assert "Edda Brisk -[DESIGNED]-> Kittiwake Light" in printed
    assert "The tower on Kittiwake Rock is the last that Edda Brisk completed." in printed
    assert ':param p0 => "Kittiwake Light";' in printed
    assert re.search(r"\nanswered, confidence [01]\.\d\d, \d+ ms, 0 model calls\n", printed)


def test_an_answer_for_programs(run: Callable[..., Done]) -> None:
    answer = json.loads(ended(run("ask", "--graph", "demo:", "--json", DESIGNER), 0).stdout)
    assert (answer["status"], answer["rows"]) == ("answered", [{"person": "Edda Brisk"}])
    assert answer["entities"][0]["id"] == "person-edda-brisk"
    assert {"witness", "citations", "queries", "confidence", "alternatives", "usage", "trace"} <= answer.keys()


def test_the_printed_cypher_runs_on_the_same_graph(run: Callable[..., Done], cache: Path) -> None:
    script = ended(run("ask", "--graph", "demo:", "--cypher", DESIGNER), 0).stdout
    with connect("demo:", settings=Settings.load({}, cache={"dir": cache})) as graph:
        answering, evidence = [graph.run(query, params) for query, params in queries_of(script)]
    assert [node.properties["name"] for node in answering.column("x")] == ["Edda Brisk"]
    assert [edge.type for edge in evidence.column("r0")] == ["DESIGNED"]


def queries_of(script: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The queries of a script with their parameters."""
    for block in script.strip().split("\n\n"):
        params = {m[1]: json.loads(m[2]) for m in re.finditer(r"^:param (\w+) => (.*);$", block, re.M)}
        yield "\n".join(line for line in block.splitlines() if not line.startswith((":param", "//"))), params


def test_limit_cuts_only_what_is_printed(run: Callable[..., Done]) -> None:
    printed = ended(run("ask", "--graph", "demo:", KEEPERS, "--limit", "1"), 0).stdout
    assert "… 1 more (--limit)" in printed
    answer = json.loads(ended(run("ask", "--graph", "demo:", KEEPERS, "--limit", "1", "--json"), 0).stdout)
    assert {row["person"] for row in answer["rows"]} == {"Wenna Tull", "Gideon Pell"}


def test_an_answer_that_was_cut_says_so(run: Callable[..., Done]) -> None:
    one_row = {"ARCGRAPH_ASK_MAX_ROWS": "1"}
    assert json.loads(ended(run("ask", "--graph", "demo:", KEEPERS, "--json", **one_row), 0).stdout)["partial"]
    assert "… cut at the row limit" in ended(run("ask", "--graph", "demo:", KEEPERS, **one_row), 0).stdout


def test_the_trace_says_what_happened(run: Callable[..., Done]) -> None:
    printed = ended(run("ask", "--graph", "demo:", DESIGNER, "--trace"), 0).stdout
    steps = re.findall(r"^ +[\d.]+ ms  (\w+: \w+)", printed, re.M)
    assert steps[:4] == ["interpret: anchors", "interpret: readings", "interpret: tables", "execute: query"]


def test_a_pipe_gets_no_colours_and_no_progress(run: Callable[..., Done], tmp_path: Path) -> None:
    done = ended(run("ask", "--graph", "demo:", DESIGNER, ARCGRAPH_CACHE_DIR=str(tmp_path / "fresh")), 0)
    assert "\x1b" not in done.stdout + done.stderr
    # A note says what would make answers better, where it is not installed.
    assert all(line.startswith("note: ") for line in done.stderr.splitlines())


# --- no answer -----------------------------------------------------------------------------------------------------


def test_no_answer_is_exit_code_1_with_what_was_tried(run: Callable[..., Done]) -> None:
    printed = ended(run("ask", "--graph", "demo:", UNKNOWN), 1).stdout
    assert printed.startswith("No answer: ")
    assert "tried: " in printed
    assert json.loads(ended(run("ask", "--graph", "demo:", UNKNOWN, "--json"), 1).stdout)["rows"] == []


def test_an_empty_graph_says_so(run: Callable[..., Done], tmp_path: Path) -> None:
    with connect(str(tmp_path / "empty.arc"), create=True):
        pass
    printed = ended(run("ask", "--graph", "empty.arc", DESIGNER), 1).stdout
    assert printed.startswith("No answer: the graph is empty: load data into it first.")


@pytest.mark.parametrize(
    ("code", "arguments", "says"),
    [
        (2, ["--graph", "none.arc", DESIGNER], "there is no graph at .*none.arc; load one: arcgraph load FILE --to"),
        (3, ["--graph", "notes.txt", DESIGNER], "notes.txt is no graph file, or a damaged one; load it anew"),
        (2, ["--graph", ".", DESIGNER], "is a folder; name a graph file in it"),
        (2, ["--graph", "demo:", " "], "the question is empty: ask something"),
        (2, ["--graph", "demo:", "why " * 12_500], "50,000 characters and the limit is 4,000"),
        (2, [DESIGNER], "no graph was named; name one: a Neo4j address .* or set NEO4J_URI"),
        (3, ["--graph", "bolt://127.0.0.1:1", DESIGNER], "no Neo4j answers at bolt://127.0.0.1:1; see that the server"),
        (3, ["--graph", "memgraph://127.0.0.1:1", DESIGNER], "no Memgraph answers at memgraph://127.0.0.1:1; see that"),
        (2, ["--graph", "gopher://x", DESIGNER], "gopher:// is no kind of address that arcgraph knows"),
        (2, ["--graph", "demo:", DESIGNER, "--limit", "0"], "--limit"),
        (2, ["--graph", "demo:", DESIGNER, "--timeout", "soon"], "--timeout"),
        (2, ["--graph", "demo:"], "QUESTION"),
    ],
)
def test_bad_input_gets_one_sentence_that_says_what_to_do(
    code: int, arguments: list[str], says: str, run: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no graph at all\n", encoding="utf-8")
    done = ended(run("ask", *arguments), code)
    assert re.search(says, done.stderr, re.S), done.stderr
    assert done.stdout == ""


def test_a_bad_setting_names_its_variable(run: Callable[..., Done]) -> None:
    assert "ARCGRAPH_ASK_MAX_HOPS" in ended(run("ask", "--graph", "demo:", "x", ARCGRAPH_ASK_MAX_HOPS="99"), 2).stderr


@pytest.mark.parametrize("command", ["schema", "index", "doctor"])
def test_every_command_says_what_is_wrong_with_a_graph(command: str, run: Callable[..., Done]) -> None:
    done = ended(run(command, "--graph", "none.arc"), 2)
    assert "there is no graph at" in done.stdout + done.stderr


def test_loading_what_is_not_there(run: Callable[..., Done], tmp_path: Path) -> None:
    assert "there is no file none.jsonl" in ended(run("load", "none.jsonl", "--to", "new.arc"), 2).stderr
    assert not (tmp_path / "new.arc").exists()


def test_a_cache_that_cannot_be_written_costs_only_a_notice(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "boats.txt").write_text("Ada Vorn|built|Amber Gull\n", encoding="utf-8")
    ended(run("load", "boats.txt", "--to", "boats.arc"), 0)
    # Permissions do not bind every user; a folder below a regular file can be made by none.
    done = ended(
        run(
            "ask", "--graph", "boats.arc", "Who built the Amber Gull?", ARCGRAPH_CACHE_DIR=str(tmp_path / "boats.txt/c")
        ),
        0,
    )
    assert done.stdout.startswith("Ada Vorn")
    assert re.search(r"note: the index cannot be written to .*boats.txt/c.*set ARCGRAPH_CACHE_DIR", done.stderr)


# --- interruption --------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def asking(cache: Path, folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A question under way, in a process group of its own as a terminal makes it."""
    # A shell that runs the tests in the background has them ignore the signal, and children inherit that.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [sys.executable, "-m", "arcgraph.cli", "ask", *arguments, DESIGNER],
        cwd=folder,
        env=environment(cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        signal.signal(signal.SIGINT, handler)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def interrupt(process: subprocess.Popen[str]) -> None:
    """Ctrl-C, and what must come of it."""
    os.killpg(process.pid, signal.SIGINT)
    printed, complaint = process.communicate(timeout=20)
    assert (process.returncode, printed, complaint) == (130, "", "arcgraph: interrupted\n")


def until(happened: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def test_ctrl_c_while_a_server_thinks(cache: Path, tmp_path: Path) -> None:
    with (
        bolt_server(Records(["ok"], [[1]]), Hang()) as server,
        asking(cache, tmp_path, "--graph", server.uri) as process,
    ):
        until(lambda: server.queries >= 2)
        interrupt(process)


def test_ctrl_c_while_the_embedded_engine_works_ends_its_process(cache: Path, tmp_path: Path) -> None:
    # A pipe as graph file: the engine's process reads it for as long as nobody writes.
    os.mkfifo(tmp_path / "slow.arc")
    writer = -1

    def is_read() -> bool:
        nonlocal writer
        with contextlib.suppress(OSError):
            writer = os.open(tmp_path / "slow.arc", os.O_WRONLY | os.O_NONBLOCK)
        return writer >= 0

    with asking(cache, tmp_path, "--graph", "slow.arc") as process:
        until(is_read)
        interrupt(process)
    # With its last reader gone the pipe is broken: nothing of arcgraph still runs.
    with pytest.raises(BrokenPipeError):
        os.write(writer, b"x")
    os.close(writer)


# --- a hub ---------------------------------------------------------------------------------------------------------

SPOKES = 1_000_000 if SLOW else 200_000


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph file with one station at which every train stops."""
    path = tmp_path_factory.mktemp("hub") / "hub.arc"
    with EmbeddedGraph(path, create=True) as graph:
        graph.prepare()
        graph.write("CREATE (h:_Arcgraph:Station {_arcgraph_id: 'hub'}) SET h._arc_name = 'Grand Junction'")
        for start in range(0, SPOKES, 50_000):
            graph.write(
                "MATCH (h:_Arcgraph {_arcgraph_id: 'hub'}) UNWIND range($start, $end) AS i "
                "CREATE (n:_Arcgraph:Train {_arcgraph_id: 't' + toString(i), _arc_name: 'Train ' + toString(i)}) "
                "CREATE (n)-[:STOPS_AT {_arcgraph_id: 'e' + toString(i)}]->(h)",
                {"start": start, "end": min(start + 50_000, SPOKES) - 1},
            )
    return path


MEASURED = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "arcgraph.cli", *sys.argv[1:]]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def ask_hub(hub: Path, cache: Path, question: str) -> tuple[dict[str, Any], float, float]:
    """The answer about the hub, seconds it took, and the most memory that one of its processes held, in MB."""
    # The index of a million names is another matter; here the station's is enough.
    environ = environment(cache) | {"ARCGRAPH_SEARCH_INCLUDE_LABELS": "Station"}
    command = [sys.executable, "-c", MEASURED, "ask", "--graph", str(hub), "--json", "--timeout", "50", question]
    began = time.monotonic()
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return json.loads(done.stdout), time.monotonic() - began, int(done.stderr.split()[-1]) / unit


def test_a_hub_is_counted(hub: Path, cache: Path) -> None:
    answer, seconds, megabytes = ask_hub(hub, cache, "How many trains stop at Grand Junction?")
    assert answer["rows"] == [{"count": SPOKES}]
    assert len(answer["citations"]) <= 60
    assert seconds < 60
    assert megabytes < 1_500


def test_what_a_hub_leads_to_is_listed(hub: Path, cache: Path) -> None:
    answer, seconds, megabytes = ask_hub(hub, cache, "Which trains stop at Grand Junction?")
    assert (answer["status"], len(answer["rows"])) == ("answered", 1_000)
    assert seconds < 60
    assert megabytes < 1_500
