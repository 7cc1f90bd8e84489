"""Creations: what a program corrects, what goes out on a sheet, and what comes back."""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from selfknow.cli.app import app
from selfknow.errors import UserError
from selfknow.evaluate.outcome import Outcome
from selfknow.evaluate.tasks.self_knowledge.collecting import collect_creations
from selfknow.evaluate.tasks.self_knowledge.corrections import COLUMNS, import_sheet
from selfknow.evaluate.tasks.self_knowledge.creations import CORRECTED, RAW, Creations, read_creations
from selfknow.models.interface import Decoding, Reply, Request
from selfknow.train.solutions import read_solution, solve_creations
from tests.train.made_up import QUESTIONS, TRUE, Writer, write_math_run
from tests.train.made_up import RAW as ASKED_FOR

pytestmark = pytest.mark.usefixtures("shared_decider")

SEATS = 'How many ways are there\nto seat 2 people, "in order"?'
BOATS = "How many boats; are there?"
MIXED = ["What is 6 * 7 ?", "What is 1/2 + 1/2 ?", SEATS, BOATS, None, "I'm sorry, I cannot.", "", "=1+1, is it?"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_math_run(tmp_path_factory.mktemp("math") / "run", Writer("ann", MIXED, "1"), num_texts=len(MIXED))


@pytest.fixture
def made(run: Path, tmp_path: Path) -> Creations:
    return collect_creations(run, tmp_path / "made", quiet=True)


def sheet_of(creations: Creations) -> list[dict[str, str]]:
    with (creations.folder / "sheet.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def fill(creations: Creations, answers: dict[int, str], name: str = "filled.csv", delimiter: str = ",") -> Path:
    """Return the sheet with these answers, by row, as a spreadsheet program saves it."""
    rows = [{**row, "corrected": answers.get(place, "")} for place, row in enumerate(sheet_of(creations))]
    path = creations.folder / name
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def counts(creations: Creations) -> dict[tuple[object, object], object]:
    return {(row["state"], row["decided_by"]): row["n"] for row in creations.counts()}


def test_a_program_corrects_what_it_can_and_says_why_it_leaves_the_rest(made: Creations) -> None:
    rows = [(row["raw"], row["corrected"], row["state"], row["decided_by"], row["reason"]) for row in made.rows]
    undecided = "no question that a program decides"
    assert rows == [
        ("0", "42", "corrected", "program", None),
        ("1", "1", "unchanged", "program", None),
        ("2", None, "open", None, undecided),
        ("3", None, "open", None, undecided),
        ("4", None, "dropped", "program", "the request failed: 503 overloaded"),
        ("5", None, "dropped", "program", "refusal"),
        ("6", None, "dropped", "program", "empty"),
        ("7", None, "open", None, undecided),
    ]
    assert counts(made) == {
        ("open", None): 3,
        ("unchanged", "program"): 1,
        ("corrected", "program"): 1,
        ("dropped", "program"): 3,
    }
    assert read_creations(made.folder).rows == made.rows
    assert (made.creator, made.revision) == ("ann", "1")


def test_the_open_questions_go_out_on_a_sheet_with_the_answers_they_were_written_for(made: Creations) -> None:
    assert [(row["question"], row["raw"], row["corrected"]) for row in sheet_of(made)] == [
        (SEATS, "2", ""),
        (BOATS, "3", ""),
        ("'=1+1, is it?", "7", ""),
    ]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_both_versions_hold_the_same_questions_when_the_sheet_is_back(made: Creations, delimiter: str) -> None:
    back, blanks = import_sheet(made.folder, fill(made, {0: "2", 1: "Unusable", 2: " 1/2 "}, delimiter=delimiter))
    assert blanks == []
    assert counts(back) == {
        ("unchanged", "program"): 1,
        ("unchanged", "person"): 1,
        ("corrected", "program"): 1,
        ("corrected", "person"): 1,
        ("dropped", "person"): 1,
        ("dropped", "program"): 3,
    }
    questions = [MIXED[0], MIXED[1], SEATS, MIXED[7]]
    assert back.answers(RAW) == list(zip(questions, ["0", "1", "2", "7"], strict=True))
    assert back.answers(CORRECTED) == list(zip(questions, ["42", "1", "2", "1/2"], strict=True))
    assert read_creations(made.folder).answers(CORRECTED) == back.answers(CORRECTED)
    with pytest.raises(
        UserError, match=r"no worked solutions to learn: .*`selfknow advanced creations solve .* --model ann`"
    ):
        back.version(RAW)


def test_the_corrected_version_is_refused_until_everything_is_decided(made: Creations) -> None:
    assert len(made.answers(RAW)) == 5
    with pytest.raises(UserError, match=r"3 of the 5 questions in .* are not corrected yet: fill in .*sheet.csv"):
        made.answers(CORRECTED)
    back, blanks = import_sheet(made.folder, fill(made, {0: "2"}))
    assert [where.split(" of ")[0] for where in blanks] == ["line 4", "line 5"]
    with pytest.raises(UserError, match="2 of the 5"):
        back.answers(CORRECTED)


def test_a_sheet_that_comes_back_again_replaces_what_it_said(made: Creations) -> None:
    import_sheet(made.folder, fill(made, {0: "2", 1: "unusable", 2: "8"}))
    back, blanks = import_sheet(made.folder, fill(made, {0: "9", 1: "3"}))
    by_question = {row["question"]: (row["corrected"], row["state"], row["decided_by"]) for row in back.rows}
    assert by_question[SEATS] == ("9", "corrected", "person")
    assert by_question[BOATS] == ("3", "unchanged", "person")
    assert by_question[MIXED[7]] == (None, "open", None)
    assert len(blanks) == 1


def edited(edit: Callable[[list[list[str]]], object]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        edit(rows)
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)

    return write


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (edited(lambda rows: rows.pop(2)), "lacks 1 of 3 rows, the first of them math-003-plain"),
        (edited(lambda rows: rows.append(rows[1])), "math-002-plain a second time"),
        (edited(lambda rows: rows[1].__setitem__(0, "math-000-plain")), "'math-000-plain', which is not a question of"),
        (edited(lambda rows: rows[1].__setitem__(1, "How many?")), "another question than before"),
        (
            edited(lambda rows: rows[1].__setitem__(2, "02. Jan")),
            r"another raw than before \('02. Jan', not '2'",
        ),
        (edited(lambda rows: rows[0].__setitem__(3, "answer")), "no columns id and corrected"),
        (lambda path: path.write_bytes("id,corrected\nÄ,1\n".encode("latin-1")), "not UTF-8"),
        (lambda path: path.write_text(""), "no columns id and corrected"),
    ],
)
def test_a_sheet_that_was_damaged_changes_nothing(
    made: Creations, damage: Callable[[Path], object], message: str
) -> None:
    before = (made.folder / "creations.parquet").read_bytes()
    path = fill(made, {0: "2", 1: "3", 2: "4"})
    damage(path)
    with pytest.raises(UserError, match=message):
        import_sheet(made.folder, path)
    assert (made.folder / "creations.parquet").read_bytes() == before


