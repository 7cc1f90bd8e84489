"""The corpus that a run asks about: its size and setup, and its documents, which queries join."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfknow.errors import UserError, argument
from selfknow.files import user_path
from selfknow.sql.task import Facts

if TYPE_CHECKING:
    from selfknow.runs.reader import RunFolder

SIMPLIFIED = "-simplified"
_SIZES = {"k": 1_000, "m": 1_000_000}


def facts(description: Mapping[str, Any]) -> Facts:
    """Return a run's facts for SQL: dataset size, number of diarists, setup and seed.

    They come from the dataset's manifest, or without one from the name of the config. Both setups of a size have the
    same diaries.

    Example:
        >>> facts({"dataset": {"config": "8k-simplified"}}).columns["num_diarists"]
        8000
    """
    size = _size(description)
    if size is None:
        return Facts({}, (float("inf"), "", 0, -1))
    simplified, seed = _is_simplified(description), _parameters(description).get("seed")
    num_diarists = _parameters(description)["num_diarists"] if _is_own(description) else _num_diarists(size)
    columns = {
        "dataset_size": size,
        "num_diarists": num_diarists,
        "setup": "simplified" if simplified else "standard",
        "dataset_seed": seed,
    }
    order = float("inf") if num_diarists is None else num_diarists
    return Facts(columns, (order, size, int(simplified), -1 if seed is None else seed))


def _dataset(description: Mapping[str, Any]) -> Mapping[str, Any]:
    dataset = description.get("dataset")
    return dataset if isinstance(dataset, dict) else {}


def _parameters(description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of the config in the dataset's manifest; empty if there is no manifest."""
    parameters = _dataset(description).get("parameters")
    return parameters if isinstance(parameters, dict) and "num_diarists" in parameters else {}


def _is_simplified(description: Mapping[str, Any]) -> bool:
    if parameters := _parameters(description):
        return bool(parameters.get("simplified"))
    return str(_dataset(description).get("config")).endswith(SIMPLIFIED)


def _is_own(description: Mapping[str, Any]) -> bool:
    """Return true if the run asked about a user's own corpus, which has a name instead of a size."""
    return "corpus" in _parameters(description)


def _size(description: Mapping[str, Any]) -> str | None:
    """Return the size as a config's name: ``8k``, ``512-diarists-3-entries-3-attributes``, or a corpus's name."""
    if _is_own(description):
        return str(_parameters(description)["corpus"])
    if parameters := _parameters(description):
        return _size_of_shape(parameters)
    config = _dataset(description).get("config")
    return config.removesuffix(SIMPLIFIED) if isinstance(config, str) else None


def _size_of_shape(parameters: Mapping[str, Any]) -> str:
    from selfknow.builders.diary_recall.diaries import Shape, paper_sizes

    shape = Shape(**{name: parameters[name] for name in Shape.__dataclass_fields__ if name in parameters})
    sizes = {Shape(size.num_diarists, seed=shape.seed): name for name, size in paper_sizes().items()}
    return sizes.get(shape, shape.name)


def _num_diarists(size: str) -> int | None:
    """Return the number of diarists of a size: 8,000 for ``8k``, 512 for ``512-diarists-3-entries``."""
    match = re.match(r"(\d+)([km]?)(-diarists|$)", size)
    return int(match[1]) * _SIZES.get(match[2], 1) if match else None


def find_documents(runs: "Sequence[RunFolder]", folders: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of the training split of each dataset size in the runs, without sizes that are not found.

    Both setups of a dataset folder have the same diaries, so either is used; the standard one is read faster.

    Args:
        runs: The run folders; a local dataset folder that they name is searched, too.
        folders: The user's dataset folders.

    Raises:
        UserError: One of the user's dataset folders holds none of these sizes.
    """
    configs = {size: _configs(size, runs) for run in runs if (size := _size(run.description))}
    names = [str(run.dataset["name"]) for run in runs if run.dataset.get("name")]
    local = [name for name in dict.fromkeys(names) if user_path(name).is_dir()]
    files_by_size: dict[str, list[str]] = {}
    for folder in [*folders, *local]:
        files = {size: _first_files(folder, names) for size, names in sorted(configs.items())}
        if folder in folders and not any(files.values()):
            raise UserError(
                f"{folder} holds none of the corpora that these runs asked about: {', '.join(files) or 'none'}"
            )
        files_by_size = {size: paths for size, paths in files.items() if paths} | files_by_size
    return files_by_size


def _configs(size: str, runs: "Sequence[RunFolder]") -> list[str]:
    """Return the possible names of a size's configs: the usual ones, and those of the runs."""
    named = [str(run.dataset["config"]) for run in runs if _size(run.description) == size and run.dataset.get("config")]
    return list(dict.fromkeys([size, size + SIMPLIFIED, *named]))


def _first_files(folder: str, configs: Sequence[str]) -> list[str]:
    return next((files for config in configs if (files := _train_files(folder, config))), [])


def _train_files(folder: str, config: str) -> list[str]:
    from selfknow.downloads import hub_filesystem
    from selfknow.runs.reader import HUB

    if folder.startswith(HUB):
        config_folder, files = f"{folder.rstrip('/')}/{config}", hub_filesystem()
        return [f"{HUB}{path}" for path in sorted(files.glob(f"{config_folder}/train-*.parquet"))]
    return [str(path) for path in sorted((user_path(folder).absolute() / config).glob("train-*.parquet"))]


def missing_documents(run: "RunFolder", files: Mapping[str, Sequence[str]]) -> str | None:
    """Return the reason that a run's documents are missing; None if they are not."""
    size = _size(run.description)
    if size is None or size in files:
        return None
    return (
        f"the documents that {run.location} asks about are missing: name the dataset folder that "
        f"holds {size} ({argument('corpora', flag='corpus FOLDER')})"
    )


def documents_sql(files: Mapping[str, Sequence[str]]) -> str:
    """Return SQL that selects one row per document; documents of the simplified setup are split at their titles."""
    if not files:
        return (
            "select null::varchar as dataset_size, null::varchar as diarist, null::integer as number,"
            " null::varchar as body, null::integer as num_sentences where false"
        )
    return " union all\n".join(_documents_of_size(size, paths) for size, paths in files.items())


def _documents_of_size(size: str, paths: Sequence[str]) -> str:
    from selfknow.sql.literals import file_list, literal

    rows = f"read_parquet({file_list(paths)}, hive_partitioning = false) where kind = 'document'"
    return f"""select {literal(size)} as dataset_size, diarist, entry::integer as number, completion as body,
    len(string_split(completion, chr(10)))::integer as num_sentences
from {rows} and entry is not null
union all
select {literal(size)}, document.diarist, document.number, array_to_string(document.sentences, chr(10)),
    len(document.sentences)::integer
from (select unnest(diary_documents(prompt || completion)) as document from {rows} and entry is null)"""  # noqa: S608
