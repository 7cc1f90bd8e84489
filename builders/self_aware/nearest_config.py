"""Self-aware as the paper constructs it: our unanswerable questions and the nearest answerable ones of a public set.

Yin et al., Do Large Language Models Know What They Don't Know?, section 2. Each public set is a config, since each has
its own licence; ``nearest.py`` searches it. An answerable row:

    {"id": "nq-open/NQ-open.dev-1204", "question": "when does the next solar eclipse …", "answers": […],
     "answerable": True, "category": None, "source": "nq-open/NQ-open.dev", "pair_id": "consensus-001-1", "flags": []}
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import NamedTuple

import pyarrow as pa

from selfknow.bars import Bar
from selfknow.builders.dataset import Dataset, DatasetConfig
from selfknow.builders.pinned_files import (
    PinnedSource,
    SourceFile,
    open_source,
    parameters_of,
    read_sources,
    table_of_files,
)
from selfknow.builders.self_aware.encoders import PAPER, load_encoder
from selfknow.builders.self_aware.nearest import Partner, choose_partners, digest_of, find_nearest
from selfknow.builders.self_aware.question_pools import PoolQuestion, batches_of, read_pool
from selfknow.builders.self_aware.question_text import answer_flags, normalized
from selfknow.builders.self_aware.questions import SCHEMA, SPLITS, Question, questions
from selfknow.cache import cache_folder
from selfknow.errors import UserError, nearest

SOURCES = "self_aware/nearest"
CONFIGS = ("squad", "hotpotqa", "triviaqa", "nq-open")
_ROWS_AT_A_TIME = 1_024
_ONE_SEARCH = Lock()  # held while a pool is searched, so that two splits do not search it twice
_FLAG_NAMES = ("duplicate", "answer_in_question", "alias_too_short")


@cache
def pools() -> Mapping[str, PinnedSource]:
    """Read the public sets, by config."""
    return read_sources(f"{SOURCES}/pools.yaml")


class PartnerLimits(NamedTuple):
    """The largest number of partners of one question, and of answerable questions in total."""

    per_question: int
    total: int


def partner_limits(config: str) -> PartnerLimits:
    """Read the limits of a config."""
    texts = pools()[config].texts
    partners, num_questions = texts["partners"], texts["questions"]
    assert isinstance(partners, int), "a whole number"
    assert isinstance(num_questions, int), "a whole number"
    return PartnerLimits(partners, num_questions)


@dataclass(frozen=True)
class Pool:
    """A public set of answerable questions, and the encoder that compares them.

    Args:
        config: The config's name.
        files: The files of its questions.
        encoder: The sentence encoder's name.
    """

    config: str
    files: tuple[SourceFile, ...]
    encoder: str

    def candidates(self) -> Iterator[tuple[str, PoolQuestion]]:
        """Yield each question that has answers, with its file's name.

        Repeated questions are skipped, ignoring case and punctuation.
        """
        seen = set[str]()
        for file in self.files:
            assert isinstance(file.content, Path), "a pool is a file on disk"
            name = PurePosixPath(file.name).stem.partition("-00")[0]  # without a shard's number: train-00000-of-00002
            for question in read_pool(str(file.content)):
                text = normalized(question.question)
                if question.answers and text not in seen:
                    seen.add(text)
                    yield name, question


def select(partners: list[Partner], number: int) -> list[Partner]:
    """Select the nearest partner of every question, then the second nearest, and so on.

    Args:
        partners: The partners by question, nearest first.
        number: The largest number of partners to select.

    Returns:
        The selected partners, in the same order.
    """
    num_partners = Counter[int]()
    ranked = []
    for partner in partners:
        ranked.append((num_partners[partner.question], partner))
        num_partners[partner.question] += 1
    ranked.sort(key=lambda item: (item[0], -item[1].similarity))
    selected = [partner for _, partner in ranked[:number]]
    return sorted(selected, key=lambda partner: (partner.question, -partner.similarity))


@cache
def _partners(pool: Pool) -> tuple[Partner, ...]:
    limits = partner_limits(pool.config)
    texts = [question.question for question in questions("unanswerable")]
    candidates = (question for _, question in pool.candidates())
    batches = ([question.question for question in batch] for batch in batches_of(candidates, _ROWS_AT_A_TIME))
    progress_file = _search_path(pool, texts)
    with Bar(unit="question", desc=f"{pool.config}: looking for the nearest") as bar:
        encode = load_encoder(pool.encoder)
        short_lists = find_nearest(
            texts, batches, encode, per_question=limits.per_question, progress_file=progress_file, advance=bar.update
        )
    progress_file.unlink(missing_ok=True)
    return tuple(select(choose_partners(short_lists, limits.per_question), limits.total))


def _search_path(pool: Pool, texts: list[str]) -> Path:
    """Return the path where a search saves its progress, so that it resumes after a kill."""
    digest = digest_of(pool.encoder, [*(file.sha256 for file in pool.files), *texts])
    return cache_folder() / "nearest" / f"{digest}.npz"


@cache
def rows(pool: Pool) -> tuple[Question, ...]:
    """Return all questions with their flags: our unanswerable ones first, then their answerable partners."""
    unanswerable = questions("unanswerable")
    partner_of_row = {partner.pool_row: partner for partner in _partners(pool)}
    answerable_of_row = {
        row: Question(
            id=f"{pool.config}/{name}-{question.id}",
            question=question.question,
            answers=list(question.answers),
            answerable=True,
            category=None,
            source=f"{pool.config}/{name}",
            pair_id=unanswerable[partner_of_row[row].question].id,
        )
        for row, (name, question) in enumerate(pool.candidates())
        if row in partner_of_row
    }
    both = [*unanswerable, *(answerable_of_row[partner.pool_row] for partner in _partners(pool))]
    times_asked = Counter(normalized(row.question) for row in both)
    return tuple(replace(row, flags=_flags(row, times_asked)) for row in both)


def _flags(row: Question, times_asked: Counter[str]) -> list[str]:
    duplicate = ["duplicate"] if times_asked[normalized(row.question)] > 1 else []
    return duplicate + answer_flags(row.question, row.answers, whole_words=False)


@dataclass(frozen=True)
class SplitOfPool:
    """The function that makes the rows of a split.

    Args:
        split: The split's name.
        pool: The public set.
    """

    split: str
    pool: Pool

    def __call__(self) -> pa.Table:
        """Make the rows; the first call searches the pool."""
        with _ONE_SEARCH:  # both splits are made at the same time, and the search of a large pool takes hours
            both = rows(self.pool)
        wants_answerable = self.split == "answerable"
        values = [asdict(row) for row in both if row.answerable == wants_answerable]
        return pa.Table.from_pylist(values, schema=SCHEMA)


def nearest_config(config: str, seed: int = 0, *, path: Path | None = None, encoder: str = PAPER) -> DatasetConfig:
    """Return the config of one public set. The search runs when the rows are made.

    Args:
        config: ``squad``, ``hotpotqa``, ``triviaqa`` or ``nq-open``.
        seed: Has no effect.
        path: A local file to use as the pool; if omitted, the set's files are fetched.
        encoder: A sentence encoder; see ``load_encoder``.

    Raises:
        UserError: The config does not exist, or the pool is missing or cannot be fetched.

    Example:
        >>> nearest_config("squad").parameters["encoder"]  # doctest: +SKIP
        'princeton-nlp/sup-simcse-roberta-large'
    """
    del seed
    if config not in CONFIGS:
        raise UserError(f"self-aware-nearest has no config {config!r}{nearest(config, CONFIGS)}")
    source = pools()[config]
    files = open_source(source, path, alone=True)
    pool = Pool(config, tuple(files), encoder)
    parameters = {**parameters_of(source, files), "encoder": encoder}
    return DatasetConfig(config, parameters, SCHEMA, {split: [SplitOfPool(split, pool)] for split in SPLITS})


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """Return the tables of the partners' similarities and flags, and the sources."""
    pools_by_config = {config.name: _pool(config) for config in configs}
    counts = {
        name: Counter((_split_of(row), flag) for row in rows(pool) for flag in row.flags)
        for name, pool in pools_by_config.items()
    }
    flag_table_lines = ["| flag | " + " | ".join(f"{name}, {split}" for name in counts for split in SPLITS) + " |"]
    flag_table_lines.append("| --- |" + " ---: |" * (len(counts) * len(SPLITS)))
    for flag in _FLAG_NAMES:
        flag_counts = [counter[split, flag] for counter in counts.values() for split in SPLITS]
        flag_table_lines.append(f"| `{flag}` | " + " | ".join(map(str, flag_counts)) + " |")
    limits = {name: partner_limits(name) for name in pools_by_config}
    numbers = "; ".join(
        f"`{name}` gives an unanswerable question at most {limit.per_question}, and has at most {limit.total:,} in all"
        for name, limit in limits.items()
    )
    return {
        "config": configs[0].name,
        "encoder": str(configs[0].parameters["encoder"]),
        "numbers": numbers,
        "table_of_similarity": _similarities(pools_by_config),
        "table_of_flags": "\n".join(flag_table_lines),
        "files": "\n\n".join(table_of_files(config.parameters) for config in configs),
        "licence": DATASET.licence([config.name for config in configs]),
    }


