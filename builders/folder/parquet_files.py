"""Writes the shards of configs as Parquet files, several at once, and hashes the files on disk."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.bars import Bar
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.folder.content_hash import content_hash_of_files
from selfknow.builders.folder.manifest import ConfigEntry, FileEntry, SplitEntry, describe_file

ROWS_PER_ROW_GROUP = 20_000  # small enough for the Hub's viewer to show a page at once
_COMPRESSION = "zstd"

Result = TypeVar("Result")


def write_configs(
    configs: Sequence[DatasetConfig], folder: Path, *, jobs: int = 1, progress: bool = False
) -> dict[str, ConfigEntry]:
    """Write ``<config>/<split>-00000-of-0000N.parquet`` for every config.

    Args:
        configs: What is written.
        folder: Where to.
        jobs: Files made at a time, each in a thread: NumPy and Arrow work outside Python's lock.
        progress: Whether a progress bar is shown on stderr.

    Returns:
        For each config its files and its content hash, for the manifest.
    """
    num_steps = sum(len(shards) for config in configs for shards in config.shards.values()) + len(configs)
    with (
        Bar(total=num_steps, unit="file", disable=not progress) as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def submit(function: Callable[..., Result], *arguments: object) -> Future[Result]:
            future = pool.submit(function, *arguments)
            future.add_done_callback(lambda _: bar.update())
            return future

        try:
            written = {
                config.name: {
                    split: [submit(_write_shard, config, split, index, folder) for index in range(len(shards))]
                    for split, shards in config.shards.items()
                }
                for config in configs
            }
            splits = {config: _results(of_split) for config, of_split in written.items()}
            hashes = {config: submit(_content_hash, folder, entries) for config, entries in splits.items()}
            return {
                config.name: ConfigEntry(dict(config.parameters), hashes[config.name].result(), splits[config.name])
                for config in configs
            }
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _write_shard(config: DatasetConfig, split: str, index: int, folder: Path) -> tuple[FileEntry, int]:
    """Write a file; return its entry, and the size of its rows in Arrow's memory, in bytes."""
    table = config.shards[split][index]()
    path = f"{config.name}/{split}-{index:05d}-of-{len(config.shards[split]):05d}.parquet"
    (folder / config.name).mkdir(exist_ok=True)
    # Made in memory: where the disk is full, pyarrow ends the whole process in the midst of pages cut by content.
    made = pa.BufferOutputStream()
    pq.write_table(
        table,
        made,
        row_group_size=ROWS_PER_ROW_GROUP,
        compression=_COMPRESSION,
        use_dictionary=False,  # texts hardly repeat, so dictionaries of them would cost time and space
        use_content_defined_chunking=True,  # a new release sends only the pages that changed
        write_page_index=True,  # who reads a few rows over the network reads only their pages
    )
    (folder / path).write_bytes(made.getvalue())
    return describe_file(folder, path, table.num_rows), table.nbytes


def _results(of_split: Mapping[str, list[Future[tuple[FileEntry, int]]]]) -> dict[str, SplitEntry]:
    entries = {}
    for split, futures in of_split.items():
        written = [future.result() for future in futures]
        files = tuple(file for file, _ in written)
        entries[split] = SplitEntry(
            sum(file.num_rows or 0 for file in files), files, sum(num_bytes for _, num_bytes in written)
        )
    return entries


def _content_hash(folder: Path, splits: Mapping[str, SplitEntry]) -> str:
    return content_hash_of_files(
        {split: [folder / file.path for file in entry.files] for split, entry in splits.items()}
    )
