"""Every text task with every protocol and every behaviour, over HTTP, gets exactly the numbers that arithmetic says.

A cell of the table is a behaviour's numbers at one stage: written, read, consistent, changed, all three. ``1`` and
``0`` are the share of all texts, ``-`` is null for all of them. Worked out by hand, from what the behaviour is:

- *wrong* writes one too many (a dual text two), or what is not so, and never tells the truth: of a false statement it
  says yes, which is what was asked for;
- *consistent* writes the same, and says what it was asked for whatever it wrote, or where nothing was, one thing;
- *inconsistent* writes rightly, first says what is not so, and then something else (yes after no);
- *unparsable* writes rightly, and says nothing that can be read;
- *third*: every third call fails. Of six texts the third and the sixth are missing; of the questions about the others
  that about the fourth; at the third stage the second one (call 12), and of a dual text's question the first (15).
  What is then left of six texts stands there as a number; all that is left is right.

*slow* is as perfect after a second try; *talkative* is perfect in the manners of chat models, each in turn (preambles,
postscripts, thinking, bold, boxes, lists);  who is *too slow* or *refuses* has nothing but nulls, for every text.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from selfknow.builders.self_knowledge.benchmark import benchmark_rows
from selfknow.builders.self_knowledge.sources import benchmark_questions
from selfknow.evaluate.connection import connect, find_query
from selfknow.evaluate.score import score_run
from selfknow.models import endpoint_calls
from selfknow.models.endpoint import Endpoint, EndpointModel
from selfknow.sql.queries import run_query
from tests.self_knowledge.asking import ask_texts
from tests.self_knowledge.manners import READINGS, WRITINGS
from tests.self_knowledge.scripted import rows
from tests.self_knowledge.scripted_server import BEHAVIOURS, PATIENCE_SECONDS, Cell, serve

TEXTS, TEXTS_OF_THIRD, THIRD = 2, 6, "failing every third call"
COLUMNS = ("perfect", "always wrong", "consistent but wrong", "inconsistent", "unparsable", "failing every third call")
NULL = "-----"
TABLE = """
separate       counted   verify         111-1  000-0  001-0  100-0  1----  433-3
separate       yes-no    verify         111-1  001-0  001-0  100-0  1----  433-3
separate       arxiv     verify         1-1--  0-0--  0-1--  1-0--  1----  4-3--
separate       unknown   verify         --1--  --0--  --1--  --0--  -----  --3--
dual           counted   verify         111-1  000-0  001-0  100-0  1----  433-3
dual           counted   verify-dual    111-1  000-0  001-0  100-0  1----  321-1
dual           yes-no    verify         111-1  001-0  001-0  100-0  1----  433-3
dual           yes-no    verify-dual    111-1  101-0  101-0  110-0  1----  321-1
dual           open      verify         -1---  -0---  -0---  -0---  -----  -3---
dual           open      verify-dual    111-1  000-0  001-0  100-0  1----  321-1
consistency    counted   verify         111-1  000-0  001-0  100-0  1----  433-3
consistency    counted   verify-kept    111-1  000-0  001-0  100-0  1----  432-2
consistency    yes-no    verify         111-1  001-0  001-0  100-0  1----  433-3
consistency    yes-no    verify-kept    111-1  001-0  001-0  110-0  1----  432-2
consistency    open      verify         -1---  -0---  -0---  -0---  -----  -3---
consistency    open      verify-kept    -11--  -00--  -01--  -00--  -----  -32--
inconsistency  counted   verify         111-1  000-0  001-0  100-0  1----  433-3
inconsistency  counted   verify-broken  11-1-  00-1-  00-0-  10-1-  1----  43-3-
inconsistency  yes-no    verify         111-1  001-0  001-0  100-0  1----  433-3
inconsistency  yes-no    verify-broken  11-1-  00-0-  00-0-  10-0-  1----  43-3-
inconsistency  one-more  verify         111-1  001-0  001-0  100-0  1----  433-3
inconsistency  one-more  verify-broken  11-1-  00-1-  01-0-  10-0-  1----  43-3-
inconsistency  unknown   verify         --1--  --0--  --1--  --0--  -----  --3--
inconsistency  unknown   verify-broken  ---1-  ---0-  ---0-  ---0-  -----  ---3-
inconsistency  open      verify         -1---  -0---  -0---  -0---  -----  -3---
inconsistency  open      verify-broken  -1-1-  -0-1-  -0-0-  -0-1-  -----  -3-2-
inconsistency  word      verify         -1---  -0---  -0---  -0---  -----  -3---
inconsistency  word      verify-broken  -111-  -001-  -000-  -001-  -----  -332-
"""
KINDS = {
    "counted": ("total-count", "designated-count", "code"),
    "yes-no": ("fact", "math", "theorem", "specific-mention", "sentiment"),
    "arxiv": ("arxiv",),
    "unknown": ("benchmark", "sports-statistics"),
}
# In each protocol the tasks that have a part for it, by the row of the table that is theirs.
TASKS: dict[str, dict[str, tuple[str, ...]]] = {
    "separate": KINDS,
    "in-context": KINDS,
    "in-context-noise": KINDS,
    "dual": {"counted": KINDS["counted"], "yes-no": ("fact", "math"), "open": ("grammar",)},
    "consistency": {
        "counted": KINDS["counted"],
        "yes-no": ("specific-mention", "sentiment"),
        "open": ("grammar", "add-first-word", "delete-first-word"),
    },
    "inconsistency": {
        "counted": KINDS["counted"],
        "yes-no": ("fact", "math", "theorem"),
        "one-more": ("specific-mention", "sentiment"),  # what was one too many is right for the altered question
        "unknown": ("sports-statistics",),
        "open": ("grammar",),
        "word": ("change-word",),
    },
}
CELLS = [(protocol, kind, task) for protocol, kinds in TASKS.items() for kind, tasks in kinds.items() for task in tasks]
CellName = tuple[str, str, str]


# Protocols and kinds of which the first task runs in `make test`; all others run in the full suite.
REPRESENTATIVE = {
    "separate": tuple(KINDS),
    "in-context-noise": ("counted",),
    "dual": ("counted",),
    "consistency": ("open",),
    "inconsistency": ("one-more", "word"),
}


def representative(cells: list[CellName]) -> list[CellName]:
    """Return the first task of each representative kind."""
    first = {cell[:2]: cell for cell in reversed(cells)}
    return [cell for (protocol, kind), cell in first.items() if kind in REPRESENTATIVE.get(protocol, ())]


def expected(protocol: str, kind: str) -> dict[tuple[str, str], str]:
    """Return what the table says, by stage and behaviour."""
    protocol = "separate" if protocol.startswith("in-context") else protocol
    results = {}
    for row in (line.split() for line in TABLE.strip().splitlines()):
        if row[:2] == [protocol, kind]:
            cells = dict(zip(COLUMNS, row[3:], strict=True))
            cells |= {"slow": cells["perfect"], "talkative": cells["perfect"], "too slow": NULL, "refusing": NULL}
            results |= {(row[2], behaviour): cells[behaviour] for behaviour in BEHAVIOURS}
    return results


def digits(values: list[tuple[int, float | None]], n: int, *, count: bool) -> str:
    """Numbers as the table has them: of (graded, mean) the share of all n, or how many are graded (and right)."""
    text = ""
    for graded, mean in values:
        assert graded in (0, n) or count, values
        assert mean in (None, 0.0, 1.0), values
        text += "-" if not graded else str(graded if count and mean == 1.0 else int(mean or 0))
    return text


class Laboratory:
    """The served cells, and the runs that ask them."""

    def __init__(self, folder: Path, address: str, cells: dict[str, Cell]) -> None:
        self.folder, self.address, self.cells = folder, address, cells

    def model(self, task: str, protocol: str, behaviour: str, limit: int) -> EndpointModel:
        """Return a model of one behaviour, which is told what it may be asked."""
        name, third = f"{task}/{protocol}/{behaviour}", behaviour == THIRD
        if name not in self.cells:
            inputs = (
                benchmark_rows(benchmark_questions(), "computer science").to_pylist() if task == "benchmark" else []
            )
            listed = [
                [row for row in some if row["style"] == "plain"][:limit] for some in (rows(task).values(), inputs)
            ]
            self.cells[name] = Cell(behaviour, listed[0], protocol, listed[1])
        where = Endpoint(
            *(self.address, name),
            concurrency=1 if third else 8,
            tries=1 if third or behaviour == "too slow" else 10,
            timeout_seconds=PATIENCE_SECONDS if "slow" in behaviour else 60.0,
        )
        return EndpointModel(where)

    def evaluate(self, protocol: str, task: str, behaviours: tuple[str, ...], limit: int, **options: Any) -> Path:
        """One run: a task with a protocol, and models that write."""
        folder = self.folder / f"{task}-{protocol}-{len(behaviours)}-{len(options)}"
        models = [self.model(task, protocol, behaviour, limit) for behaviour in behaviours]
        inputs = benchmark_rows(benchmark_questions(), "computer science") if task == "benchmark" else None
        ask_texts(
            *(folder, task, models, models if options else None),
            protocol=protocol,
            limit=limit,
            own_questions=inputs if protocol == "separate" else None,
        )
        return folder

    def both(self, protocol: str, task: str) -> list[Path]:
        """Return the runs of a cell of all behaviours: every third call fails in one of its own."""
        return [
            self.evaluate(protocol, task, BEHAVIOURS[:-1], TEXTS),
            self.evaluate(protocol, task, (THIRD,), TEXTS_OF_THIRD),
        ]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory, shared_decider: None, cpython: None) -> Iterator[Laboratory]:
    cells: dict[str, Cell] = {}
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(endpoint_calls.Calls, "_wait_seconds", lambda *_: 0.01)
        address = stack.enter_context(serve(cells))
        yield Laboratory(tmp_path_factory.mktemp("laboratory"), address, cells)


@pytest.fixture(scope="module")
def chosen(full_suite: bool) -> Callable[[list[CellName]], list[CellName]]:
    """Return the cells that this run of the tests asks."""
    return list if full_suite else representative


@pytest.fixture(scope="module")
def runs(
    laboratory: Laboratory, chosen: Callable[[list[CellName]], list[CellName]]
) -> Iterator[dict[tuple[str, str], "Future[list[Path]]"]]:
    """Yield all cells, asked side by side: most of their time is waiting for who is slow."""
    with ThreadPoolExecutor(16) as pool:
        yield {(protocol, task): pool.submit(laboratory.both, protocol, task) for protocol, _, task in chosen(CELLS)}


NUMBERS = ("generation_correct", "verification_correct", "self_consistent", "answer_changed", "all_correct")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def answers(runs: dict[tuple[str, str], "Future[list[Path]]"]) -> Callable[[str], tuple[Rows, Rows, Rows]]:
    """Return SQL's rows on all runs of a protocol: numbers, reasons and shares that could be read."""

    @cache
    def of(protocol: str) -> tuple[Rows, Rows, Rows]:
        result = [future for (name, _), future in runs.items() if name == protocol and future.exception() is None]
        folders = [folder for future in result for folder in future.result()]
        for folder in folders:
            assert all(row["value"] is not None or row["reason"] for row in score_run(folder).to_pylist())
        aggregates = ", ".join(f"count({name}) as n_{name}, avg({name}) as {name}" for name in NUMBERS)
        keys = "select task, split_part(generator, '/', -1) as behaviour"
        with connect(folders) as connection:
            return (
                connection.rows(f"{keys}, stage, count(*) as n, {aggregates} from self_knowledge_replies group by all"),
                connection.rows(f"{keys}, reason from ({find_query('self_knowledge_unparsed').sql}) group by all"),
                connection.rows(f"{keys}, avg(reply_parsed) as share from self_knowledge_replies group by all"),
            )

    return of


