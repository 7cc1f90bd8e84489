"""The plans that ask SelfAware's and According-to's questions, from end to end: a scripted model, known numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import huggingface_hub.constants
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from selfknow.builders.self_aware.original import CONFIG, DATASET
from selfknow.builders.self_aware.questions import SCHEMA
from selfknow.builders.sources import fingerprint
from selfknow.cli.reproduce_commands import plan_commands
from selfknow.evaluate.dataset import CACHE_VARIABLE, MANIFEST
from selfknow.files import write_json
from selfknow.portraits import Portrait
from selfknow.reproduce.cells import expand
from selfknow.reproduce.changes import Changes, read_options
from selfknow.reproduce.conclude import Conclusion, conclude, runs_of
from selfknow.reproduce.plan import Block, find_plan, packaged_plans
from selfknow.reproduce.run import run_cells
from selfknow.reproduce.states import States
from selfknow.runs.schema import read_generations
from tests.according_to import quoting_server
from tests.evaluate.faulty_server import Behaviour, serve
from tests.hub.test_question_sets import SETS, rows_of
from tests.reproduce.test_running import in_this_process
from tests.self_aware.rows import example

PAIRS, WRONG = 10, 2
ABSTAINS = {"direct": 4, "instruction": 7, "icl": 9}
"""Of ten unanswerable questions; of the twenty answerable ones it is two, in every form."""
THINGS = list(quoting_server.CORPUS)[:2]
NARROWED = {
    "what-they-dont-know/figure-5": ("huggyllama/llama-7b", "lmsys/vicuna-7b-v1.1"),
    "according-to/table-2": ("google/flan-t5-xxl",),
    "according-to/appendix-a": ("google/flan-t5-xxl",),
    "according-to/figure-2": ("google/flan-t5-small", "google/flan-t5-base"),
    "according-to/figure-4": (),
}
"""Of plans that name their models some, or all; the others ask any model."""
# They ask as the others do; the full suite carries them out, too.
FULL = {f"what-they-dont-know/figure-{number}" for number in (3, 4, 5, 6)} | {"according-to/appendix-a"}
FULL |= {f"according-to/{name}" for name in ("figure-2", "figure-4", "footnote-4", "table-2", "table-5")}


def plans_of(paper: str) -> list[object]:
    names = [name for name in packaged_plans() if name.startswith(f"{paper}/")]
    return [pytest.param(name, marks=pytest.mark.full if name in FULL else []) for name in names]


SELF_AWARE, ACCORDING_TO = plans_of("what-they-dont-know"), plans_of("according-to")


def f1(form: str) -> float:
    abstains = ABSTAINS[form.removeprefix("paper-")]
    return 2 * abstains / (abstains + WRONG + PAIRS)


def careful(prompt: str) -> str:
    """Says what it knows, and that it does not know what nobody can, as often as the form makes it."""
    shots = prompt.count("Q:") > 1
    form = "icl" if shots else "instruction" if "unanswerable or unknowable" in prompt else "direct"
    question = prompt.rpartition("Q:")[2]
    if rows := re.search(r"a (\d+)\?", question):
        return "The answer is unknown." if int(rows[1]) < ABSTAINS[form] else "Because of the moon."
    first, second = map(int, re.findall(r"\d+", question))
    return "The answer is unknown." if first < WRONG and second == 1 else f"It is {first + second}."


def quotes(prompt: str) -> str:
    return quoting_server.reply(prompt.replace("Wikipedia", "the corpus"))


def concluded(
    name: str, out: Path, options: Sequence[str], score: Mapping[str, object] | None = None
) -> tuple[Conclusion, list[Mapping[str, object]]]:
    """Return what a plan ends with, and the rows of its first query; of a served model in place of the plan's own.

    Args:
        name: The plan.
        out: Where everything goes, and what other plans have run there already.
        options: Of every evaluation.
        score: Options of the scorer besides the plan's.
    """
    plan = find_plan(name)
    if score and plan.score:
        places = dict.fromkeys(score, plan.score.places["scorer"])
        more = {option: (value,) for option, value in score.items()}
        plan = replace(plan, score=Block({**plan.score.settings, **more}, {**plan.score.places, **places}))  # type: ignore[dict-item]
    inputs = read_options("--evaluate", ["num-parameters=1000000", *options])
    cells = expand(plan, plan_commands(), out, Changes(models=NARROWED.get(name, ("served",)), evaluate=inputs))
    run_cells(cells, out, in_this_process)
    states = States(out)
    assert {states.read(cell).error for cell in cells} == {None}
    for cell in cells:
        assert not [row["error"] for row in read_generations(cell.folder).to_pylist() if row["error"]]
    results = conclude(plan, runs_of(cells, states), [], out)
    assert set(results.published) == {f"{paper}, {table}" for paper, table in plan.published_tables}
    assert all(isinstance(rows, list) for rows in results.queries.values()), results.queries
    for path in results.figures.values():  # one model: a figure over sizes has nothing to compare
        is_drawn = isinstance(path, Path) and path.is_file()
        assert is_drawn or str(path).endswith("num_parameters is the same in all rows"), results.figures
    rows = results.queries[plan.query[0]]
    assert rows
    return results, [row for row in rows if isinstance(row, Mapping)]


@pytest.fixture(scope="module")
def careful_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a served model, and thirty questions where the authors' own would be kept, once they were fetched."""
    cache = tmp_path_factory.mktemp("cache")
    folder = cache / f"{DATASET.name}-{fingerprint(DATASET.sources)[:16]}" / CONFIG
    for split, places in (("answerable", (1, 2)), ("unanswerable", (0,))):
        rows = [
            example(pair, place, answerable=place > 0) | {"source": "SelfAware", "pair_id": None, "category": None}
            for pair in range(PAIRS)
            for place in places
        ]
        path = folder / CONFIG / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)
    write_json(folder / MANIFEST, {"dataset": DATASET.name})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(cache))
        with serve(Behaviour(says=careful)) as address:
            yield address


