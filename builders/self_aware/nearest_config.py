"""Self-aware, the paper's own construction: our unanswerable questions and the nearest answerable ones of a set.

Yin et al., Do Large Language Models Know What They Don't Know?, section 2. One config for each public set, since each
comes under a licence of its own; ``nearest.py`` is the search. An answerable row:

    {"id": "nq-open/NQ-open.dev-1204", "question": "when does the next solar eclipse …", "answers": […],
     "answerable": True, "category": None, "source": "nq-open/NQ-open.dev", "pair_id": "consensus-001-1", "flags": []}
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path, PurePosixPath
from threading import Lock

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
_ONE_SEARCH = Lock()
_FLAGS = ("duplicate", "answer_in_question", "alias_too_short")


@cache
def pools() -> Mapping[str, PinnedSource]:
    """The public sets, by config."""
    return read_sources(f"{SOURCES}/pools.yaml")


def sizes(config: str) -> tuple[int, int]:
    """How many partners a question gets at most, and how many answerable questions there are at most in all."""
    texts = pools()[config].texts
    partners, num_questions = texts["partners"], texts["questions"]
    assert isinstance(partners, int), "a whole number"
    assert isinstance(num_questions, int), "a whole number"
    return partners, num_questions


@dataclass(frozen=True)
class Pool:
    """What partners are looked for in, and how.

    Args:
        config: The config.
        files: Where its questions lie.
        encoder: The sentence encoder's name.
    """

    config: str
    files: tuple[SourceFile, ...]
    encoder: str

    def candidates(self) -> Iterator[tuple[str, PoolQuestion]]:
        """Its questions with an answer, each once whatever the case and punctuation, and the name of its file."""
        seen = set[str]()
        for file in self.files:
            assert isinstance(file.content, Path), "a pool is read where it lies"
            name = PurePosixPath(file.name).stem.partition("-00")[0]
            for question in read_pool(str(file.content)):
                text = normalized(question.question)
                if question.answers and text not in seen:
                    seen.add(text)
                    yield name, question


def select(partners: list[Partner], number: int) -> list[Partner]:
    """The first of every question, the nearest before all others, then the second, and so on, up to a number.

    Args:
        partners: By question, nearest first.
        number: How many are wanted.

    Returns:
        They, by question again.
    """
    ranks = chain.from_iterable(range(count) for count in Counter(partner.question for partner in partners).values())
    ranked = sorted(zip(ranks, partners, strict=True), key=lambda item: (item[0], -item[1].similarity))
    return sorted((partner for _, partner in ranked[:number]), key=lambda one: (one.question, -one.similarity))


@cache
def _partners(pool: Pool) -> tuple[Partner, ...]:
    per_question, number = sizes(pool.config)
    texts = [question.question for question in questions("unanswerable")]
    candidates = (question for _, question in pool.candidates())
    batches = ([question.question for question in batch] for batch in batches_of(candidates, _ROWS_AT_A_TIME))
    saved = _saved(pool, texts)
    with Bar(unit="question", desc=f"{pool.config}: looking for the nearest") as bar:
        encode = load_encoder(pool.encoder)
        lists = find_nearest(texts, batches, encode, per_question=per_question, saved=saved, advance=bar.update)
    saved.unlink(missing_ok=True)
    return tuple(select(choose_partners(lists, per_question), number))


def _saved(pool: Pool, texts: list[str]) -> Path:
    """Where the search is saved as it goes, and taken up again after a kill: a file for each search."""
    digest = digest_of(pool.encoder, [*(file.sha256 for file in pool.files), *texts])
    return cache_folder() / "nearest" / f"{digest}.npz"


@cache
def rows(pool: Pool) -> tuple[Question, ...]:
    """Both halves, flagged; our unanswerable questions first."""
    unanswerable = questions("unanswerable")
    of_row = {partner.pool_row: unanswerable[partner.question].id for partner in _partners(pool)}
    place = {partner.pool_row: number for number, partner in enumerate(_partners(pool))}
    chosen = {
        place[row]: Question(
            id=f"{pool.config}/{name}-{question.id}",
            question=question.question,
            answers=list(question.answers),
            answerable=True,
            category=None,
            source=f"{pool.config}/{name}",
            pair_id=of_row[row],
        )
        for row, (name, question) in enumerate(pool.candidates())
        if row in of_row
    }
    both = [*unanswerable, *(chosen[number] for number in sorted(chosen))]
    times_asked = Counter(normalized(row.question) for row in both)
    return tuple(replace(row, flags=_flaws(row, times_asked)) for row in both)


def _flaws(row: Question, times_asked: Counter[str]) -> list[str]:
    duplicate = ["duplicate"] if times_asked[normalized(row.question)] > 1 else []
    return duplicate + answer_flags(row.question, row.answers, whole_words=False)


def _table(split: str, pool: Pool) -> pa.Table:
    with _ONE_SEARCH:  # both splits are made at a time, and the search takes hours where the pool is large
        both = rows(pool)
    of_split = [asdict(row) for row in both if row.answerable == (split == "answerable")]
    return pa.Table.from_pylist(of_split, schema=SCHEMA)


def nearest_config(config: str, seed: int = 0, *, path: Path | None = None, encoder: str = PAPER) -> DatasetConfig:
    """The nearest answerable questions of one public set. The search is made when the rows are.

    Args:
        config: ``squad``, ``hotpotqa``, ``triviaqa`` or ``nq-open``.
        seed: Decides nothing.
        path: The pool as a file of the user's; without it, the set's files are fetched.
        encoder: A sentence encoder; see ``load_encoder``.

    Raises:
        UserError: There is no such config, or the pool cannot be had.

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
    return DatasetConfig(config, parameters, SCHEMA, {split: [partial(_table, split, pool)] for split in SPLITS})


