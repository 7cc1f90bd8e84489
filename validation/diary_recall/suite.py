"""The suite of diary recall: what is expected of the rows of a config, and of the two setups of a size."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from scipy.special import chdtri

from selfknow.builders.diary_recall.builder import SIMPLIFIED
from selfknow.builders.diary_recall.diaries import SPLITS, PaperSize, Shape, attributes, paper_sizes
from selfknow.builders.diary_recall.own_corpus import is_own, numbers_by_split
from selfknow.builders.diary_recall.rows import SCHEMA
from selfknow.builders.diary_recall.titles import OWN_CORPUS, templates
from selfknow.builders.folder.manifest import ConfigEntry, Manifest
from selfknow.errors import UserError
from selfknow.validation.folder.fact import Fact
from selfknow.validation.suite import Batch, DatasetSuite, batch_of_rows, files_of

_STATEMENTS = {
    "parameters": "a config is made from the parameters that its name stands for (or its rows are not checked)",
    "twin_parameters": "the two setups of a size are made from the same parameters",
    "splits": "a config has the splits train, validation and test (or its rows are not checked)",
}
QUERIES = (
    "values_are_there",
    "kinds",
    "ids",
    "ids_are_unique",
    "names",
    "names_are_unique",
    "row_counts_by_kind",
    "titles",
    "questions",
    "sentences",
    "attributes",
    "values",
    "attributes_are_told_once",
    "entries",
    "entries_are_complete",
    "num_documents",
    "document_lengths",
    "lengths_are_in_range",
    "answers_repeat_the_documents",
    "questions_are_asked_once",
    "entry_counts_are_balanced",
    "lengths_are_uniform",
    "values_are_uniform",
    "first_attributes_are_uniform",
)
_OF_ATTRIBUTES = (
    "names",
    "sentences",
    "attributes",
    "values",
    "attributes_are_told_once",
    "entry_counts_are_balanced",
    "lengths_are_uniform",
    "values_are_uniform",
    "first_attributes_are_uniform",
)
QUERIES_OF_OWN = tuple(name for name in QUERIES if name not in _OF_ATTRIBUTES)
"""What holds of one's own corpus too, whose documents have no attributes and whose names are any."""
QUERIES_OF_TWINS = (
    "twins_ask_the_same_questions",
    "twins_tell_the_same_diaries",
)
_OWN_NUMBERS = ("num_diarists", "seed", "held_out_percent", "num_documents", "max_entries", "max_lines")
_SMALLEST_P = 1e-6


def _facts(manifest: Manifest) -> list[Fact]:
    """What the manifest says that the configs were made from, beside what it may be."""
    return [
        *(fact for config, entry in manifest.configs.items() for fact in _facts_of_config(manifest, config, entry)),
        *(
            Fact("twin_parameters", simplified, None, name, repr(value), repr(of_simplified.get(name)))
            for standard, simplified in _twins(manifest.configs)
            for of_simplified in [manifest.configs[simplified].parameters]
            for name, value in manifest.configs[standard].parameters.items()
            if name != "simplified"
        ),
    ]


def _twins(configs: Iterable[str]) -> list[tuple[str, str]]:
    """The two setups of a size, where both are there."""
    return [(config, config + SIMPLIFIED) for config in configs if config + SIMPLIFIED in configs]


def _facts_of_config(manifest: Manifest, config: str, entry: ConfigEntry) -> Iterator[Fact]:
    yield Fact("splits", config, None, "splits", ", ".join(SPLITS), ", ".join(entry.splits))
    expected: dict[str, object] = {"seed": manifest.seed, "simplified": config.endswith(SIMPLIFIED)}
    size = paper_sizes().get(config.removesuffix(SIMPLIFIED))
    if is_own(entry.parameters):
        expected["corpus"] = config.removesuffix(SIMPLIFIED)
    elif size is not None:
        expected |= asdict(Shape(size.num_diarists, manifest.seed))
    for name, value in expected.items():
        yield Fact("parameters", config, None, name, repr(value), repr(entry.parameters.get(name)))
    try:
        _own_shape_of(entry.parameters) if is_own(entry.parameters) else _shape_of(entry.parameters)
        yield Fact("parameters", config, None, "all", "a shape", "a shape")
    except (UserError, TypeError) as error:
        yield Fact("parameters", config, None, "all", "a shape", str(error))


def _shape_of(parameters: Mapping[str, object]) -> Shape:
    """The shape that the parameters of a config describe.

    Raises:
        UserError: No such corpus can be made.
        TypeError: A parameter is missing, unknown, or no whole number.
    """
    shape = {name: value for name, value in parameters.items() if name != "simplified"}
    if not all(type(value) is int for value in shape.values()):
        raise TypeError(f"these are not all whole numbers: {shape}")
    return Shape(**shape)  # type: ignore[arg-type]