@pytest.mark.parametrize(
    ("protocol", "kind", "task"),
    [pytest.param(*cell, marks=[] if cell in representative(CELLS) else pytest.mark.full) for cell in CELLS],
)
def test_every_behaviour_gets_its_numbers(
    runs: dict[tuple[str, str], "Future[list[Path]]"],
    answers: Callable[[str], tuple[Rows, Rows, Rows]],
    protocol: str,
    kind: str,
    task: str,
) -> None:
    runs[protocol, task].result()
    numbers, unparsed, parsed = ([row for row in rows if row["task"] == task] for rows in answers(protocol))
    measured = {}
    for row in numbers:
        third = row["behaviour"] == THIRD
        assert row["n"] == (TEXTS_OF_THIRD if third else TEXTS), "every text is in every denominator"
        values = [(row[f"n_{name}"], row[name]) for name in NUMBERS]
        measured[row["stage"], row["behaviour"]] = digits(values, row["n"], count=third)
    assert measured == expected(protocol, kind)
    reasons = {
        behaviour: {row["reason"] for row in unparsed if row["behaviour"] == behaviour} for behaviour in BEHAVIOURS
    }
    assert reasons["refusing"] == {"not asked: refusal"}
    assert reasons["too slow"] == {"not asked: the request failed: no answer in time"}
    shares = {row["behaviour"]: row["share"] for row in parsed}
    nothing = {"refusing": None, "too slow": None, "unparsable": 0.0}
    assert shares == {behaviour: nothing.get(behaviour, 1.0) for behaviour in BEHAVIOURS}