def _pool(config: DatasetConfig) -> Pool:
    shard = config.shards["answerable"][0]
    assert isinstance(shard, SplitOfPool), "our own config is made of its pool"
    return shard.pool


def _split_of(row: Question) -> str:
    return "answerable" if row.answerable else "unanswerable"


def _similarities(pools_by_config: Mapping[str, Pool]) -> str:
    lines = ["| config | least cosine | median | largest | questions with a partner |", "| --- |" + " ---: |" * 4]
    for name, pool in pools_by_config.items():
        partners = _partners(pool)
        cosines = sorted(partner.similarity for partner in partners)
        num_questions = len({partner.question for partner in partners})
        cells = [cosines[0], cosines[len(cosines) // 2], cosines[-1]] if cosines else []
        lines.append(f"| `{name}` | " + " | ".join(f"{cosine:.2f}" for cosine in cells) + f" | {num_questions:,} |")
    return "\n".join(lines)


DATASET = Dataset(
    name="self-aware-nearest",
    version="2.1.0",
    sources=SOURCES,
    summary="Our unanswerable questions, and the nearest answerable ones of SQuAD, HotpotQA, TriviaQA or NQ-open.",
    configs=CONFIGS,
    config=nearest_config,
    metadata={
        "pretty_name": "Self-aware, the nearest answerable questions",
        "language": ["en"],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["self-knowledge", "unanswerable questions", "abstention", "selfknow"],
        "annotations_creators": ["machine-generated", "found"],
    },
    card_parts=card_parts,
    licence_of=lambda config: pools()[config].licence,
    options=("path", "encoder"),
)