def card_parts(configs: list[DatasetConfig]) -> Mapping[str, str]:
    """How near the partners are, which flags they have, and the sources."""
    of_config = {config.name: _pool(config) for config in configs}
    counts = {
        name: Counter((row.answerable, flag) for row in rows(pool) for flag in row.flags)
        for name, pool in of_config.items()
    }
    flags = ["| flag | " + " | ".join(f"{name}, {split}" for name in counts for split in SPLITS) + " |"]
    flags.append("| --- |" + " ---: |" * (len(counts) * len(SPLITS)))
    for flag in _FLAGS:
        numbers = [of[split == "answerable", flag] for of in counts.values() for split in SPLITS]
        flags.append(f"| `{flag}` | " + " | ".join(map(str, numbers)) + " |")
    numbers_of = "; ".join(
        f"`{name}` gives an unanswerable question at most {sizes(name)[0]}, and has at most {sizes(name)[1]:,} in all"
        for name in of_config
    )
    return {
        "config": configs[0].name,
        "encoder": str(configs[0].parameters["encoder"]),
        "numbers": numbers_of,
        "table_of_similarity": _similarities(of_config),
        "table_of_flags": "\n".join(flags),
        "files": "\n\n".join(table_of_files(config.parameters) for config in configs),
        "licence": DATASET.licence([config.name for config in configs]),
    }


def _pool(config: DatasetConfig) -> Pool:
    made = config.shards["answerable"][0]
    assert isinstance(made, partial), "our own config is made of its pool"
    pool = made.args[1]
    assert isinstance(pool, Pool), "the pool comes after the split"
    return pool


def _similarities(of_config: Mapping[str, Pool]) -> str:
    lines = ["| config | least cosine | median | largest | questions with a partner |", "| --- |" + " ---: |" * 4]
    for name, pool in of_config.items():
        partners = _partners(pool)
        cosines = sorted(partner.similarity for partner in partners)
        with_one = len({partner.question for partner in partners})
        cells = [cosines[0], cosines[len(cosines) // 2], cosines[-1]] if cosines else []
        lines.append(f"| `{name}` | " + " | ".join(f"{cosine:.2f}" for cosine in cells) + f" | {with_one:,} |")
    return "\n".join(lines)


DATASET = Dataset(
    name="self-aware-nearest",
    version="2.0.0",
    sources=SOURCES,
    summary="Our unanswerable questions, and those of SQuAD, HotpotQA, TriviaQA or NQ-open nearest to them.",
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