MADE_GOOD = ("separate", "inconsistency")  # between them they have every stage but those of dual texts


@pytest.mark.parametrize(
    "protocol", [pytest.param(name, marks=[] if name in MADE_GOOD else pytest.mark.full) for name in TASKS]
)
def test_what_failed_is_made_good_by_running_again(
    laboratory: Laboratory,
    runs: dict[tuple[str, str], "Future[list[Path]]"],
    answers: Callable[[str], tuple[Rows, Rows, Rows]],
    chosen: Callable[[list[CellName]], list[CellName]],
    protocol: str,
) -> None:
    answers(protocol)  # what they say before is tested above
    kinds = {task: kind for name, kind, task in chosen(CELLS) if name == protocol}
    folders = []
    for task in kinds:
        runs[protocol, task].result()
        laboratory.cells[f"{task}/{protocol}/{THIRD}"].repaired = True
        folders.append(laboratory.evaluate(protocol, task, (THIRD,), TEXTS_OF_THIRD))
        score_run(folders[-1])
    aggregates = ", ".join(f"count({name}) as n_{name}, avg({name}) as {name}" for name in NUMBERS)
    with connect(folders) as connection:
        rows = connection.rows(f"select task, stage, {aggregates} from self_knowledge_replies group by all")
    for row in rows:
        values = [(row[f"n_{name}"], row[name]) for name in NUMBERS]
        perfect = expected(protocol, kinds[row["task"]])[row["stage"], "perfect"]
        assert digits(values, TEXTS_OF_THIRD, count=False) == perfect, row["task"]


