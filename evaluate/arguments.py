"""The arguments of :func:`selfknow.ask` for each set, so that an editor completes them and mypy checks them.

They repeat the fields of the options classes, because Python cannot derive a TypedDict from a dataclass. A test
compares the two.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from selfknow.portraits import Portrait

Texts = str | Sequence[str]
StrPath = str | Path

DiarySet = Literal[
    "diary-recall:1k",
    "diary-recall:2k",
    "diary-recall:4k",
    "diary-recall:8k",
    "diary-recall:16k",
    "diary-recall:32k",
    "diary-recall:64k",
    "diary-recall:1k-simplified",
    "diary-recall:2k-simplified",
    "diary-recall:4k-simplified",
    "diary-recall:8k-simplified",
    "diary-recall:16k-simplified",
    "diary-recall:32k-simplified",
    "diary-recall:64k-simplified",
]
# The task self-aware also asks the configs of abstention.
SelfAwareSet = Literal[
    "self-aware",
    "self-aware-original",
    "self-aware-nearest:squad",
    "self-aware-nearest:hotpotqa",
    "self-aware-nearest:triviaqa",
    "self-aware-nearest:nq-open",
    "abstention:kuq",
    "abstention:umwp",
    "abstention:coconot",
]
TextSet = Literal[
    "self-knowledge:total-count",
    "self-knowledge:designated-count",
    "self-knowledge:fact",
    "self-knowledge:arxiv",
    "self-knowledge:math",
    "self-knowledge:theorem",
    "self-knowledge:code",
    "self-knowledge:grammar",
    "self-knowledge:add-first-word",
    "self-knowledge:delete-first-word",
    "self-knowledge:change-word",
    "self-knowledge:specific-mention",
    "self-knowledge:sentiment",
    "self-knowledge:sports-statistics",
]
PictureSet = Literal[
    "self-knowledge:image-counting",
    "self-knowledge:image-color",
    "self-knowledge:image-position",
]
BenchmarkSet = Literal["self-knowledge:benchmark"]
AgentSet = Literal["self-knowledge:agents"]
AccordingToSet = Literal[
    "according-to:nq",
    "according-to:tqa",
    "according-to:hotpot",
    "according-to:eli5",
    "according-to:king-james-bible",
]
ContinuationSet = Literal["according-to:continuation"]
MathematicsSet = Literal["gsm8k"]


class ReplyArguments(TypedDict, total=False):
    """The arguments for sampling replies (:class:`selfknow.models.interface.ReplyOptions`)."""

    temperature: float | None
    top_p: float | None
    max_new_tokens: int | None
    seed: int | None


class ModelArguments(ReplyArguments, total=False):
    """The arguments for opening models (:class:`selfknow.models.opening.ModelOptions`)."""

    endpoint: str | None
    text: bool
    concurrency: int
    requests_per_minute: float | None
    timeout: float
    tries: int
    num_parameters: int | None
    chat: bool | None
    batch_size: int
    precision: str | None
    instruction_tuned_from: str | None
    label: str | None


class AskArguments(ModelArguments, total=False):
    """The arguments that every set takes: a model's, a function's name, the progress bar and the limits of a call."""

    name: str | None
    quiet: bool
    limit: int | None
    dry_run: bool
    max_requests: int | None
    max_tokens: int | None


class SampledArguments(AskArguments, total=False):
    """The arguments of a set whose questions may be asked several times."""

    samples: int


class DiaryArguments(SampledArguments, total=False):
    """The arguments of diary-recall."""

    split: str
    probes: bool
    stop: bool


class SelfAwareArguments(SampledArguments, total=False):
    """The arguments of self-aware."""

    form: str
    wording: str
    examples: bool | None
    template: StrPath | None


class SelfKnowledgeArguments(SampledArguments, total=False):
    """The arguments of self-knowledge."""

    split: str
    protocol: str
    style: Texts
    wording: str
    examples: bool | None
    verifier: Texts
    reuse: StrPath | None


class BenchmarkArguments(SelfKnowledgeArguments, total=False):
    """The arguments of self-knowledge's benchmark."""

    benchmark: str | None


class PictureArguments(SelfKnowledgeArguments, total=False):
    """The arguments of self-knowledge about pictures."""

    image_model: str | None
    image_endpoint: str | None
    image_size: str | None
    image_steps: int | None
    image_guidance: float | None


class AgentArguments(AskArguments, total=False):
    """The arguments of self-knowledge's agents."""

    instances: int
    verifier: Texts
    examples: bool


class AccordingToArguments(SampledArguments, total=False):
    """The arguments of according-to."""

    portrait: str | None
    prompts: str
    prompt_format: str | None
    placement: str
    corpus_name: str
    corpus_address: str | None
    counts: StrPath | None
    examples: bool


class ContinuationArguments(SampledArguments, total=False):
    """The arguments of according-to:continuation."""

    portrait: str | None
    control_portrait: str | None
    passages: StrPath | None
    passage_words: int
    num_passages: int
    passage_seed: int


class Gsm8kArguments(SampledArguments, total=False):
    """The arguments of gsm8k."""

    examples: bool


class ScoreArguments(TypedDict, total=False):
    """The arguments of all scorers together: those of self-aware, according-to and self-knowledge."""

    scorer: Texts
    encoder: str | None
    references: str | None
    threshold: float | None
    portrait: str | None
    control_portrait: str | None
    attention: str | None


class ConnectArguments(TypedDict, total=False):
    """The arguments of :func:`selfknow.connect`, except the run folders."""

    portraits: "Mapping[str, Portrait | str | Path] | None"
    corpora: Sequence[StrPath]
    read_only: bool
    mixed_revisions: bool
    threads: int | None
    memory_limit: str | None
