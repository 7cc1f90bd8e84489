"""The differences between a dataset folder and the release on the Hub, a row for each config and split."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

from selfknow.builders.folder.manifest import ConfigEntry, SplitEntry
from selfknow.errors import UserError
from selfknow.hub.plan import SplitChange

RowChanges = tuple[int, int, int]  # added, removed, changed


def split_changes(
    new_configs: Mapping[str, ConfigEntry],
    old_configs: Mapping[str, ConfigEntry],
    compare: Callable[[SplitEntry | None, SplitEntry | None], RowChanges],
    sizes_to_send: Mapping[str, int],
    paths_to_delete: set[str],
) -> list[SplitChange]:
    """Return a row for each config and split of either release, and one for the card, the manifest and other files.

    Args:
        new_configs: The configs of the folder.
        old_configs: The configs that the Hub serves.
        compare: A function that counts the rows that differ; called only if the content hashes of a config differ.
        sizes_to_send: The size in bytes of each file to send, by path.
        paths_to_delete: The paths of files to delete.
    """
    changes = []
    for config in _union(new_configs, old_configs):
        new, old = new_configs.get(config), old_configs.get(config)
        is_same = new is not None and old is not None and new.content_hash == old.content_hash
        new_splits, old_splits = new.splits if new else {}, old.splits if old else {}
        for split in _union(new_splits, old_splits):
            new_split, old_split = new_splits.get(split), old_splits.get(split)
            rows = (0, 0, 0) if is_same else compare(new_split, old_split)
            paths = {file.path for entry in (new_split, old_split) if entry for file in entry.files}
            changes.append(SplitChange(config, split, *rows, **_transfer(paths, sizes_to_send, paths_to_delete)))
    split_paths = {
        file.path
        for configs in (new_configs, old_configs)
        for config in configs.values()
        for entry in config.splits.values()
        for file in entry.files
    }
    rest = {*sizes_to_send, *paths_to_delete} - split_paths
    return [*changes, SplitChange(None, None, None, None, None, **_transfer(rest, sizes_to_send, paths_to_delete))]


def count_row_changes(local: list[Path], served: list[Path]) -> RowChanges:
    """Count the added, removed and changed rows of local Parquet files, compared with the served ones by id.

    Raises:
        UserError: A file is not a Parquet file, or has no column `id`.
    """
    import duckdb

    query = files("selfknow.hub").joinpath("row_changes.sql").read_text(encoding="utf-8")
    try:
        with duckdb.connect() as connection:
            for name, paths in (("local_rows", local), ("served_rows", served)):
                connection.read_parquet([str(path) for path in paths]).create_view(name)
            added, removed, changed = connection.execute(query).fetchall()[0]
    except duckdb.Error as error:
        raise UserError(f"the rows of {local[0]} cannot be compared with the served ones: {error}") from error
    return added, removed, changed


def _union(first: Mapping[str, object], second: Mapping[str, object]) -> list[str]:
    return list(dict.fromkeys([*first, *second]))


def _transfer(paths: set[str], sizes_to_send: Mapping[str, int], paths_to_delete: set[str]) -> dict[str, int]:
    sizes = [sizes_to_send[path] for path in paths if path in sizes_to_send]
    return {
        "files_to_send": len(sizes),
        "files_to_delete": len(paths & paths_to_delete),
        "bytes_to_send": sum(sizes),
    }
