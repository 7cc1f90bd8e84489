"""Queries over diary runs in plain pandas: the shares and counts, without their intervals.

Each function reads the columns that it needs from all runs, and returns a number that the SQL must return, too.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from selfknow.evaluate.catalogue import task_sql
from selfknow.runs.reader import RunFolder, open_runs
from selfknow.sql.connection import find_corpora

COHORT = ["config", "model"]
Runs = Sequence[str]


def _read(runs: Runs, kind: str, columns: list[str], **equal: object) -> pd.DataFrame:
    filters = [(name, "in" if isinstance(value, list) else "=", value) for name, value in equal.items()]

    def read_run(run: RunFolder) -> pd.DataFrame:
        frames = [pq.read_table(path, columns=columns, filters=filters or None) for path in run.files[kind]]
        frame = pd.concat([table.to_pandas() for table in frames], ignore_index=True)
        return frame.assign(config=run.dataset["config"])

    return pd.concat(map(read_run, open_runs(list(runs))), ignore_index=True)


def _calls(runs: Runs, *columns: str, stage: str | None = "answer") -> pd.DataFrame:
    keys = ["example_id", "stage", "variant", "sample", "model"]
    columns_to_read = list(dict.fromkeys(["generation_id", *keys, "attempt", "error", *columns]))
    frame = _read(runs, "generations", columns_to_read, **({"stage": stage} if stage else {}))
    if frame.attempt.any():
        frame = frame.sort_values("attempt").drop_duplicates(["config", *keys], keep="last")
    return frame


def _scored(runs: Runs, *metrics: str, stage: str = "answer") -> pd.DataFrame:
    scores = _read(runs, "scores", ["generation_id", "metric", "value"], metric=list(metrics))
    wide = scores.pivot(index="generation_id", columns="metric", values="value")
    return _calls(runs, stage=stage).merge(wide, on="generation_id", how="left")


def _questions(runs: Runs, *columns: str) -> pd.DataFrame:
    frame = _read(runs, "examples", ["id", "diarist", "num_documents", *columns])
    return frame.rename(columns={"id": "example_id"})


def _answered_questions(runs: Runs, *metrics: str, stage: str = "answer") -> pd.DataFrame:
    return _scored(runs, *metrics, stage=stage).merge(_questions(runs), on=["config", "example_id"])


def _corpus(runs: Runs) -> pd.DataFrame:
    columns = ["kind", "diarist", "completion"]
    files = [
        (size, path)
        for size, paths in find_corpora(open_runs(list(runs)), [], task_sql())["diary-recall"].items()
        for path in paths
    ]
    frames = [pq.read_table(path, columns=columns).to_pandas().assign(size=size) for size, path in files]
    corpus = pd.concat(frames, ignore_index=True)
    return corpus[corpus.kind == "document"]


def _accuracy_by_size(runs: Runs) -> float:
    return _scored(runs, "exact_match").groupby(COHORT).exact_match.mean().sum()


def _accuracy_by_documents(runs: Runs) -> float:
    frame = _answered_questions(runs, "exact_match")
    return frame.groupby([*COHORT, "num_documents"]).exact_match.mean().sum()


def _accuracy_by_name_frequency(runs: Runs) -> float:
    corpus = _corpus(runs)[["size", "diarist"]].drop_duplicates()
    words = corpus.assign(word=corpus.diarist.str.split(" ")).explode("word").drop_duplicates()
    words["number"] = words.groupby(["size", "word"]).diarist.transform("count")
    rarest = np.floor(np.log2(words.groupby(["size", "diarist"]).number.min())).rename("rarest").reset_index()
    frame = _answered_questions(runs, "exact_match")
    frame["size"] = frame.config.str.removesuffix("-simplified")
    frame = frame.merge(rarest, on=["size", "diarist"])
    return frame.groupby([*COHORT, "rarest"]).exact_match.mean().sum()


def _count_and_content(runs: Runs) -> float:
    frame = _scored(runs, "exact_match", "right_count", "right_content")
    return frame.groupby(COHORT)[["exact_match", "right_count", "right_content"]].mean().right_content.sum()


def _document_accuracy(runs: Runs) -> float:
    documents = _read(runs, "documents", ["generation_id", "fate", "target_sentences"], fate=["correct", "wrong"])
    frame = _calls(runs).merge(documents.drop(columns="config"), on="generation_id")
    return frame.assign(right=frame.fate == "correct").groupby([*COHORT, "target_sentences"]).right.mean().sum()


def _metrics(runs: Runs) -> float:
    calls = _calls(runs, stage=None)
    calls["variant"] = calls.variant.str.replace(r"^after-[0-9]+$", "after-*", regex=True)
    scores = _read(runs, "scores", ["generation_id", "metric", "value"]).drop(columns="config")
    frame = calls.merge(scores, on="generation_id")
    grouped = frame.groupby([*COHORT, "stage", "variant", "metric"]).value
    return grouped.agg(["count", "mean", "std", "min", "max"])["mean"].sum()


def _over_and_under_recall(runs: Runs) -> float:
    frame = _answered_questions(runs, "documents_recalled").dropna(subset="documents_recalled")
    sign = np.sign(frame.documents_recalled - frame.num_documents)
    return (sign.groupby([frame.config, frame.model]).value_counts().groupby(level=2).sum() * [1, 2, 3]).sum()


def _overview(runs: Runs) -> float:
    calls = _calls(runs, "generation", "finish_reason", "created_at", stage=None)
    scores = _read(runs, "scores", ["generation_id", "value"]).dropna()
    calls["graded"] = calls.generation_id.isin(scores.generation_id)
    calls["cut_off"], calls["empty"] = calls.finish_reason == "length", calls.generation == ""
    grouped = calls.groupby([*COHORT, "stage"])
    counts = grouped.agg({"graded": "sum", "cut_off": "sum", "empty": "sum", "error": "count", "created_at": "max"})
    return counts.graded.sum()


def _pretrained_or_scratch(runs: Runs) -> float:
    frame = _scored(runs, "exact_match")
    pretrained = frame.model.str.match("(facebook|google|EleutherAI)/")
    scratch = frame.model.str.contains("scratch")
    return frame[pretrained | scratch].groupby([*COHORT, pretrained]).exact_match.mean().sum()


def _probes(runs: Runs) -> float:
    frame = _scored(runs, "probe_exact_match", "probe_next_document", "probe_recalls_last", stage="probe")
    return frame.groupby([*COHORT, "variant"]).probe_exact_match.mean().sum()


def _recalled_documents(runs: Runs) -> float:
    frame = _answered_questions(runs, "documents_recalled")
    return frame.groupby([*COHORT, "num_documents"]).documents_recalled.value_counts(normalize=True).sum()


IN_PANDAS: dict[str, tuple[Callable[[Runs], float], str]] = {
    "accuracy_by_documents": (_accuracy_by_documents, "sum(accuracy)"),
    "accuracy_by_name_frequency": (_accuracy_by_name_frequency, "sum(accuracy)"),
    "accuracy_by_size": (_accuracy_by_size, "sum(accuracy)"),
    "count_and_content": (_count_and_content, "sum(right_content)"),
    "document_accuracy": (_document_accuracy, "sum(document_accuracy)"),
    "metrics": (_metrics, "sum(mean)"),
    "over_and_under_recall": (
        _over_and_under_recall,
        "sum(n_answers * case recall when 'under' then 1 when 'right' then 2 else 3 end)",
    ),
    "overview": (_overview, "sum(n_graded)"),
    "pretrained_or_scratch": (_pretrained_or_scratch, "coalesce(sum(accuracy_pretrained) + sum(accuracy_scratch), 0)"),
    "probes": (_probes, "sum(orderly)"),
    "recalled_documents": (_recalled_documents, "sum(share)"),
}
"""The pandas function of each query, and an SQL expression over the query's rows that must give the same number."""
