"""The shards of configs as Parquet files, written several at a time, and the hashes of their rows."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfknow.bars import Bar
from selfknow.builders.dataset import DatasetConfig
from selfknow.builders.folder.content_hash import SplitHash, combine
from selfknow.builders.folder.manifest import ConfigEntry, FileEntry, SplitEntry, describe_file

ROWS_PER_ROW_GROUP = 20_000  # small enough for the Hub's viewer to show a page without delay
_COMPRESSION = "zstd"


def write_configs(
    configs: Sequence[DatasetConfig], folder: Path, *, jobs: int = 1, progress: bool = False
) -> dict[str, ConfigEntry]:
    """Write ``<config>/<split>-00000-of-0000N.parquet`` for every config.

    Args:
        configs: The configs to write.
        folder: The folder to write to.
        jobs: Number of files to write at the same time, each in a thread: NumPy and Arrow release the GIL.
        progress: Show a progress bar on stderr.

    Returns:
        The files and the content hash of each config, for the manifest.
    """
    shards = [
        (index, split_number, config, split)
        for config in configs
        for split_number, (split, functions) in enumerate(config.shards.items())
        for index in range(len(functions))
    ]
    hashes = {config.name: {split: SplitHash() for split in config.shards} for config in configs}
    futures_by_config: dict[str, dict[str, list[Future[tuple[FileEntry, int]]]]] = {
        config.name: {split: [] for split in config.shards} for config in configs
    }
    with (
        Bar(total=len(shards), unit="file", disable=not progress) as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):
        try:
            # Shard 0 of every config comes first, then shard 1 of each: shards of equal number often share their input.
            for index, _, config, split in sorted(shards, key=lambda shard: shard[:2]):
                split_futures = futures_by_config[config.name][split]
                future = pool.submit(
                    _write_shard, config, split, index, folder, hashes[config.name][split], split_futures[-1:]
                )
                future.add_done_callback(lambda _: bar.update())
                split_futures.append(future)
            splits = {config: _results(futures) for config, futures in futures_by_config.items()}
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {
        config.name: ConfigEntry(dict(config.parameters), combine(hashes[config.name]), splits[config.name])
        for config in configs
    }


def _write_shard(
    config: DatasetConfig,
    split: str,
    index: int,
    folder: Path,
    split_hash: SplitHash,
    earlier: Sequence[Future[tuple[FileEntry, int]]],
) -> tuple[FileEntry, int]:
    """Write a shard, wait for the previous shard of its split (``earlier``), and then hash the rows.

    Returns:
        The file's entry, and the size of its rows in memory as Arrow data, in bytes.
    """
    table = config.shards[split][index]()
    path = f"{config.name}/{split}-{index:05d}-of-{len(config.shards[split]):05d}.parquet"
    (folder / config.name).mkdir(exist_ok=True)
    (folder / path).write_bytes(parquet_of(table))
    for future in earlier:
        future.result()
    for batch in table.to_batches():
        if batch.num_rows:  # a file that is read back has no empty batches, so they must not be hashed here
            split_hash.update(batch)
    return describe_file(folder, path, table.num_rows), table.nbytes


def parquet_of(table: pa.Table) -> pa.Buffer:
    """Return a table as the bytes of a Parquet file.

    The bytes are made in memory: with content-defined chunking, pyarrow ends the whole process when the disk is full.
    """
    buffer = pa.BufferOutputStream()
    pq.write_table(
        table,
        buffer,
        row_group_size=ROWS_PER_ROW_GROUP,
        compression=_COMPRESSION,
        use_dictionary=False,  # texts hardly repeat, so dictionaries of them would cost time and space
        use_content_defined_chunking=True,  # a new release sends only the pages that changed
        write_page_index=True,  # a reader of a few rows over the network fetches only their pages
    )
    return buffer.getvalue()


def _results(futures_by_split: Mapping[str, list[Future[tuple[FileEntry, int]]]]) -> dict[str, SplitEntry]:
    entries = {}
    for split, futures in futures_by_split.items():
        results = [future.result() for future in futures]
        files = tuple(file for file, _ in results)
        entries[split] = SplitEntry(
            sum(file.num_rows or 0 for file in files), files, sum(num_bytes for _, num_bytes in results)
        )
    return entries