def _own_shape_of(parameters: Mapping[str, object]) -> dict[str, int]:
    """The numbers that the parameters of one's own corpus describe it by.

    Raises:
        UserError: No such corpus can be made.
        TypeError: A parameter is missing or no whole number.
    """
    numbers = {name: parameters.get(name) for name in _OWN_NUMBERS}
    if wrong := {name: value for name, value in numbers.items() if type(value) is not int}:
        raise TypeError(f"these are not all whole numbers: {wrong}")
    found = {name: value for name, value in numbers.items() if isinstance(value, int)}
    Shape(found["num_diarists"], found["seed"])
    return found


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    """The batches to validate: a config alone, and the two setups of a size beside each other."""
    entries = {config: manifest.configs[config] for config in configs}
    return [
        *(_batch_of_config(folder, config, entry) for config, entry in entries.items()),
        *(_batch_of_twins(folder, *pair, entries) for pair in _twins(entries)),
    ]


def _batch_of_config(folder: Path, config: str, entry: ConfigEntry) -> Batch:
    if is_own(entry.parameters):
        return _batch_of_own(folder, config, entry)
    return batch_of_rows(
        "diary-recall",
        config,
        {"corpus": files_of(folder, entry)},
        [f"diary_recall/{name}" for name in QUERIES],
        setup=["diary_recall/macros", "diary_recall/setup"],
        parameters=_parameters(_shape_of(entry.parameters), simplified=bool(entry.parameters["simplified"])),
    )


def _batch_of_own(folder: Path, config: str, entry: ConfigEntry) -> Batch:
    shape, simplified = _own_shape_of(entry.parameters), bool(entry.parameters["simplified"])
    return batch_of_rows(
        "diary-recall-of-ones-own",
        config,
        {"corpus": files_of(folder, entry)},
        [f"diary_recall/{name}" for name in QUERIES_OF_OWN],
        setup=["diary_recall/macros", "diary_recall/setup"],
        parameters={
            **_parameters(Shape(shape["num_diarists"], shape["seed"]), simplified=simplified),
            **templates(OWN_CORPUS),
            "title_middle": ": Document ",
            "title_line": r"[^\n]+: Document [1-9][0-9]{0,8})(\n|$",
            "any_middle_is_a_title": False,
            "max_entries": shape["max_entries"],
            "max_attributes": shape["max_lines"],
            "row_counts": _row_counts_of_own(shape, simplified=simplified),
        },
    )


def _row_counts_of_own(shape: Mapping[str, int], *, simplified: bool) -> list[dict[str, object]]:
    asked = numbers_by_split(shape["num_diarists"], shape["held_out_percent"])
    num_documents = shape["num_diarists" if simplified else "num_documents"]
    return [
        {"split": "train", "kind": "diarist", "expected": shape["num_diarists"]},
        {"split": "train", "kind": "document", "expected": num_documents},
        *({"split": split, "kind": "question", "expected": len(numbers)} for split, numbers in asked.items()),
    ]


def _batch_of_twins(folder: Path, standard: str, simplified: str, entries: Mapping[str, ConfigEntry]) -> Batch:
    return batch_of_rows(
        "diary-recall-twins",
        simplified,
        {
            "standard": files_of(folder, entries[standard]),
            "simplified": files_of(folder, entries[simplified]),
        },
        [f"diary_recall/{name}" for name in QUERIES_OF_TWINS],
        name=f"{standard} and {simplified}",
        setup=["diary_recall/macros"],
    )


def _parameters(shape: Shape, *, simplified: bool) -> dict[str, object]:
    """The values of ``$name`` in the queries."""
    most_outcomes = max(shape.max_attributes, len(attributes()), *map(len, attributes().values()))
    return {
        "simplified": simplified,
        "max_entries": shape.max_entries,
        "max_attributes": shape.max_attributes,
        **templates("diary_recall"),
        "title_middle": " Diary Entry ",
        "title_line": r"[^\n]* Diary Entry )(",
        "any_middle_is_a_title": True,
        "attributes": [
            {"attribute": name, "value": value} for name, values in attributes().items() for value in values
        ],
        "row_counts": _row_counts(shape, simplified=simplified),
        # What chi-square may reach with 1, 2, … degrees of freedom.
        "chi_square_limits": [float(chdtri(freedom, _SMALLEST_P)) for freedom in range(1, most_outcomes)],
    }


def _row_counts(shape: Shape, *, simplified: bool) -> list[dict[str, object]]:
    """How many documents, questions and diarists each split has, as far as the shape says: Table 2's numbers."""
    size = _paper_size(shape)
    asked = (
        size.num_questions if size else {split: len(diarists) for split, diarists in shape.diarists_by_split.items()}
    )
    counts: list[dict[str, object]] = [
        {"split": "train", "kind": "diarist", "expected": shape.num_diarists},
        *({"split": split, "kind": "question", "expected": number} for split, number in asked.items()),
    ]
    if simplified:
        counts.append({"split": "train", "kind": "document", "expected": shape.num_diarists})
    elif size:
        counts.append({"split": "train", "kind": "document", "expected": size.num_documents})
    elif not any(number % shape.max_entries for number in asked.values()):
        # Elsewhere the number lies with the diarists left over, whose entry counts are only balanced.
        num_documents = shape.num_diarists * (shape.max_entries + 1) // 2
        counts.append({"split": "train", "kind": "document", "expected": num_documents})
    return counts


def _paper_size(shape: Shape) -> PaperSize | None:
    sizes = (size for size in paper_sizes().values() if size.num_diarists == shape.num_diarists)
    return next(sizes, None) if shape.max_entries == Shape.max_entries else None


SUITE = DatasetSuite(schema=SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