def test_what_is_no_run_of_mathematics_is_refused(run: Path, tmp_path: Path) -> None:
    two = write_math_run(tmp_path / "two", Writer("ann", QUESTIONS), Writer("ben", QUESTIONS))
    with pytest.raises(UserError, match=r"several models, or revisions of one, wrote in .*: ann, ben"):
        collect_creations(two, tmp_path / "out")
    assert collect_creations(two, tmp_path / "bens", model="ben", creator="org/ben", quiet=True).creator == "org/ben"
    with pytest.raises(UserError, match=r"cat wrote nothing in .*; models that did: ann, ben"):
        collect_creations(two, tmp_path / "out", model="cat")
    facts = write_math_run(tmp_path / "facts", Writer("ann", QUESTIONS), task="fact")
    with pytest.raises(UserError, match="is a run of self-knowledge:fact: name a run of self-knowledge:math"):
        collect_creations(facts, tmp_path / "out")
    with pytest.raises(UserError, match="creations are never overwritten"):
        collect_creations(run, tmp_path / "two")
    with pytest.raises(UserError, match="holds no creations"):
        read_creations(run)


def test_a_collection_that_was_killed_is_made_anew(run: Path, made: Creations) -> None:
    (made.folder / "creations.json").unlink()
    with pytest.raises(UserError, match="holds no creations"):
        read_creations(made.folder)
    assert collect_creations(run, made.folder, quiet=True).rows == made.rows
    (made.folder / "creations.json").unlink()
    (made.folder / "thesis.tex").touch()
    with pytest.raises(UserError, match="not empty"):
        collect_creations(run, made.folder)


