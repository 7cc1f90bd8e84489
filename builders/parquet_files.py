"""Writes the shards of corpora as Parquet files, several at a time, and hashes what then lies on disk."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
from tqdm import tqdm

from selfknow.builders.content_hash import content_hash_of_files
from selfknow.builders.corpus import Corpus
from selfknow.builders.manifest import ConfigEntry, FileEntry, SplitEntry, describe_file

ROWS_PER_ROW_GROUP = 20_000  # small enough for the Hub's viewer to show a page at once
_COMPRESSION = "zstd"


def write_corpora(
    corpora: Sequence[Corpus], folder: Path, *, jobs: int = 1, progress: bool = False
) -> dict[str, ConfigEntry]:
    """Write ``<config>/<split>-00000-of-0000N.parquet`` for every config.

    Args:
        corpora: What is written.
        folder: Where to.
        jobs: Files made at a time, each in a thread: NumPy and Arrow work outside Python's lock.
        progress: Whether a progress bar is shown on stderr.

    Returns:
        For each config its files and its content hash, for the manifest.
    """
    shards = [
        (corpus, split, index) for corpus in corpora for split in corpus.shards for index in _shards(corpus, split)
    ]
    with (
        tqdm(total=len(shards) + len(corpora), unit="file", disable=None if progress else True) as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):

        def write(shard: tuple[Corpus, str, int]) -> FileEntry:
            entry = _write_shard(*shard, folder)
            bar.update()
            return entry

        def describe(corpus: Corpus) -> ConfigEntry:
            entry = _describe_config(corpus, files, folder)
            bar.update()
            return entry

        try:
            files = dict(
                zip([(c.config, split, index) for c, split, index in shards], pool.map(write, shards), strict=True)
            )
            return dict(zip([corpus.config for corpus in corpora], pool.map(describe, corpora), strict=True))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _shards(corpus: Corpus, split: str) -> range:
    return range(len(corpus.shards[split]))


def _write_shard(corpus: Corpus, split: str, index: int, folder: Path) -> FileEntry:
    table = corpus.shards[split][index]()
    path = f"{corpus.config}/{split}-{index:05d}-of-{len(corpus.shards[split]):05d}.parquet"
    (folder / corpus.config).mkdir(exist_ok=True)
    pq.write_table(table, folder / path, row_group_size=ROWS_PER_ROW_GROUP, compression=_COMPRESSION)
    return describe_file(folder, path, table.num_rows)


def _describe_config(corpus: Corpus, files: dict[tuple[str, str, int], FileEntry], folder: Path) -> ConfigEntry:
    of_split = {
        split: [files[corpus.config, split, index] for index in _shards(corpus, split)] for split in corpus.shards
    }
    content_hash = content_hash_of_files(
        {split: [folder / file.path for file in entries] for split, entries in of_split.items()}
    )
    splits = {
        split: SplitEntry(sum(file.num_rows or 0 for file in entries), tuple(entries))
        for split, entries in of_split.items()
    }
    return ConfigEntry(dict(corpus.parameters), content_hash, splits)