def test_a_benchmarks_own_questions_get_their_numbers(
    runs: dict[tuple[str, str], "Future[list[Path]]"], answers: Callable[[str], tuple[Rows, Rows, Rows]]
) -> None:
    answers("separate")
    with connect(runs["separate", "benchmark"].result()) as connection:
        columns = ("split_part(generator, '/', -1)", "n_given", "n_given_graded", "initial", "n", "n_graded", "score")
        results = run_query(connection, "self_knowledge_benchmark").project(", ".join(columns)).fetchall()
    assert {row[0]: row[1:] for row in results} == {
        "perfect": (2, 2, 1.0, 2, 2, 1.0),
        "slow": (2, 2, 1.0, 2, 2, 1.0),
        "talkative": (2, 2, 1.0, 2, 2, 1.0),
        "always wrong": (2, 2, 0.0, 2, 2, 0.0),
        "consistent but wrong": (2, 2, 0.0, 2, 2, 1.0),
        "inconsistent": (2, 2, 0.0, 2, 2, 0.0),
        "unparsable": (2, 0, None, 2, 0, None),
        "refusing": (2, 0, None, 2, 0, None),
        "too slow": (2, 0, None, 2, 0, None),
        THIRD: (6, 6, 1.0, 6, 6, 1.0),  # made good by running again
    }