def test_where_a_program_decides_everything_there_is_no_sheet(tmp_path: Path) -> None:
    run = write_math_run(tmp_path / "run", Writer("ann", QUESTIONS), num_texts=7)
    made = collect_creations(run, tmp_path / "made", quiet=True)
    assert not (made.folder / "sheet.csv").exists()
    assert made.answers(RAW) == list(zip(QUESTIONS[:7], ASKED_FOR[:7], strict=True))
    assert made.answers(CORRECTED) == list(zip(QUESTIONS[:7], TRUE[:7], strict=True))
    with pytest.raises(UserError, match="there is nothing to correct by hand"):
        import_sheet(made.folder, tmp_path / "sheet.csv")


def test_the_command_line_collects_imports_and_says_what_is_blank(run: Path, tmp_path: Path) -> None:
    def selfknow(*arguments: object) -> tuple[int, str, str]:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return result.exit_code, result.stdout, result.stderr

    code, printed, _ = selfknow("advanced", "creations", "collect", run, "--out", tmp_path / "made", "--format", "json")
    assert code == 0
    assert json.loads(printed)[0] == {
        "creations": str(tmp_path / "made"),
        "creator": "ann",
        "state": "open",
        "decided_by": None,
        "n": 3,
        "n_solved": 0,
    }
    made = read_creations(tmp_path / "made")
    code, _, stderr = selfknow("advanced", "creations", "import", made.folder, fill(made, {0: "2"}))
    assert code == 1
    assert "rows that are still blank: 2, the first is line 4" in stderr
    sheet = fill(made, {0: "2", 1: "3", 2: "unusable"})
    code, printed, _ = selfknow("advanced", "creations", "import", made.folder, sheet, "--format", "json")
    assert code == 0
    assert "open" not in {row["state"] for row in json.loads(printed)}


def test_what_a_program_sees_through_never_goes_to_people(tmp_path: Path) -> None:
    texts = [
        "What is 6 * 7 ? The answer is 0.",  # states what it was asked for
        "Solve for x: x^2 = 4.",  # two answers
        "What is sqrt(-4)?",
        "If 2x + 3 = 9, what is the value of x?",
        "What is y if 2 y = 9?",
        "Find x if 2 y = 9.",  # asks for another one
        BOATS,
    ]
    run = write_math_run(tmp_path / "run", Writer("ann", texts), num_texts=len(texts))
    made = collect_creations(run, tmp_path / "made", quiet=True)
    assert [(row["corrected"], row["state"], row["reason"]) for row in made.rows] == [
        (None, "dropped", "states its own answer"),
        (None, "dropped", "no single solution"),
        (None, "dropped", "the answer is no real number"),
        ("3", "unchanged", None),
        ("9/2", "corrected", None),
        (None, "open", "no question that a program decides"),
        (None, "open", "no question that a program decides"),
    ]
    alone = collect_creations(run, tmp_path / "alone", people=False, quiet=True)
    assert [row["state"] for row in alone.rows] == [*["dropped"] * 3, "unchanged", "corrected", *["dropped"] * 2]
    assert alone.answers(CORRECTED) == [(texts[3], "3"), (texts[4], "9/2")]


