"""The suite of diary recall: the expectations of a config's rows, and of the two setups of a size."""

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
    "parameters": "a config is made from the parameters that its name stands for (otherwise its rows are not checked)",
    "twin_parameters": "the two setups of a size are made from the same parameters",
    "splits": "a config has the splits train, validation and test (otherwise its rows are not checked)",
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
_QUERIES_OF_ATTRIBUTES = (
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
QUERIES_OF_OWN_CORPUS = tuple(name for name in QUERIES if name not in _QUERIES_OF_ATTRIBUTES)
"""The queries that also apply to a user's own corpus, where documents have no attributes and names can be any."""
QUERIES_OF_TWINS = (
    "twins_ask_the_same_questions",
    "twins_tell_the_same_diaries",
)
_OWN_NUMBERS = ("num_diarists", "seed", "held_out_percent", "num_documents", "max_entries", "max_lines")
_SMALLEST_P = 1e-6  # a distribution is not uniform if its chi-square has a smaller p-value


def _facts(manifest: Manifest) -> list[Fact]:
    """Return the facts about the configs: their expected and actual splits and parameters."""
    facts = [fact for config, entry in manifest.configs.items() for fact in _facts_of_config(manifest, config, entry)]
    return [*facts, *_facts_of_twins(manifest)]


def _facts_of_twins(manifest: Manifest) -> Iterator[Fact]:
    """Yield a fact for each parameter of a standard config, which its simplified twin should share."""
    for standard, simplified in _twins(manifest.configs):
        parameters = manifest.configs[simplified].parameters
        for name, value in manifest.configs[standard].parameters.items():
            if name != "simplified":
                yield Fact("twin_parameters", simplified, None, name, repr(value), repr(parameters.get(name)))


def _twins(configs: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of setups of the same size."""
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
        if is_own(entry.parameters):
            _parse_numbers(entry.parameters)
        else:
            _parse_shape(entry.parameters)
        yield Fact("parameters", config, None, "all", "a shape", "a shape")
    except (UserError, TypeError) as error:
        yield Fact("parameters", config, None, "all", "a shape", str(error))


def _parse_shape(parameters: Mapping[str, object]) -> Shape:
    """Return the shape that the parameters of a config describe.

    Raises:
        UserError: A parameter is out of range.
        TypeError: A parameter is missing, unknown, or not a whole number.
    """
    shape = {name: value for name, value in parameters.items() if name != "simplified"}
    if not all(type(value) is int for value in shape.values()):
        raise TypeError(f"these are not all whole numbers: {shape}")
    return Shape(**shape)  # type: ignore[arg-type]


def _parse_numbers(parameters: Mapping[str, object]) -> dict[str, int]:
    """Return the whole numbers among the parameters of your own corpus.

    Raises:
        UserError: A parameter is out of range.
        TypeError: A parameter is missing or not a whole number.
    """
    numbers = {name: parameters.get(name) for name in _OWN_NUMBERS}
    if wrong := {name: value for name, value in numbers.items() if type(value) is not int}:
        raise TypeError(f"these are not all whole numbers: {wrong}")
    whole_numbers = {name: value for name, value in numbers.items() if isinstance(value, int)}
    Shape(whole_numbers["num_diarists"], whole_numbers["seed"])
    return whole_numbers


def _batches(folder: Path, manifest: Manifest, configs: list[str]) -> list[Batch]:
    """Return the batches to validate: each config, and each pair of setups of the same size."""
    entries = {config: manifest.configs[config] for config in configs}
    return [
        *(_batch_of_config(folder, config, entry) for config, entry in entries.items()),
        *(_batch_of_twins(folder, *pair, entries) for pair in _twins(entries)),
    ]


def _batch_of_config(folder: Path, config: str, entry: ConfigEntry) -> Batch:
    if is_own(entry.parameters):
        return _batch_of_own_corpus(folder, config, entry)
    return batch_of_rows(
        "diary-recall",
        config,
        {"corpus": files_of(folder, entry)},
        [f"diary_recall/{name}" for name in QUERIES],
        setup=["diary_recall/macros", "diary_recall/setup"],
        parameters=_parameters(_parse_shape(entry.parameters), simplified=bool(entry.parameters["simplified"])),
    )


def _batch_of_own_corpus(folder: Path, config: str, entry: ConfigEntry) -> Batch:
    shape, simplified = _parse_numbers(entry.parameters), bool(entry.parameters["simplified"])
    return batch_of_rows(
        "diary-recall-of-ones-own",
        config,
        {"corpus": files_of(folder, entry)},
        [f"diary_recall/{name}" for name in QUERIES_OF_OWN_CORPUS],
        setup=["diary_recall/macros", "diary_recall/setup"],
        parameters={
            **_parameters(Shape(shape["num_diarists"], shape["seed"]), simplified=simplified),
            **templates(OWN_CORPUS),
            "title_middle": ": Document ",
            "title_line": r"[^\n]+: Document [1-9][0-9]{0,8})(\n|$",
            "any_middle_is_a_title": False,
            "max_entries": shape["max_entries"],
            "max_attributes": shape["max_lines"],
            "row_counts": _row_counts_of_own_corpus(shape, simplified=simplified),
        },
    )


def _row_counts_of_own_corpus(shape: Mapping[str, int], *, simplified: bool) -> list[dict[str, object]]:
    questions = numbers_by_split(shape["num_diarists"], shape["held_out_percent"])
    num_documents = shape["num_diarists" if simplified else "num_documents"]
    return [
        {"split": "train", "kind": "diarist", "expected": shape["num_diarists"]},
        {"split": "train", "kind": "document", "expected": num_documents},
        *({"split": split, "kind": "question", "expected": len(numbers)} for split, numbers in questions.items()),
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
    """Return the values of the queries' ``$`` parameters, by name."""
    max_outcomes = max(shape.max_attributes, len(attributes()), *map(len, attributes().values()))
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
        # The largest chi-square that passes with 1, 2, … degrees of freedom.
        "chi_square_limits": [float(chdtri(freedom, _SMALLEST_P)) for freedom in range(1, max_outcomes)],
    }


def _row_counts(shape: Shape, *, simplified: bool) -> list[dict[str, object]]:
    """Return the expected numbers of documents, questions and diarists in each split, as far as the shape sets them."""
    size = _paper_size(shape)
    num_questions = (
        size.num_questions if size else {split: len(diarists) for split, diarists in shape.diarists_by_split.items()}
    )
    counts: list[dict[str, object]] = [
        {"split": "train", "kind": "diarist", "expected": shape.num_diarists},
        *({"split": split, "kind": "question", "expected": number} for split, number in num_questions.items()),
    ]
    if simplified:
        counts.append({"split": "train", "kind": "document", "expected": shape.num_diarists})
    elif size:
        counts.append({"split": "train", "kind": "document", "expected": size.num_documents})
    elif not any(number % shape.max_entries for number in num_questions.values()):
        # Otherwise the number depends on the diarists after the last full group, whose entry counts are not fixed.
        num_documents = shape.num_diarists * (shape.max_entries + 1) // 2
        counts.append({"split": "train", "kind": "document", "expected": num_documents})
    return counts


def _paper_size(shape: Shape) -> PaperSize | None:
    sizes = (size for size in paper_sizes().values() if size.num_diarists == shape.num_diarists)
    return next(sizes, None) if shape.max_entries == Shape.max_entries else None


SUITE = DatasetSuite(schema=SCHEMA, statements=_STATEMENTS, facts=_facts, batches=_batches)