def in_papers_wording(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the paper's own prompts, which ask for no format."""
    paper = row["params"]["paper"]
    prompts = {name: paper[name] for name in ("generate_prompt", "verify_prompt", "dual_prompt")}
    return {**row, **prompts, "params": {**row["params"], "altered_verify_prompt": paper["altered_verify_prompt"]}}


MANNERS = max(len(READINGS), len(WRITINGS))
PAPERS_CELLS = [
    (protocol, kind, task)
    for protocol, kind, task in CELLS
    for paper in [next(iter(rows(task).values()))["params"]["paper"]]
    if all(paper.get(name) for name in ("generate_prompt", "verify_prompt"))
    if protocol != "dual" or paper["dual_prompt"]
]


@pytest.mark.parametrize(
    "protocol",
    [pytest.param(name, marks=[] if name in REPRESENTATIVE else pytest.mark.full) for name in TASKS],
)
def test_who_is_perfect_is_perfect_in_every_manner_in_the_papers_wording(
    laboratory: Laboratory, chosen: Callable[[list[CellName]], list[CellName]], protocol: str
) -> None:
    """Each of as many texts as manners is written and read in each manner, from the prompts to SQL."""
    kinds = {task: kind for name, kind, task in chosen(PAPERS_CELLS) if name == protocol}
    assert kinds, "the paper has prompts for every protocol"
    folders = []
    for task in kinds:
        name = f"{task}/{protocol}/in every manner"
        listed = [in_papers_wording(row) for row in rows(task).values() if row["style"] == "plain"][:MANNERS]
        laboratory.cells[name] = Cell("talkative", listed, protocol, in_every_manner=True)
        folders.append(laboratory.folder / f"paper-{task}-{protocol}")
        model = EndpointModel(Endpoint(laboratory.address, name))
        ask_texts(folders[-1], task, [model], protocol=protocol, wording="paper", limit=MANNERS)
        score_run(folders[-1])
    aggregates = ", ".join(f"count({name}) as n_{name}, avg({name}) as {name}" for name in NUMBERS)
    with connect(folders) as connection:
        results = connection.rows(f"select task, stage, {aggregates} from self_knowledge_replies group by all")
    for row in results:
        values = [(row[f"n_{name}"], row[name]) for name in NUMBERS]
        wanted = expected(protocol, kinds[row["task"]])[row["stage"], "perfect"]
        assert digits(values, MANNERS, count=False) == wanted, row
    assert {row["task"] for row in results} == set(kinds)


# Of writer and reader: written, read, consistent, changed, all three.
MODELS = ("perfect", "consistent but wrong")
MATRIX = """
counted   111-1  111-1  010-0  001-0
yes-no    111-1  111-1  010-0  001-0
arxiv     1-1--  1-0--  0-0--  0-1--
unknown   --1--  --1--  --1--  --1--
"""


@pytest.mark.parametrize(
    "kind",  # yes-no has the numbers of counted
    [pytest.param(kind, marks=pytest.mark.full if kind == "yes-no" else []) for kind in KINDS],
)
def test_two_models_give_a_full_matrix(
    laboratory: Laboratory, chosen: Callable[[list[CellName]], list[CellName]], kind: str
) -> None:
    [cells] = [line.split()[1:] for line in MATRIX.strip().splitlines() if line.startswith(kind)]
    pairs = dict(zip(product(MODELS, MODELS), cells, strict=True))
    tasks = [task for protocol, _, task in chosen(CELLS) if protocol == "separate" and task in KINDS[kind]]
    folders = [laboratory.evaluate("separate", task, MODELS, TEXTS, verifiers=True) for task in tasks]
    for folder in folders:
        score_run(folder)
    aggregates = ", ".join(f"count({name}) as n_{name}, avg({name}) as {name}" for name in NUMBERS)
    names = "split_part(generator, '/', -1) as writer, split_part(verifier, '/', -1) as reader"
    with connect(folders) as connection:
        rows = connection.rows(f"select task, {names}, {aggregates} from self_knowledge_replies group by all")
    results = {
        (row["task"], (row["writer"], row["reader"])): digits(
            [(row[f"n_{name}"], row[name]) for name in NUMBERS], TEXTS, count=False
        )
        for row in rows
    }
    assert results == {(task, pair): cell for task in tasks for pair, cell in pairs.items()}