class Solver:
    """Works out what it is asked for, but ends question 2 in another answer and says of question 3 the answer alone."""

    name, revision = "solver", "1"

    def __init__(self) -> None:
        self.prompts = list[str]()

    def generate(self, requests: Sequence[Request], decoding: Decoding) -> Iterator[tuple[Request, Reply]]:
        for request in requests:
            self.prompts.append(request.prompt)
            answer = request.variant
            text = {"math-002-plain": "So it is.\n#### 77", "math-003-plain": f"#### {answer}"}
            working = f"<think>hm</think>Step by step.\n**#### {answer}**\nI hope this helps!"
            yield request, Reply(text.get(request.example_id, working), "stop")


def test_a_question_is_learnt_by_a_solution_that_works_out_its_answer(made: Creations) -> None:
    import_sheet(made.folder, fill(made, {0: "2", 1: "3", 2: "1/2"}))
    solver = Solver()
    solved = solve_creations(made.folder, solver, quiet=True)
    solution = "Step by step.\n#### "
    assert solved.version(RAW) == [(MIXED[0], f"{solution}0"), (MIXED[1], f"{solution}1"), (MIXED[7], f"{solution}7")]
    assert solved.version(CORRECTED) == [
        (MIXED[0], f"{solution}42"),
        (MIXED[1], f"{solution}1"),
        (MIXED[7], f"{solution}1/2"),
    ]
    assert solved.content_hash(RAW) != solved.content_hash(CORRECTED)
    assert [row["unsolved"] for row in solved.rows[2:4]] == [
        "raw: ends in 77; corrected: ends in 77",
        "raw: the answer alone; corrected: the answer alone",
    ]
    assert len(solver.prompts) == 2 + 1 + 1 + 1 + 2, "where the raw answer is right, one solution serves both"
    assert f"Problem: {MIXED[0]}\nAnswer: 42\n" in solver.prompts[1]
    assert {row["state"]: row["n_solved"] for row in solved.counts() if row["decided_by"] == "person"} == {
        "corrected": 1,
        "unchanged": 0,
    }
    assert solve_creations(made.folder, solver, quiet=True).rows == solved.rows
    assert len(solver.prompts) == 7, "what was written is not asked for again"
    # Another answer on the sheet takes another solution; the old one is not learnt for it.
    back, _ = import_sheet(made.folder, fill(made, {0: "2", 1: "3", 2: "1/3"}))
    assert back.rows[7]["corrected_solution"] is None
    assert solve_creations(made.folder, solver, quiet=True).version(CORRECTED)[2][1] == f"{solution}1/3"


@pytest.mark.parametrize(
    ("reply", "answer", "reason"),
    [
        ("Step by step, it is 7.", "7", "no line of ####"),
        ("Step by step.\n#### 7 apples", "8", "ends in 7 apples"),
        ("Step by step.\n#### 70", "7", "ends in 70"),
        ("", "7", "no line of ####"),
    ],
)
def test_what_does_not_end_in_the_answer_is_no_solution(reply: str, answer: str, reason: str) -> None:
    assert read_solution(reply, answer) == Outcome(None, reason)
    assert read_solution("Step.\n#### 1,000", "1000").value == "Step.\n#### 1000"
    assert read_solution("Step.\n#### 2*sqrt(2)", "2*sqrt(2)").value == "Step.\n#### 2*sqrt(2)"
    assert read_solution("Step by", "7", finish_reason="length").reason == "cut off"


def test_creations_of_an_earlier_version_still_open(made: Creations) -> None:
    path = made.folder / "creations.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["raw_solution", "corrected_solution", "unsolved"]), path)
    assert read_creations(made.folder).rows == made.rows