@pytest.fixture(scope="module")
def quoting_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Yield a served model, the four question sets as if downloaded, a portrait, and counts of passages."""
    folder = tmp_path_factory.mktemp("sets")
    for name, entry in SETS.items():
        repo = folder / "hub" / f"datasets--{entry['repo'].replace('/', '--')}"
        path = repo / "snapshots" / entry["revision"] / entry["file"]
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows_of(name, THINGS)), path)
    Portrait.build(["\n".join(quoting_server.CORPUS.values())], false_positive_rate=1e-9).save(folder / "portrait")
    counts = "".join(f"what is {thing},{5 * 10**number}\n" for number, thing in enumerate(THINGS))
    (folder / "counts.csv").write_text("question,count\n" + counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(folder / "hub"))
        with serve(Behaviour(says=quotes)) as address:
            yield address, folder


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all plans, so that what two of them ask is asked once."""
    return tmp_path_factory.mktemp("out")


@pytest.mark.parametrize("name", SELF_AWARE)
def test_a_plan_of_selfaware_lands_on_what_its_model_was_told_to_do(name: str, careful_model: str, out: Path) -> None:
    # The packaged encoder stands in for the paper's, at the paper's threshold.
    results, rows = concluded(name, out, [f"endpoint={careful_model}"], {"encoder": "packaged", "threshold": 0.75})
    forms = {row["form"] for row in rows}
    expected = {
        "figure-2": set(ABSTAINS),
        "figure-4": {"icl"},
        "human": {"direct"},
    }.get(name.rpartition("/")[2], {"instruction"})
    assert forms == {f"paper-{form}" for form in expected}, "in the authors' words"
    for row in rows:
        if "f1" in row:
            assert row["f1"] == pytest.approx(f1(str(row["form"])))
            assert (row["n_graded"], row["chance_f1"]) == (3 * PAIRS, pytest.approx(0.5))
    beside = results.queries.get("self_aware_published", [])
    if name.endswith("figure-6"):
        assert (rows[0]["n"], rows[0]["accuracy"]) == (2 * PAIRS, pytest.approx(18 / 20))
        [ours] = {row["ours"] for row in beside if isinstance(row, Mapping) and row["table"] == "figure-6"}
        assert ours == pytest.approx(18 / 20)
    elif name.endswith("threshold-ablation"):
        assert [row["is_the_runs"] for row in rows].count(True) == 1
        assert {round(float(str(row["threshold"])), 2) for row in rows} >= {0.65, 0.75, 0.95}
    elif name.endswith("human"):
        tables = {row["table"] for row in beside if isinstance(row, Mapping)}
        assert tables == {"figure-2"}, "nobody was asked yet; models were, directly"
    else:
        shown = {row["table"]: row for row in beside if isinstance(row, Mapping)}
        assert name.rpartition("/")[2] in shown
        assert all(
            row["ours"] == pytest.approx(f1(str(row["form"]))) for row in shown.values() if row["measure"] == "F1"
        )
    if name.endswith("figure-5"):
        gains = [row for row in results.queries["self_aware_by_tuning"] if isinstance(row, Mapping)]
        assert [(row["scorer"], row["tuned"], row["base"], row["gain"]) for row in gains] == [
            (scorer, "vicuna-7b-v1.1", "llama-7b", 0.0) for scorer in ("paper", "sentences")
        ]


@pytest.mark.parametrize("name", ACCORDING_TO)
def test_a_plan_of_according_to_lands_on_what_its_model_quotes(
    name: str, quoting_model: tuple[str, Path], out: Path
) -> None:
    address, folder = quoting_model
    options = [f"endpoint={address}", f"portrait={folder / 'portrait'}"]
    if name.endswith("figure-3"):
        options.append(f"counts={folder / 'counts.csv'}")
    results, rows = concluded(name, out, options)
    quip = [row for row in rows if row.get("metric", "quip") == "quip"]
    grounded = [row for row in quip if row["prompt"] == "attributed"]
    assert grounded
    plain = [row for row in quip if row["prompt"] == "null"]
    for row in grounded:
        value = next(row[key] for key in ("score", "difference", "tuned_difference", "quip") if key in row)
        assert value == pytest.approx(1.0)
    for row in plain:
        assert row["score"] == pytest.approx(0.0)
    short = name.rpartition("/")[2]
    if short in ("table-1", "table-2", "appendix-a"):
        beside = [row for row in results.queries["according_to_published"] if isinstance(row, Mapping)]
        assert {row["dataset"] for row in beside} == {entry["repo"] for entry in SETS.values()}
        assert short in {row["table"] for row in beside}
        of_exact_match = [row for row in beside if row["metric"] == "exact_match" and row["table"] != "table-2"]
        # Asked as an expert editor it adds a word to its answers.
        assert {row["row"] for row in of_exact_match if row["ours"] != 1.0} <= {"expert-editor"}
        assert {row["ours"] for row in of_exact_match if row["row"] == "expert-editor"} <= {0.0}
        assert of_exact_match
    if short == "figure-3":
        assert [(row["cooccurrences_from"], row["n"]) for row in grounded] == [(1, 1), (11, 1)]
